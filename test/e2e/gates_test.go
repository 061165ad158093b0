//go:build unix

package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// gateTurn is a turn in which the agent runs a command and gives its promise, and a part
// of the continuation that follows; empty if the promise is accepted.
type gateTurn struct{ does, refused string }

// gateRound is a loop with gates, in the editor and in a run.
type gateRound struct {
	list    string // TODO.md
	options string
	turns   []gateTurn
	ran     int // how often the verification ran
}

const (
	verifies  = ` --verify "echo ran >>../ran; test -e good"`
	checksOff = "printf -- '- [x] write\\n- [x] ship\\n' >TODO.md"
)

func gateRounds() map[string]gateRound {
	const list = "- [ ] write\n- [ ] ship\n"
	return map[string]gateRound{
		"rules, tasks, verification": {list, "--tasks TODO.md --min-iterations 2" + verifies, []gateTurn{
			{"true", refused + "this is iteration 1 and the loop runs for at least 2"},
			{"true", refused + "2 of 2 tasks in TODO.md are open, the next one is: write."},
			{"printf -- '- [x] write\\n- [ ] ship\\n' >TODO.md", refused + "1 of 2 tasks in TODO.md is open, the next one is: ship."},
			{checksOff, refused + "`echo ran >>../ran; test -e good` failed with exit 1"},
			{"touch good", ""},
		}, 2},
		"a list that shrinks and disappears": {list, "--tasks TODO.md", []gateTurn{
			{"printf -- '- [x] write\\n' >TODO.md", refused + "TODO.md had 2 tasks when the loop began and has 1 now: put back what is missing."},
			{"rm TODO.md", refused + "the task list TODO.md cannot be used: it does not exist."},
			{"printf -- '# Nothing\\n' >TODO.md", refused + "the task list TODO.md cannot be used: it has no task"},
			{"printf -- '- [x] write (in a1b2)\\n- [x] deliver\\n- [ ] more\\n- [ ] (optional) extra\\n' >TODO.md", refused + "1 of 3 tasks in TODO.md is open, the next one is: more."},
			{"sed -i.bak 's/\\[ \\] more/[x] more/' TODO.md", ""},
		}, 0},
		"JSON": {"", "--tasks prd.json", []gateTurn{
			{"true", refused + "1 of 2 tasks in prd.json is open, the next one is: US-2: Ship it."},
			{`sed -i.bak 's/"passes": false/"passes": maybe/' prd.json`, refused + "the task list prd.json cannot be used: it is not a JSON task list"},
			{`sed -i.bak 's/"passes": maybe/"passes": true/' prd.json`, ""},
		}, 0},
	}
}

const stories = `{"userStories": [{"id": "US-1", "title": "Write it", "passes": true}, {"id": "US-2", "title": "Ship it", "passes": false}]}`

func (w *world) gated(g gateRound) {
	w.Helper()
	w.write(filepath.Join(w.repo(), "prd.json"), stories)
	if g.list != "" {
		w.write(filepath.Join(w.repo(), "TODO.md"), g.list)
	}
}

func (w *world) wantRan(g gateRound) {
	w.Helper()
	if g.ran > 0 {
		w.wantLines(filepath.Join(w.repo(), "..", "ran"), g.ran)
	}
}

// The first gate that refuses ends the round, and its words are what the agent reads.
func TestGates(t *testing.T) {
	t.Parallel()
	for name, g := range gateRounds() {
		t.Run(name+", in the editor", func(t *testing.T) {
			once(t, func(w *world) {
				w.gated(g)
				c := w.chat()
				c.starts(`"make it green" ` + g.options)
				for n, turn := range g.turns {
					c.works()
					c.runs(turn.does)
					if c.says(done); turn.refused == "" {
						c.rests()
						w.wantStatus(c.ID, "PROMISE_ACCEPTED", n+1)
						continue
					}
					w.wantPart("continuation", c.goesOn(), turn.refused)
				}
				w.wantRan(g)
			})
		})
		t.Run(name+", in a run", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, variant{})
			w.gated(g)
			script := "case $n in\n"
			for n, turn := range g.turns {
				script += fmt.Sprintf("%d) %s;;\n", n+1, turn.does)
			}
			agent := w.scriptedAgent(script + "esac\necho x >>work\necho '" + done + "'\n")
			w.must(os.WriteFile(filepath.Join(w.dir, "start"), []byte(`"$1" run "make it green" --no-try --agent-command "$2" `+g.options), 0o600))
			r := w.startShell(filepath.Join(w.dir, "start"), filepath.Join(bin, "cursor-ralph"), agent)
			r.ends(0)
			for n, turn := range g.turns {
				if turn.refused != "" {
					data, err := os.ReadFile(filepath.Join(w.repo(), fmt.Sprintf("prompt-%d", n+2)))
					w.must(err)
					w.wantPart("continuation", string(data), turn.refused)
				}
			}
			w.wantPart("the end", r.output(), fmt.Sprintf("PROMISE_ACCEPTED after %d of 20 iterations", len(g.turns)))
			w.wantRan(g)
		})
	}
}

// What ends a loop or its run ends a gate round, and leaves nothing running.
func TestWhatEndsAGateRoundOfARun(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		end    func(*outerRun, string)
		status string
	}{
		"cancel": {func(r *outerRun, id string) { r.ok(r.repo(), "cancel", id) }, "CANCELLED"},
		"pause":  {func(r *outerRun, id string) { r.ok(r.repo(), "pause", id) }, "paused"},
		"Ctrl-C": {func(r *outerRun, _ string) { r.must(r.cmd.Process.Signal(os.Interrupt)) }, "paused"},
		"a kill": {func(r *outerRun, _ string) { r.must(r.cmd.Process.Kill()) }, "interrupted"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, variant{})
			w.write(filepath.Join(w.repo(), "TODO.md"), "- [x] write\n")
			agent := w.scriptedAgent("echo x >work\necho '" + done + "'\n")
			r := w.startRun("make it green", "--agent-command", agent, "--tasks", "TODO.md", "--no-try", "--verify", "echo $$ >pid; sleep 600")
			pid := w.pidIn("pid")
			verifier := w.parent(pid)
			id := w.runID()
			tt.end(r, id)
			w.wantsGone(pid, verifier)
			w.until("the loop is "+tt.status, func() bool { return w.status(id).Status == tt.status })
			if tt.status == "paused" {
				w.ok(w.repo(), "cancel", id)
			}
		})
	}
}
