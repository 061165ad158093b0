//go:build unix

package e2e_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/test/simcursor"
)

// part is a turn of an agent: what it says at last, and what that took; 0 tokens is a
// turn of which nobody reports any.
type part struct {
	says   string
	tokens int
}

// spent is what the JSON says of tokens.
type spent struct {
	Status     string       `json:"status"`
	Iterations int          `json:"iterations"`
	Tokens     *loop.Tokens `json:"tokens"`
}

func (w *world) spent(id string) (s spent) {
	w.Helper()
	shown := w.ok(w.repo(), "status", id, "--json")
	var all struct{ Loops []spent }
	w.must(json.Unmarshal([]byte(shown), &all))
	if len(all.Loops) != 1 {
		w.Fatalf("got %s", shown)
	}
	return all.Loops[0]
}

// inChat plays the turns in the editor, inRun with an agent of cursor-ralph run. Both
// return the loop's id.
func inChat(w *world, options string, turns []part) string {
	w.Helper()
	return playChat(w, options, turns).ID
}

func playChat(w *world, options string, turns []part) *chat {
	w.Helper()
	c := w.chat()
	c.starts(`"build the parser" ` + options)
	for _, p := range turns {
		c.works()
		c.does(func(t *simcursor.Turn) {
			t.Spend(simcursor.Tokens{Input: p.tokens - p.tokens/10, Output: p.tokens / 10})
		})
		c.says(p.says)
		if !c.ends() {
			break
		}
	}
	if c.turn != nil {
		c.stops()
	}
	return c
}

// spending is an agent that speaks the protocol. Each turn is a file, which it runs.
const spending = `#!/bin/sh
n=0
reply() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
update() { printf '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":%s}}\n' "$1"; }
while IFS= read -r line; do
  id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/' | head -c 20)
  case $line in
  *'"method":"initialize"'*) reply '{"protocolVersion":1}' ;;
  *'"method":"session/new"'*) reply '{"sessionId":"s"}' ;;
  *'"method":"session/prompt"'*)
    n=$((n+1))
    update '{"sessionUpdate":"tool_call","toolCallId":"t","title":"Write","kind":"edit","status":"completed"}'
    . ../turns/$n ;;
  esac
done
`

func inRun(w *world, options string, turns []part) string {
	w.Helper()
	for i, p := range turns {
		text, _ := json.Marshal(p.says)
		usage := ""
		if p.tokens > 0 {
			usage = fmt.Sprintf(`,"usage":{"totalTokens":%d,"inputTokens":%d,"outputTokens":%d}`, p.tokens, p.tokens-p.tokens/10, p.tokens/10)
		}
		w.write(filepath.Join(w.repo(), "..", "turns", fmt.Sprint(i+1)),
			fmt.Sprintf("update '{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":%s}}'\nreply '{\"stopReason\":\"end_turn\"%s}'\n", text, usage))
	}
	agent := filepath.Join(w.dir, "agent")
	w.write(agent, spending)
	w.must(os.Chmod(agent, 0o755))
	args := append([]string{"run", "build the parser", "--acp-command", "'" + agent + "'", "--permissions", "all"}, strings.Fields(options)...)
	_, _, _ = w.terminal(w.repo(), append(args, "--max-iterations", fmt.Sprint(len(turns)))...)
	var all []struct{ ID string }
	w.must(json.Unmarshal([]byte(w.ok(w.repo(), "list", "--all", "--json")), &all))
	if len(all) != 1 {
		w.Fatalf("got loops %+v", all)
	}
	return all[0].ID
}

// One table for the editor's loop and the run's.
func TestTokensOfALoop(t *testing.T) {
	t.Parallel()
	const more = "A part is done."
	took := func(n int64) *loop.Tokens { return &loop.Tokens{Input: n - n/10, Output: n / 10} }
	for _, tt := range []struct {
		name    string
		options string
		turns   []part
		want    spent
	}{
		{"the limit", "--max-tokens 1k", []part{{more, 600}, {more, 600}, {more, 600}}, spent{"MAX_TOKENS_REACHED", 2, took(1200)}},
		{"a promise goes before it", "--max-tokens 500", []part{{done, 600}}, spent{"PROMISE_ACCEPTED", 1, took(600)}},
		{"without it they are counted", "", []part{{more, 600}, {done, 700}}, spent{"PROMISE_ACCEPTED", 2, took(1300)}},
		{"one turn is unknown", "", []part{{more, 600}, {done, 0}}, spent{"PROMISE_ACCEPTED", 2, took(600)}},
		{"all are unknown", "--max-tokens 1", []part{{more, 0}, {done, 0}}, spent{"PROMISE_ACCEPTED", 2, nil}},
	} {
		for name, play := range map[string]func(*world, string, []part) string{"chat": inChat, "run": inRun} {
			t.Run(tt.name+", "+name, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, option("tokens", func(o *simcursor.Options) { o.Tokens = simcursor.TurnTokens }))
				id := play(w, tt.options, tt.turns)
				if diff := cmp.Diff(tt.want, w.spent(id)); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
				words := map[bool]string{true: "tokens           none reported", false: "tokens           "}[tt.want.Tokens == nil]
				w.wantPart("status", w.ok(w.repo(), "status", id), words)
			})
		}
	}
}
