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

	"github.com/cursor-ralph/cursor-ralph/internal/simcursor"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/test/schema"
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
	Review     *loop.Tokens `json:"review_tokens"`
	Unknown    int          `json:"tokens_unknown_turns"`
}

func (w *world) spent(id string) (s spent) {
	w.Helper()
	shown := w.ok(w.repo(), "status", id, "--json")
	schema.Check(w, "loop", shown)
	w.must(json.Unmarshal([]byte(shown), &s))
	return s
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

func inRun(w *world, options string, turns []part) string {
	w.Helper()
	for i, p := range turns {
		call := `{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"Write","input":{"file_path":"a"}}]}}` + "\n" +
			`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"ok"}]}}` + "\n"
		text, _ := json.Marshal(p.says)
		usage := ""
		if p.tokens > 0 {
			usage = fmt.Sprintf(`,"usage":{"input_tokens":%d,"output_tokens":%d}`, p.tokens-p.tokens/10, p.tokens/10)
		}
		w.write(filepath.Join(w.dir, "turns", fmt.Sprint(i+1)), call+fmt.Sprintf(`{"type":"result","subtype":"success","session_id":"s1","result":%s%s}`+"\n", text, usage))
	}
	w.write(filepath.Join(w.dir, "agents", "claude"), "#!/bin/sh\ncat >/dev/null\nn=$(cat "+w.dir+"/turn 2>/dev/null || echo 1)\necho $((n+1)) >"+w.dir+"/turn\ncat "+w.dir+"/turns/$n\n")
	w.must(os.Chmod(filepath.Join(w.dir, "agents", "claude"), 0o755))
	w.extra = append(w.extra, "PATH="+filepath.Join(w.dir, "agents")+":"+bin+":"+os.Getenv("PATH"))
	args := append([]string{"run", "build the parser", "--agent", "claude", "--print", "--permissions", "all"}, strings.Fields(options)...)
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
		{"the limit", "--max-tokens 1k", []part{{more, 600}, {more, 600}, {more, 600}}, spent{"MAX_TOKENS_REACHED", 2, took(1200), nil, 0}},
		{"a promise goes before it", "--max-tokens 500", []part{{done, 600}}, spent{"PROMISE_ACCEPTED", 1, took(600), nil, 0}},
		{"without it they are counted", "", []part{{more, 600}, {done, 700}}, spent{"PROMISE_ACCEPTED", 2, took(1300), nil, 0}},
		{"one turn is unknown", "", []part{{more, 600}, {done, 0}}, spent{"PROMISE_ACCEPTED", 2, took(600), nil, 1}},
		{"all are unknown", "--max-tokens 1", []part{{more, 0}, {done, 0}}, spent{"PROMISE_ACCEPTED", 2, nil, nil, 2}},
	} {
		for name, play := range map[string]func(*world, string, []part) string{"chat": inChat, "run": inRun} {
			t.Run(tt.name+", "+name, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, option("tokens", func(o *simcursor.Options) { o.Tokens = simcursor.TurnTokens }))
				w.troubles = []string{"--max-tokens cannot act"} // a run logs what it warns of as an error
				id := play(w, tt.options, tt.turns)
				if diff := cmp.Diff(tt.want, w.spent(id)); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
				words := map[bool]string{true: "tokens           unknown", false: "tokens           "}[tt.want.Tokens == nil]
				w.wantPart("status", w.ok(w.repo(), "status", id), words)
				if tt.want.Unknown > 0 && tt.want.Tokens != nil {
					w.wantPart("status", w.ok(w.repo(), "status", id), "unknown for 1 more turn")
				}
			})
		}
	}
}

