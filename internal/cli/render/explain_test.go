package render

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/hooklog"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

func TestExplain(t *testing.T) {
	for _, c := range []struct {
		name string
		line hooklog.Line
		want string
	}{
		{"no promise", hooklog.Line{Event: "stop", Iteration: 3, Max: 20, Promise: "none", Action: "followup", Why: "no promise"},
			"iteration 3: no promise; continued"},
		{"a failing verification", hooklog.Line{Event: "stop", Iteration: 7, Max: 20, Promise: "refused: `go test ./...` failed with exit 1", Action: "followup", Why: "promise refused"},
			"iteration 7: promise found, refused because `go test ./...` failed with exit 1; continued"},
		{"a verification that took too long", hooklog.Line{Iteration: 7, Max: 20, Promise: "refused: the verification `make` did not succeed: it did not end within 10m0s and was killed", Action: "followup", Why: "promise refused"},
			"iteration 7: promise found, refused because the verification `make` did not succeed: it did not end within 10m0s and was killed; continued"},
		{"accepted", hooklog.Line{Iteration: 2, Max: 5, Promise: "accepted", Action: "PROMISE_ACCEPTED", Why: "promise accepted"},
			"iteration 2: promise found and accepted; the loop has ended"},
		{"accepted with a warning", hooklog.Line{Iteration: 2, Max: 5, Promise: "accepted with a warning: no tools", Action: "PROMISE_ACCEPTED", Why: "promise accepted"},
			"iteration 2: promise found and accepted with a warning: no tools; the loop has ended"},
		{"accepted in a late text", hooklog.Line{Event: "afterAgentResponse", Iteration: 2, Max: 2, Promise: "accepted", Action: "PROMISE_ACCEPTED", Reason: loop.ReasonLatePromise, Why: "promise accepted in a late text"},
			"iteration 2: the agent's words came after the end: promise found and accepted; so the task counts as done"},
		{"the limit", hooklog.Line{Event: "stop", Iteration: 3, Max: 3, Promise: "none", Action: "MAX_ITERATIONS_REACHED", Why: "the limit of 3 iterations is reached"},
			"iteration 3: no promise; the loop has ended: the limit of 3 iterations is reached"},
		{"a late text at the limit", hooklog.Line{Event: "afterAgentResponse", Iteration: 3, Max: 3, Promise: "none", Action: "MAX_ITERATIONS_REACHED", Reason: loop.ReasonLateText, Why: "late text without a promise"},
			"iteration 3: the agent's words came after the end: no promise; nothing changes"},
		{"a late promise", hooklog.Line{Event: "afterAgentResponse", Iteration: 3, Max: 3, Action: "MAX_DURATION_REACHED", Reason: loop.ReasonLateVerifying, Why: "the promise of a late text is being verified"},
			"iteration 3: the agent's words came after the end, and their promise is being verified"},
		{"stopped", hooklog.Line{Event: "stop", Iteration: 1, Max: 20, Action: "USER_STOPPED", Why: "stopped by the user"},
			"iteration 1: the loop has ended: stopped by the user"},
		{"the session limit, typed", hooklog.Line{Iteration: 5, Max: 20, Promise: "none", Action: "inject", Reason: loop.ReasonSessionLimit, Why: "no promise; session limit reached"},
			"iteration 5: no promise; Cursor's session limit is reached, so the continue line is typed into the chat"},
		{"a failed turn that is tried again", hooklog.Line{Iteration: 5, Max: 20, Action: "inject", Why: "the turn failed: Cursor reported error; it is tried again after 30s (1 of 4)"},
			"iteration 5: the continue line is typed into the chat: the turn failed: Cursor reported error; it is tried again after 30s (1 of 4)"},
		{"by hand", hooklog.Line{Iteration: 5, Max: 20, Promise: "none", Action: "hand-over", Why: "no promise; session limit reached"},
			"iteration 5: no promise; Cursor's session limit is reached, so the agent asks the user to type the continue line"},
		{"a pause", hooklog.Line{Event: "stop", Iteration: 5, Max: 20, Action: "rest", Why: "the loop is paused (user)"},
			"iteration 5: nothing was answered: the loop is paused (user)"},
		{"the breaker", hooklog.Line{Event: "stop", Iteration: 5, Max: 20, Promise: "none", Action: "rest", Why: "STRUGGLING: 3 iterations in a row have changed nothing"},
			"iteration 5: no promise; nothing was answered: STRUGGLING: 3 iterations in a row have changed nothing"},
		{"a control", hooklog.Line{Event: "beforeSubmitPrompt", Iteration: 5, Max: 20, Action: "rest"},
			"iteration 5: a command that the user typed in the chat was obeyed"},
		{"a message after a cancel", hooklog.Line{Event: "beforeSubmitPrompt", Action: "rest", Why: "the first message after a cancel starts no loop"},
			"a message of the user changed nothing: the first message after a cancel starts no loop"},
		{"a claim", hooklog.Line{Event: "stop", Max: 20, Action: "claimed"}, "before the first iteration: the loop that was asked for begins in this chat"},
		{"a verification that passes", hooklog.Line{Iteration: 2, Max: 20, Action: "verified", Reason: loop.ReasonPassed, Why: "exit 0 after 1.2 s"}, "iteration 2: the verification passed: exit 0 after 1.2 s"},
		{"a verification that fails", hooklog.Line{Iteration: 2, Max: 20, Action: "verified", Reason: loop.ReasonFailed, Why: "exit 12 after 1.2 s"}, "iteration 2: the verification failed: exit 12 after 1.2 s"},
		{"a verification that is killed", hooklog.Line{Action: "verified", Why: "it was killed"}, "the verification ended: it was killed"},
		{"denied", hooklog.Line{Iteration: 2, Max: 20, Action: "denied", Why: "Shell"}, "iteration 2: the plan guard denied the agent the tool Shell"},
		{"moved", hooklog.Line{Iteration: 2, Max: 20, Action: "moved", Why: "from c-1"}, "iteration 2: the loop came to this chat from c-1"},
		{"an older line about no limit", hooklog.Line{Action: "session-limit-seen", Why: "0 (0 is none), of Cursor 3"}, "0 (0 is none), of Cursor 3"},
		{"a limit", hooklog.Line{Action: "session-limit-seen", Why: "Cursor 3 seems to stop after 5 follow-ups"}, "Cursor 3 seems to stop after 5 follow-ups"},
		{"an older line about a typed line", hooklog.Line{Event: "inject", Action: "injected", Why: "xtest in 812 ms: arrived"}, "how typing the continue line went: xtest in 812 ms: arrived"},
		{"an older line about the session limit", hooklog.Line{Promise: "none", Action: "inject", Why: "no promise; session limit reached"}, "no promise; the continue line is typed into the chat: no promise; session limit reached"},
		{"an older line about a late promise", hooklog.Line{Promise: "accepted", Action: "PROMISE_ACCEPTED", Why: "promise accepted in a late text"}, "promise found and accepted; the loop has ended"},
		{"typed", hooklog.Line{Event: "inject", Action: "injected", Reason: loop.ReasonPassed, Why: "xtest in 812 ms: arrived"}, "the continue line was typed, and arrived: xtest in 812 ms: arrived"},
		{"not typed", hooklog.Line{Event: "inject", Action: "injected", Reason: loop.ReasonFailed, Why: "xtest in 812 ms: paused by the user"}, "the continue line did not arrive: xtest in 812 ms: paused by the user"},
		{"an action of a newer version", hooklog.Line{Iteration: 2, Max: 20, Action: "danced", Why: "for joy"}, "iteration 2: something this version does not know: danced: for joy"},
		{"no action", hooklog.Line{}, "a line that cannot be read"},
		{"a reason that looks like ours", hooklog.Line{Promise: "none", Action: "error", Why: "{promise}\n{why}\x1b[2J"}, `something went wrong: {promise} {why}\u001b[2J`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := explain(c.line); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestRetold(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.Local)
	lines := func(ids ...string) (text []string) {
		for i, id := range ids {
			l := hooklog.Line{At: at.Add(time.Duration(i) * 10 * time.Hour), Conversation: id, Action: "bound"}
			text = append(text, l.String()+"\n")
		}
		return text
	}
	const bound = "a loop that the agent asked for was bound to this chat\n"
	for _, c := range []struct {
		name    string
		lines   []string
		several bool
		want    string
	}{
		{"one chat", lines("c", "c"), false, "2026-03-01\n12:00:00  " + bound + "22:00:00  " + bound},
		{"another day", lines("c", "c", "c"), false, "2026-03-01\n12:00:00  " + bound + "22:00:00  " + bound + "2026-03-02\n08:00:00  " + bound},
		{"several chats", lines("11111111-aaaa", "2"), true, "2026-03-01\n12:00:00  11111111  " + bound + "22:00:00  2         " + bound},
		{"ids that begin alike", lines("11111111-aaaa", "11111111-aabb"), true, "2026-03-01\n12:00:00  11111111-aaa  " + bound + "22:00:00  11111111-aab  " + bound},
		{"what is no line", []string{"hello\n"}, false, "--:--:--  a line that cannot be read: hello\n"},
		{"a forged conversation", lines("c\n12:00:00 x"), true, "2026-03-01\n12:00:00  c 12:00:  " + bound},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := retold(c.lines, c.several); got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
		})
	}
}

