package state_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/platform"
	"github.com/cursor-ralph/cursor-ralph/state"
	"github.com/cursor-ralph/cursor-ralph/test/short"
)

// TestMain lets the test binary be one of the processes that share a loop.
func TestMain(m *testing.M) {
	if dir := os.Getenv("STATE_TEST_SHARED"); dir != "" {
		if err := share(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

const turns = 15

func sharers() int { return short.Times(3, 8) }

// share plays some turns of a loop that others play with, each with one tool
// call.
func share(dir string) error {
	vars := map[string]string{"CURSOR_RALPH_DIR": filepath.Join(dir, "tmp"), "CURSOR_RALPH_STATE_DIR": filepath.Join(dir, "archive")}
	p, err := platform.Find(func(name string) string { return vars[name] })
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return play(ctx, state.New(p, time.Now), strconv.Itoa(os.Getpid()))
}

func play(ctx context.Context, s *state.Store, who string) error {
	for turn := range turns {
		name := fmt.Sprint(who, "-", turn)
		if err := s.AddToJournal(me, loop.Record{Kind: loop.RecordTool, Tool: "Write", Event: name}); err != nil {
			return err
		}
		e := loop.Event{Kind: loop.EventStop, Generation: name, Stop: loop.Stop{Status: loop.Completed, Waited: true}}
		e.Tree = loop.Tree{Root: "/w", Print: name} // of a change: turns without a call of their own would pause it
		if _, _, err := s.Apply(ctx, me, e); err != nil {
			return err
		}
		if _, _, err := s.Apply(ctx, me, loop.Event{Kind: loop.EventContext, Text: name}); err != nil {
			return err
		}
	}
	return nil
}

func (w world) shared() {
	w.Helper()
	w.live(me, with("a", map[string]any{"max_iterations": 10000}))
}

func (w world) addsUp(sharers int) {
	w.Helper()
	l := w.read(me)
	if want := sharers * turns; l.Iterations != want || l.ToolCalls != want {
		w.Errorf("got %d iterations and %d tool calls, want %d of both", l.Iterations, l.ToolCalls, want)
	}
	delivered := len(l.Context)
	for _, h := range l.History {
		delivered += len(h.Context)
	}
	if kept := 50; len(l.History) < kept && delivered != sharers*turns {
		w.Errorf("got %d pieces of context, want %d", delivered, sharers*turns)
	}
	w.once("a")
}

func TestProcessesLoseNoChange(t *testing.T) {
	w := newWorld(t)
	w.shared()
	var group sync.WaitGroup
	for range sharers() {
		group.Go(func() {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), "STATE_TEST_SHARED="+filepath.Dir(w.places.Base))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	group.Wait()
	w.addsUp(sharers())
}
