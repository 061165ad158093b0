package outer_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/outer"
	"github.com/cursor-ralph/cursor-ralph/platform"
	"github.com/cursor-ralph/cursor-ralph/state"
	"github.com/cursor-ralph/cursor-ralph/test/loopfiles"
)

// id is the loop's id.
const id = "run-1"

// turn is what a fake agent does with a prompt.
type turn func(w *world, ctx context.Context, p outer.Prompt, see func(outer.Seen)) error

// world is a workspace, a store, and a scripted agent.
type world struct {
	*testing.T
	dir     string
	places  platform.Places
	store   *state.Store
	loop    loop.State
	turns   []turn
	verify  []loop.Verification // the results, in order
	reports []outer.Report

	mu      sync.Mutex
	prompts []outer.Prompt
	times   []time.Time
	closed  int
}

// inWorld runs a test in a synctest bubble, whose clock advances when all goroutines wait.
func inWorld(t *testing.T, name string, test func(w *world)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		dir := t.TempDir()
		synctest.Test(t, func(t *testing.T) { test(newWorld(t, dir)) })
	})
}

func newWorld(t *testing.T, dir string) *world {
	w := &world{T: t, dir: filepath.Join(dir, "repo"), loop: loop.New()}
	for _, d := range []string{"repo", "tmp", "state"} {
		w.must(os.Mkdir(filepath.Join(dir, d), 0o700))
	}
	w.places = loopfiles.Places(t, filepath.Join(dir, "tmp"), filepath.Join(dir, "state"))
	w.store = state.New(w.places, time.Now)
	w.loop.Prompt, w.loop.ConversationID, w.loop.Workspace = "build it", id, w.dir
	w.loop.Run = loop.Run{Agent: "fake", Driver: "print"}
	return w
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// Turn makes the world a Driver.
func (w *world) Turn(ctx context.Context, p outer.Prompt, see func(outer.Seen)) error {
	w.mu.Lock()
	n := len(w.prompts)
	w.prompts, w.times = append(w.prompts, p), append(w.times, time.Now())
	w.mu.Unlock()
	if n >= len(w.turns) {
		return fmt.Errorf("turn %d was not expected", n+1)
	}
	return w.turns[n](w, ctx, p, see)
}

func (w *world) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed++
	return nil
}

func (w *world) newRunner() *outer.Runner {
	w.Helper()
	folder, err := outer.Enter(w.Context(), w.dir, w.places.RunLock(id))
	w.must(err)
	return &outer.Runner{Store: w.store, Folder: folder, Driver: w, Verify: w.result,
		Tell: func(r outer.Report) { w.reports = append(w.reports, r) }}
}

// result returns the next result of a verification.
func (w *world) result(context.Context, loop.State) loop.Verification {
	v := w.verify[0]
	w.verify = w.verify[1:]
	return v
}

// start runs the loop with an agent that plays these turns.
func (w *world) start(ctx context.Context, turns ...turn) (loop.State, error) {
	w.Helper()
	w.turns = turns
	r := w.newRunner()
	defer func() { w.must(r.Folder.Leave()) }()
	return r.Start(ctx, w.loop)
}

// resume runs it again, with an agent that plays these turns.
func (w *world) resume(ctx context.Context, turns ...turn) (loop.State, error) {
	w.Helper()
	w.turns = append(w.turns[:len(w.prompts):len(w.prompts)], turns...)
	r := w.newRunner()
	defer func() { w.must(r.Folder.Leave()) }()
	return r.Resume(ctx, id, loop.Event{Continue: loop.Continue{Run: w.loop.Run}})
}

// apply applies an event, as another terminal does.
func (w *world) apply(kind loop.EventKind, text string) {
	w.Helper()
	_, _, err := w.store.Apply(w.Context(), id, loop.Event{Kind: kind, Text: text, Continue: loop.Continue{Idle: kind == loop.EventContinue}})
	w.must(err)
}

// wants checks how a loop ended, and after how many iterations.
func (w *world) wants(l loop.State, status loop.Status, iterations, prompts int) {
	w.Helper()
	if l.Status != status || l.Iterations != iterations || len(w.prompts) != prompts {
		w.Errorf("got %s after %d iterations and %d prompts (%s), want %s after %d and %d", l.Status, l.Iterations, len(w.prompts), l.Reason, status, iterations, prompts)
	}
}

func (w *world) wantsPart(what, text, part string) {
	w.Helper()
	if !strings.Contains(text, part) {
		w.Errorf("%s: got %q, want %q in it", what, text, part)
	}
}

func (w *world) wantsNoPart(what, text, part string) {
	w.Helper()
	if strings.Contains(text, part) {
		w.Errorf("%s: got %q, want no %q in it", what, text, part)
	}
}

// What agents do.

const promise = "<promise>COMPLETE</promise>"

func said(text string) outer.Seen {
	return outer.Seen{Record: loop.Record{Kind: loop.RecordText, Text: text}}
}

func used(tool, call string) outer.Seen {
	return outer.Seen{Record: loop.Record{Kind: loop.RecordTool, Tool: tool, ID: call}}
}

// says is a turn with a tool call and a message at its end.
func says(text string) turn {
	return func(_ *world, _ context.Context, _ outer.Prompt, see func(outer.Seen)) error {
		see(used("Shell", "call-1"))
		see(said(text))
		return nil
	}
}

// idles is a turn with a message only.
func idles(text string) turn {
	return func(_ *world, _ context.Context, _ outer.Prompt, see func(outer.Seen)) error {
		see(said(text))
		return nil
	}
}

func fails(err error) turn {
	return func(*world, context.Context, outer.Prompt, func(outer.Seen)) error { return err }
}

// hangs is a turn that ends only when it is cancelled. It runs meanwhile first.
func hangs(meanwhile func(w *world)) turn {
	return func(w *world, ctx context.Context, _ outer.Prompt, _ func(outer.Seen)) error {
		if meanwhile != nil {
			meanwhile(w)
		}
		<-ctx.Done()
		return ctx.Err()
	}
}

// while is a turn that runs meanwhile first.
func while(meanwhile func(w *world), then turn) turn {
	return func(w *world, ctx context.Context, p outer.Prompt, see func(outer.Seen)) error {
		meanwhile(w)
		return then(w, ctx, p, see)
	}
}

var errBusyService = &outer.TransientError{Err: errors.New("429 too many requests")}
