//go:build unix

package e2e_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/test/schema"
)

// onEnd is an --on-end that keeps each record, and who ran where with which variables.
const onEnd = `--on-end 'cat >>../records; echo >>../ends; pwd >../where; env >>../env'`

// ending is a way in which a loop ends.
type ending struct {
	name   string
	inRun  bool
	play   func(w *world)
	status string
}

func loopEnds() []ending {
	inChat := func(play func(c *chat)) func(*world) {
		return func(w *world) {
			c := w.chat()
			c.starts(`"make it green" --max-iterations 2 ` + onEnd)
			c.works()
			play(c)
		}
	}
	run := func(script string, play func(w *world, r *outerRun)) func(*world) {
		return func(w *world) {
			r := w.startRun("make it green", "--max-iterations", "2", "--agent-command", w.scriptedAgent("env >>../env\n"+script), "--no-try", "--verify", "env >>../env", "--on-end", onEnd[len("--on-end '"):len(onEnd)-1])
			play(w, r)
			<-r.done
		}
	}
	return []ending{
		{"a promise in a chat", false, inChat(func(c *chat) { c.says(done).concludes() }), "PROMISE_ACCEPTED"},
		{"a limit in a chat", false, inChat(func(c *chat) { c.goesOn(); c.works(); c.says("I'm done."); c.rests() }), "MAX_ITERATIONS_REACHED"},
		{"Stop in a chat", false, inChat(func(c *chat) { c.stops() }), "USER_STOPPED"},
		{"cancel of a chat's loop", false, inChat(func(c *chat) { c.ok(c.repo(), "cancel", c.ID); c.rests() }), "CANCELLED"},
		{"blocked in a chat", false, inChat(func(c *chat) { c.goesOn(); c.runs(c.program() + " blocked 'no key'"); c.rests() }), "BLOCKED"},
		{"another loop in a chat", false, inChat(func(c *chat) {
			c.typesAhead(`/ralph-loop "make it blue" --replace`)
			c.ends()
			c.follows()
			c.works()
			c.says(done).concludes()
		}), "REPLACED"},
		{"a promise in a run", true, run("echo '<promise>COMPLETE</promise>'; echo x >work\n", func(*world, *outerRun) {}), "PROMISE_ACCEPTED"},
		{"a limit in a run", true, run("echo x >work-$n\n", func(*world, *outerRun) {}), "MAX_ITERATIONS_REACHED"},
		{"blocked in a run", true, run("\""+bin+"/cursor-ralph\" blocked 'no key'\n"+stays, func(*world, *outerRun) {}), "BLOCKED"},
		{"cancel of a run", true, run(stays, func(w *world, _ *outerRun) { w.pidIn("agent.pid"); w.ok(w.repo(), "cancel", w.runID()) }), "CANCELLED"},
	}
}

// However a loop ends, its command runs once and gets the record.
func TestTheCommandOfOnEnd(t *testing.T) {
	t.Parallel()
	for _, tt := range loopEnds() {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, usual())
			tt.play(w)
			record := w.onlyRecord()
			schema.Check(t, "report", record)
			var got struct {
				Loop struct {
					ID, Status, Prompt string
				}
				Iterations []json.RawMessage
			}
			w.must(json.Unmarshal([]byte(record), &got))
			if got.Loop.Status != tt.status || got.Loop.Prompt != "make it green" {
				t.Errorf("got %s of %q, want %s", got.Loop.Status, got.Loop.Prompt, tt.status)
			}
			where, err := os.ReadFile(filepath.Join(w.repo(), "..", "where"))
			w.must(err)
			if strings.TrimSpace(string(where)) != w.repo() {
				t.Errorf("it ran in %s, want %s", where, w.repo())
			}
			env, err := os.ReadFile(filepath.Join(w.repo(), "..", "env"))
			w.must(err)
			w.wantPart("the variables", string(env), "CURSOR_RALPH_DIR=")
			w.wantPart("the log", w.log(), "loop="+got.Loop.ID+" event=on-end action=on-end why=\"exit 0 after ")
		})
	}
}

// onlyRecord waits for the end of the command, and then for all other processes that have seen the loop's end.
func (w *world) onlyRecord() string {
	w.Helper()
	w.until("the command's end is logged", func() bool { return strings.Contains(w.log(), "event=on-end") })
	data, err := os.ReadFile(filepath.Join(w.repo(), "..", "records"))
	w.must(err)
	var got struct {
		Loop struct {
			ID           string
			Conversation string `json:"conversation_id"`
		}
	}
	w.must(json.Unmarshal(data, &got))
	w.ok(w.repo(), "on-end", "--", got.Loop.Conversation, got.Loop.ID) // what another hook that saw the end would do
	w.wantLines(filepath.Join(w.repo(), "..", "ends"), 1)
	return string(data)
}