// TestEveryActionHasASentence looks for what the programs write to the log.
func TestEveryActionHasASentence(t *testing.T) {
	found, unseen := loggedActions(t, "loop", "cmd/cursor-ralph", "cmd/cursor-ralph-hook", "internal/cli", "internal/cli/notify", "internal/cli/run")
	for _, must := range []string{"claimed", "rest", "hand-over", "BLOCKED", "injected", "loop-mode"} { // of each kind one
		if !slices.Contains(found, must) {
			t.Errorf("got the actions %q, want %q too: this test looks at the wrong places", found, must)
		}
	}
	for _, action := range found {
		if !slices.ContainsFunc(retellings, func(r retelling) bool { return r.action == action }) {
			t.Errorf("got no sentence for %q", action)
		}
	}
	if len(unseen) > 0 {
		t.Errorf("got actions that this test cannot see: %q; write them as text, or name the variable action", unseen)
	}
}

// written finds what a source puts into a line of the log: the action of a line, a
// variable or an argument for it, a kind of action, and a status that ends a loop.
var written = regexp.MustCompile(`\bAction:\s*([^,}\n]+)|\baction :?= ("[^"]+")|\.(?:log\w*|ask|observed)\([^"\n]+, ("[a-z-]+")|\bActionKind\s+= ("[^"]+")|\bStatus\s+= ("[A-Z_]+")`)

// loggedActions returns the actions in the sources of the folders, and the expressions
// whose value it cannot see.
func loggedActions(t *testing.T, dirs ...string) (found, unseen []string) {
	t.Helper()
	for _, dir := range dirs {
		paths, err := filepath.Glob(filepath.Join("../../..", dir, "*.go"))
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: got no files: %v", dir, err)
		}
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			source, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range written.FindAllStringSubmatch(string(source), -1) {
				value := strings.Join(m[1:], "")
				if action, err := strconv.Unquote(value); err == nil {
					found = append(found, action)
				} else if !strings.HasPrefix(value, "string(") && value != "action" { // of a kind or a status; or seen where it is made
					unseen = append(unseen, path+": "+value)
				}
			}
		}
	}
	return found, unseen
}
