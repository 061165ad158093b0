//go:build unix

package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/test/short"
	"github.com/cursor-ralph/cursor-ralph/test/simcursor"
	"github.com/cursor-ralph/cursor-ralph/test/sources"
)

// atOnce is how many of the follow-ups a parent asks for at a time.
const atOnce = 20

// followups is how many a parent asks for that takes what it has read when a hook exits.
func followups() int { return short.Times(40, 200) }

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

// lingers has Cursor run the hook as it is released, which stays after its answers.
func (w *world) lingers() {
	w.Helper()
	folder := filepath.Join(w.dir, "released")
	w.must(sources.Released(folder, "cmd/cursor-ralph-hook"))
	hooks := filepath.Join(w.home(), ".cursor", "hooks.json")
	data, err := os.ReadFile(hooks)
	w.must(err)
	entry := regexp.MustCompile(`"command": "[^"]*"`)
	w.write(hooks, entry.ReplaceAllLiteralString(string(data), `"command": "`+folder+`/cursor-ralph-hook"`))
}

func TestFollowupsArriveWhenReadUntilExit(t *testing.T) {
	t.Parallel()
	for _, name := range short.Keys(shells(), 1) {
		start := shells()[name]
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, option(name, func(o *simcursor.Options) { o.ReadUntilExit, o.Start = true, start }))
			w.lingers()
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
	for n := range 50 { // as often as a busy machine keeps our reader from running
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
