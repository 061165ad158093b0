//go:build unix

package e2e_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/simcursor"
	"github.com/cursor-ralph/cursor-ralph/test/short"
)

// atOnce is how many of the follow-ups a parent asks for at a time.
const atOnce = 20

// followups is how many a parent asks for that takes what it has read when a hook exits.
func followups() int { return short.Times(40, 1000) }

// loops puts loops of one iteration into /tmp, each for one stop, and returns
// their conversations.
func (w *world) loops(n int) (ids []string) {
	w.Helper()
	for i := range n {
		id := fmt.Sprintf("until-exit-%04d", i)
		ids = append(ids, id)
		w.write(w.live(id), `{"prompt": "make it green", "max_iterations": 20, "completion_promise": "COMPLETE",
 "iterations": 0, "session_iterations": 0, "stop": false, "last_output": ""}`)
	}
	return ids
}

// shells are the ways to run a hook's command. Most shells replace themselves by
// a program that is all they have to run; others stay until it has ended.
func shells() map[string]simcursor.Start {
	return map[string]simcursor.Start{"directly": simcursor.Direct, "sh": simcursor.PlainShell, "login shell": simcursor.LoginShell}
}

func TestFollowupsArriveWhenReadUntilExit(t *testing.T) {
	t.Parallel()
	for _, name := range short.Keys(shells(), 1) {
		start := shells()[name]
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, option(name, func(o *simcursor.Options) { o.ReadUntilExit, o.Start = true, start }))
			n := followups()
			ids := make(chan string, n)
			for _, id := range w.loops(n) {
				ids <- id
			}
			close(ids)
			losses := make(chan string, n)
			w.cursor(w.repo()) // one for all
			var all sync.WaitGroup
			for range atOnce {
				all.Go(func() {
					for id := range ids {
						if why := w.loses(id); why != "" {
							losses <- why
						}
					}
				})
			}
			all.Wait()
			w.clear() // of what would be shown a thousand times
			if lost := len(losses); lost > 0 {
				t.Errorf("%d of %d follow-ups were lost; the first: %s", lost, n, <-losses)
			}
		})
	}
}

// stayed is how long a hook must have been there after it decided, so that what
// is lost of its answer was lost by our reader when it was kept from running
// on a busy machine: twice as long as the simulated event loop is ever busy.
const stayed = 80 * time.Millisecond

// loses says how a loop's follow-up was lost; empty if it was read. If it was
// not read although the hook stayed, there is another stop.
func (w *world) loses(id string) (why string) {
	ch := w.cursor(w.repo()).ChatWithID(id, nil)
	fields := ch.SampleFields("stop")
	for n := range 5 {
		fields["loop_count"] = n
		run := ch.Fire(w.ctx, "stop", fields)[0]
		if text, _ := run.Answer["followup_message"].(string); text != "" {
			return ""
		}
		if there := run.Exited.Sub(w.decidedAt(id, run.Exited)); there < stayed {
			return fmt.Sprintf("chat %s: exit %d, read %q, %d bytes missed; it exited %v after its decision", id, run.Exit, run.Stdout, len(run.Missed), there)
		}
	}
	return "chat " + id + ": time and again"
}

// decidedAt is when a hook logged its last decision, just before it answered.
func (w *world) decidedAt(id string, otherwise time.Time) (at time.Time) {
	at = otherwise
	for line := range strings.Lines(w.log()) {
		if !strings.Contains(line, "conversation="+id+" ") || !strings.Contains(line, "action=followup") {
			continue
		}
		stamp, _, _ := strings.Cut(line, " ")
		if logged, err := time.Parse(time.RFC3339, stamp); err == nil {
			at = logged
		}
	}
	return at
}

// The same under Node, whose event loop is Cursor's.
func TestFollowupsArriveUnderNode(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("needs node") // the simulated Cursor stands for it above
	}
	t.Parallel()
	shells := map[string][]string{"directly": {"/bin/sh", "-c", "exec %s"}, "sh": {"/bin/sh", "-c", "%s"}, "staying sh": {"/bin/sh", "-c", "%s; exit $?"}}
	for _, name := range short.Keys(shells, 1) {
		shell := shells[name]
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, usual())
			got := w.underNode(node, shell, w.loops(followups()))
			w.clear()
			if got.Lost > 0 || got.Runs != followups() {
				t.Errorf("%d of %d follow-ups were lost; the first: %s", got.Lost, got.Runs, got.First)
			}
		})
	}
}

type nodeReport struct {
	Runs, Lost, Again int
	First             string
}

// underNode runs the installed stop hook for each of the conversations.
func (w *world) underNode(node string, shell, ids []string) (report nodeReport) {
	w.Helper()
	env := map[string]string{"CURSOR_VERSION": "3.6.21", "CURSOR_PROJECT_DIR": w.repo()}
	for _, pair := range w.env() {
		name, value, _ := strings.Cut(pair, "=")
		env[name] = value
	}
	args := append([]string(nil), shell...)
	args[2] = fmt.Sprintf(shell[2], w.stopCommand())
	var inputs []map[string]any
	for _, id := range ids {
		inputs = append(inputs, map[string]any{
			"conversation_id": id, "generation_id": id, "hook_event_name": "stop", "cursor_version": "3.6.21",
			"workspace_roots": []string{w.repo()}, "status": "completed", "loop_count": 0,
		})
	}
	job := filepath.Join(w.dir, "job.json")
	w.write(job, encode(map[string]any{"args": args, "env": env, "cwd": w.repo(), "inputs": inputs, "atOnce": atOnce, "busy": 40}))
	cmd := exec.CommandContext(w.ctx, node, "testdata/until-exit.js", job)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	w.must(err)
	w.must(json.Unmarshal(out, &report))
	return report
}

// stopCommand is what the installer wrote into hooks.json, flags and all.
func (w *world) stopCommand() string {
	w.Helper()
	data, err := os.ReadFile(filepath.Join(w.home(), ".cursor", "hooks.json"))
	w.must(err)
	var file struct {
		Hooks map[string][]struct{ Command string }
	}
	w.must(json.Unmarshal(data, &file))
	return file.Hooks["stop"][0].Command
}
