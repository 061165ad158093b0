//go:build unix

package onevent

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// handing is a world whose user has settings, and whose hook has this program beside it in the place of cursor-ralph.
func handing(t *testing.T, script string) world {
	t.Helper()
	w := newWorld(t).beside(script)
	w.write(filepath.Join(w.dir, "home", ".config", "cursor-ralph", "config.toml"), "[loop]\nmax-iterations = 7\n")
	w.write(w.places.Live(me), with("the task", fields{"conversation_id": me, "status": "running", "iterations": 1, "tool_calls": 1}))
	return w
}

// Whatever goes wrong with the other program, the editor gets {}, and the loop waits for its user.
func TestWhatGoesWrongWhereAnEventIsHandedOver(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, script, why string }{
		{"it is missing", "", "no such file"},
		{"it is another version", "echo 'cursor-ralph: the hook is 2, and this is 1' >&2; exit 1", "the hook is 2, and this is 1"},
		{"no answer", "exit 0", "unexpected end of JSON input"},
		{"it gives no object", "echo '[1]'", "cannot unmarshal"},
		{"it gives two objects", `echo '{"answer":{}}{"answer":{}}'`, "after top-level value"},
		{"its answer is no object", `echo '{"answer":5}'`, "no JSON object"},
		{"it is killed", "kill -9 $$", "killed"},
		{"it hangs", "exec sleep 60", "no answer in 4s"},
		{"it answers and hangs", `echo '{"answer":{}}'; exec sleep 60`, "no answer in 4s"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := handing(t, tt.script)
			w.rests(w.stopEvent(me))
			l := w.live(me)
			if l.Status != loop.Paused || l.PauseReason != pauseOnFailure || !strings.Contains(l.Reason, tt.why) || l.Iterations != 1 {
				t.Errorf("got %s (%s), %q, %d iterations", l.Status, l.PauseReason, l.Reason, l.Iterations)
			}
			w.logged("cursor-ralph could not handle the event")
		})
	}
}

const pauseOnFailure = "error"

// The other program gets the event in one line, with the hook's version and process, over a pipe that stays open.
func TestHowAnEventIsHandedOver(t *testing.T) {
	t.Parallel()
	w := handing(t, `read -r line; printf %s "$line" >"$0.line"; exec 3<&0; { cat <&3; echo over >"$0.over"; } >/dev/null 2>&1 & echo '{"answer": {"followup_message": "go on"}, "linger": 0}'`)
	event := w.stopEvent(me)
	if got := w.followup(strings.ReplaceAll(event, ",", ",\n")); got != "go on" {
		t.Errorf("got %q", got)
	}
	data, err := os.ReadFile(filepath.Join(w.dir, "bin", "cursor-ralph.line"))
	w.must(err)
	var handed struct {
		Version string
		Hook    int
		Input   struct {
			Conversation string `json:"conversation_id"`
		}
	}
	w.must(json.Unmarshal(data, &handed))
	if handed.Version == "" || handed.Hook == 0 || handed.Input.Conversation != me {
		t.Errorf("got %s", data)
	}
	for end := time.Now().Add(2 * time.Minute); !w.exists(filepath.Join(w.dir, "bin", "cursor-ralph.over")); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the program does not see the hook's end")
		}
	}
}

// In a chat without a loop, and at a tool call, nothing is handed over.
func TestWhatIsNotHandedOver(t *testing.T) {
	t.Parallel()
	w := handing(t, `echo ran >"$0.ran"; echo '{"answer":{}}'`)
	w.rests(w.stopEvent("another-chat"))
	w.rests(w.says("another-chat", "words"))
	w.rests(w.uses(me, "call-1"))
	w.rests(w.sends("another-chat", "please fix it"))
	if w.exists(filepath.Join(w.dir, "bin", "cursor-ralph.ran")) {
		t.Error("it was handed over")
	}
	w.hook(w.sends("another-chat", "/ralph-loop fix it"))
	if !w.exists(filepath.Join(w.dir, "bin", "cursor-ralph.ran")) {
		t.Error("a line that starts a loop was not handed over")
	}
}