// Whichever events report them, and from how many copies of our hook, they count once.
func TestTokensCountOnce(t *testing.T) {
	t.Parallel()
	for _, counting := range []simcursor.Counting{simcursor.TurnTokens, simcursor.TextTokens} {
		for _, v := range []variant{usual(), with("two installations", func(v *variant) { v.installs = both() }),
			option("words with the stop", func(o *simcursor.Options) { o.LateResponse = simcursor.WithStop }),
			option("ids as in the CLI", func(o *simcursor.Options) { o.AgentIDs = true })} {
			v.Tokens = counting
			t.Run(fmt.Sprint(v.name, counting), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, v)
				id := inChat(w, "--max-iterations 9", []part{{"One.", 100}, {"Two.", 200}, {"Three.", 300}, {"Four.", 50}})
				got := w.spent(id)
				late := v.LateResponse != simcursor.InOrder && counting == simcursor.TextTokens // the last ones may come when the loop is over
				if got.Tokens == nil || got.Tokens.Sum() != 650 && !late || got.Tokens.Sum() > 650 {
					t.Errorf("got %+v", got.Tokens)
				}
			})
		}
	}
}

func TestMaxTokensIsRaised(t *testing.T) {
	t.Parallel()
	w := newWorld(t, option("tokens", func(o *simcursor.Options) { o.Tokens = simcursor.TurnTokens }))
	c := playChat(w, "--max-tokens 500", []part{{"A part.", 600}})
	id := c.ID
	w.wantPart("continue", c.declined("/ralph-loop --continue "+id), "--max-tokens 1100")
	w.wantPart("too low", w.refused(w.repo(), "continue", id, "--max-tokens", "600"), "give a higher --max-tokens")
	c.types("/ralph-loop --continue " + id + " --max-tokens 2k")
	c.follows()
	c.works()
	c.says(done)
	c.rests()
	c.wantStatus(id, "PROMISE_ACCEPTED", 2)
}

// --repeat first: the whole task after a summary of the chat, and where to read it
// otherwise; --repeat file: a file that has it.
func TestRepeatInAChat(t *testing.T) {
	t.Parallel()
	task := "Build the parser.\n" + strings.Repeat("Every rule has a test.\n", 40) + "Mind the last line."
	for _, installed := range []bool{true, false} {
		t.Run(fmt.Sprint("preCompact installed: ", installed), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, with("summaries", func(v *variant) {
				if installed {
					v.installs = [][]string{{"--pre-compact"}}
				}
			}))
			c := w.chat()
			c.starts(`"` + task + `" --repeat first`)
			c.plays(1)
			w.wantNoPart("the first continuation", c.turn.Message, "Mind the last line.")
			_, ask, _ := strings.Cut(c.turn.Message, "by running: ")
			ask, _, _ = strings.Cut(ask, "\n")
			if printed := strings.TrimSuffix(c.runs(ask), "\n"); printed != task {
				t.Errorf("%s printed %q", ask, printed)
			}
			c.Fire(c.ctx, "preCompact", c.SampleFields("preCompact"))
			c.plays(1)
			if has := strings.Contains(c.turn.Message, "Mind the last line."); has != installed {
				t.Errorf("after the summary: got %s", c.turn.Message)
			}
			c.stops()
		})
	}
	t.Run("file", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, usual())
		c := w.chat()
		c.starts(`"` + task + `" --repeat file`)
		c.plays(1)
		_, name, _ := strings.Cut(c.turn.Message, "remember it exactly: ")
		name, _, _ = strings.Cut(name, "\n")
		path := filepath.Join(w.repo(), name)
		data, err := os.ReadFile(path)
		if err != nil || string(data) != task || strings.Contains(c.turn.Message, "Mind the last line.") {
			t.Fatalf("got %q, %v, in %s", data, err, c.turn.Message)
		}
		w.must(os.Remove(path))
		c.plays(1)
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
		w.write(path, "Say that it works.")
		c.plays(1)
		w.wantPart("the file was changed", c.turn.Message, "Mind the last line.")
		w.wantPart("the file was changed", c.turn.Message, name+" is not used for the task: it no longer has the task; it was left as it is.")
		c.stops()
	})
}
