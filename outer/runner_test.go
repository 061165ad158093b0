package outer_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/outer"
	"github.com/cursor-ralph/cursor-ralph/test/short"
)

func TestTurns(t *testing.T) {
	failed := loop.Verification{Exit: 1, Output: "1 test failed"}
	passed := loop.Verification{Passed: true}
	for _, test := range []struct {
		name       string
		set        func(l *loop.State)
		verify     []loop.Verification
		turns      []turn
		status     loop.Status
		iterations int
		prompts    []string // a part of each that follows the first
		reason     string
	}{
		{name: "a promise ends the loop",
			turns: []turn{says("done " + promise)}, status: loop.PromiseAccepted, iterations: 1},
		{name: "without one the agent is brought back",
			turns:  []turn{says("half"), says("more"), says(promise)},
			status: loop.PromiseAccepted, iterations: 3, prompts: []string{"you gave no completion promise", "[Ralph loop 3/20]"}},
		{name: "a promise without work is refused",
			turns:  []turn{idles(promise), says(promise)},
			status: loop.PromiseAccepted, iterations: 2, prompts: []string{"0 of the 1 tool calls"}},
		{name: "a verification fails and then passes",
			set: func(l *loop.State) { l.Verify = "make test" }, verify: []loop.Verification{failed, passed},
			turns: []turn{says(promise), says(promise)}, status: loop.PromiseAccepted, iterations: 2, prompts: []string{"1 test failed"}},
		{name: "the limit ends it with a summary",
			set:   func(l *loop.State) { l.MaxIterations = 2 },
			turns: []turn{says("half"), says("more")}, status: loop.MaxIterations, iterations: 2, prompts: []string{"2/2"}, reason: "the promise was never given"},
		{name: "an agent whose tools are not seen is believed",
			set:   func(l *loop.State) { l.Run.NoTools = true },
			turns: []turn{idles(promise)}, status: loop.PromiseAccepted, iterations: 1, reason: "not seen"},
		{name: "a failed turn pauses and ends the run",
			turns: []turn{says("half"), fails(errors.New("exit status 7"))}, status: loop.Paused, iterations: 1, prompts: []string{""}, reason: "exit status 7"},
		{name: "a failed turn is tried again where the user wants that",
			set:    func(l *loop.State) { l.OnError = "retry" },
			turns:  []turn{fails(errors.New("exit status 7")), says(promise)},
			status: loop.PromiseAccepted, iterations: 1, prompts: []string{"Your last turn failed"}},
		{name: "a turn that the agent cancelled pauses",
			turns: []turn{fails(context.Canceled)}, status: loop.Paused, reason: "cancelled"},
		{name: "an agent that gives up is left alone",
			turns: []turn{while(func(w *world) { w.apply(loop.EventBlocked, "no key") }, idles("I gave up"))}, status: loop.Blocked, reason: "no key"},
		{name: "the stuck agent pauses the loop, and the run ends",
			set:   func(l *loop.State) { l.StrugglePause = 2 },
			turns: []turn{says("hm"), says("hm")}, status: loop.Paused, iterations: 2, prompts: []string{"2/20"}, reason: "STRUGGLING"},
	} {
		inWorld(t, test.name, func(w *world) {
			if test.set != nil {
				test.set(&w.loop)
			}
			w.verify = test.verify
			l, err := w.start(w.Context(), test.turns...)
			if err != nil {
				t.Error(err)
			}
			w.wants(l, test.status, test.iterations, len(test.turns))
			w.wantsPart("the reason", l.Reason, test.reason)
			for i, part := range test.prompts[:min(len(test.prompts), len(w.prompts)-1)] {
				w.wantsPart("a prompt", w.prompts[i+1].Text, part)
			}
		})
	}
}

func TestTheTaskIsTheSameInEveryPrompt(t *testing.T) {
	inWorld(t, "quotes and all", func(w *world) {
		w.loop.Prompt = "say \"it's\" $HOME `ls`\n\tand `more`  \n"
		_, err := w.start(w.Context(), says("half"), says(promise))
		w.must(err)
		for _, p := range w.prompts {
			w.wantsPart("the prompt", p.Text, w.loop.Prompt)
		}
		w.wantsPart("the folder", w.file("prompt.md"), w.loop.Prompt)
	})
}

func TestATurnIsGivenAgain(t *testing.T) {
	minutes := func(n ...float64) (list []time.Duration) {
		for _, m := range n {
			list = append(list, time.Duration(m*float64(time.Minute)))
		}
		return list
	}
	long := &outer.TransientError{Err: errors.New("quota"), After: 20 * time.Minute}
	for _, test := range []struct {
		name   string
		turns  []turn
		status loop.Status
		gaps   []time.Duration
	}{
		{"after a while", []turn{fails(errBusyService), says(promise)}, loop.PromiseAccepted, minutes(0.5)},
		{"after longer and longer", slices.Concat(slices.Repeat([]turn{fails(errBusyService)}, 6), []turn{says(promise)}), loop.PromiseAccepted, minutes(0.5, 1, 2, 4, 8, 8)},
		{"when the agent says", []turn{fails(long), says(promise)}, loop.PromiseAccepted, minutes(20)},
		{"not for ever", slices.Repeat([]turn{fails(errBusyService)}, 9), loop.Paused, minutes(0.5, 1, 2, 4, 8, 8, 8, 8)},
		{"anew after one that went well", []turn{fails(errBusyService), fails(errBusyService), says("half"), fails(errBusyService), says(promise)}, loop.PromiseAccepted, minutes(0.5, 1, 0, 0.5)},
	} {
		inWorld(t, test.name, func(w *world) {
			l, err := w.start(w.Context(), test.turns...)
			w.must(err)
			iterations := map[bool]int{true: 1}[test.status == loop.PromiseAccepted]
			if test.name == "anew after one that went well" {
				iterations = 2
			}
			w.wants(l, test.status, iterations, len(test.turns))
			var gaps []time.Duration
			for i := 1; i < len(w.times); i++ {
				gaps = append(gaps, w.times[i].Sub(w.times[i-1]).Round(time.Second))
			}
			if !slices.Equal(gaps, test.gaps) {
				t.Errorf("got waits %v, want %v", gaps, test.gaps)
			}
			if test.name == "after a while" && w.prompts[0].Text != w.prompts[1].Text {
				t.Errorf("got another prompt %q, want the same as %q", w.prompts[1].Text, w.prompts[0].Text)
			}
		})
	}
}

func TestTheTimeLimit(t *testing.T) {
	inWorld(t, "cuts off a turn that hangs", func(w *world) {
		w.loop.MaxDuration = loop.Duration(time.Minute)
		l, err := w.start(w.Context(), says("half"), hangs(nil))
		w.must(err)
		w.wants(l, loop.MaxDuration, 2, 2)
		if took := l.EndedAt.Sub(l.StartedAt); took > 2*time.Minute {
			t.Errorf("got an end after %s, want one after a minute", took)
		}
	})
	inWorld(t, "is not slept through", func(w *world) {
		w.loop.MaxDuration = loop.Duration(time.Minute)
		hours := &outer.TransientError{Err: errors.New("quota"), After: 3 * time.Hour}
		l, err := w.start(w.Context(), says("half"), fails(hours))
		w.must(err)
		w.wants(l, loop.MaxDuration, 1, 2)
	})
}

func TestAnAgentThatCannotStart(t *testing.T) {
	start := &outer.StartError{Agent: "fake", Err: errors.New("not found"), Hint: "install it"}
	inWorld(t, "leaves nothing behind at the first turn", func(w *world) {
		l, err := w.start(w.Context(), fails(start))
		if !errors.Is(err, start) {
			t.Errorf("got %v, want the start error", err)
		}
		w.wants(l, "", 0, 1)
		if has, _ := w.store.Has(id); has || w.store.HasRecord(id) {
			t.Error("the loop is still there")
		}
		if _, err := os.Lstat(w.in("")); err == nil {
			t.Error("the folder is still there")
		}
		if len(w.reports) > 0 {
			t.Errorf("got %+v, want no report of a turn", w.reports)
		}
	})
	inWorld(t, "leaves the folder of an earlier run as it was", func(w *world) {
		_, err := w.start(w.Context(), says(promise))
		w.must(err)
		before := w.file("state.json")
		w.loop.ConversationID, w.loop.Prompt, w.prompts = "run-2", "another", nil
		if _, err = w.start(w.Context(), fails(start)); !errors.Is(err, start) {
			t.Errorf("got %v, want the start error", err)
		}
		if w.file("state.json") != before || w.file("prompt.md") != "build it" {
			t.Errorf("got %s, want the files of the run before", w.file("state.json"))
		}
	})
	inWorld(t, "after it was there leaves the loop paused", func(w *world) {
		l, err := w.start(w.Context(), func(_ *world, _ context.Context, _ outer.Prompt, see func(outer.Seen)) error {
			see(outer.Seen{Started: true})
			return start // as where it wants a login first
		})
		if !errors.Is(err, start) {
			t.Errorf("got %v, want the start error", err)
		}
		w.wants(l, loop.Paused, 0, 1)
	})
	inWorld(t, "later leaves the loop paused", func(w *world) {
		l, err := w.start(w.Context(), says("half"), fails(start))
		if !errors.Is(err, start) {
			t.Errorf("got %v, want the start error", err)
		}
		w.wants(l, loop.Paused, 1, 2)
		w.wantsPart("the reason", l.Reason, "not found")
		l, err = w.resume(w.Context(), says(promise))
		w.must(err)
		w.wants(l, loop.PromiseAccepted, 2, 3)
	})
}

func TestSteering(t *testing.T) {
	pause := func(w *world) { w.apply(loop.EventPause, "") }
	cancel := func(w *world) { w.apply(loop.EventCancel, "") }
	resume := func(w *world) { w.apply(loop.EventResume, "") }
	inWorld(t, "a pause takes effect at the next stop, and a resume ends it", func(w *world) {
		w.later(time.Minute, func() {
			w.wants(w.read(), loop.Paused, 1, 2)
			resume(w)
		})
		l, err := w.start(w.Context(), says("half"), while(pause, says("more")), says(promise))
		w.must(err)
		w.wants(l, loop.PromiseAccepted, 2, 3)
		w.wantsPart("the prompt", w.prompts[2].Text, "The user resumed the loop.")
	})
	inWorld(t, "a turn that ended in a pause does not count, and the limit is of those that do", func(w *world) {
		w.loop.MaxIterations = 2
		w.later(time.Minute, func() { resume(w) })
		l, err := w.start(w.Context(), while(pause, says("half")), says("more"), says("more"))
		w.must(err)
		w.wants(l, loop.MaxIterations, 2, 3)
		w.wantsPart("the second prompt", w.prompts[1].Text, "[Ralph loop 1/2]")
	})
	inWorld(t, "a pause while the agent asks the user ends the turn, and nothing is left of the question", func(w *world) {
		w.later(time.Minute, func() {
			if l := w.read(); l.IsAsking() {
				t.Errorf("got %+v, want no question in a pause", l.Asking)
			}
			resume(w)
		})
		r := w.newRunner()
		asks := func(w *world) {
			r.Asking("run ls")
			if l := w.read(); l.Asking.What != "run ls" || l.Status != loop.Running {
				t.Errorf("got %+v, want the question", l.Asking)
			}
			pause(w)
		}
		w.turns = []turn{hangs(asks), while(func(*world) { r.Asking("") }, says(promise))}
		l, err := r.Start(w.Context(), w.loop)
		w.must(errors.Join(err, r.Folder.Leave()))
		w.wants(l, loop.PromiseAccepted, 1, 2)
	})
	inWorld(t, "what the user always permits is shown until the process ends", func(w *world) {
		r := w.newRunner()
		ctx, stop := context.WithCancel(w.Context())
		w.turns = []turn{hangs(func(w *world) { r.Always("run ls"); r.Asking("edit a.go"); stop() })}
		l, err := r.Start(ctx, w.loop)
		w.must(r.Folder.Leave())
		if !errors.Is(err, context.Canceled) || len(l.Always) != 1 || l.IsAsking() {
			t.Errorf("got %v, %q and %+v, want what is permitted, and no question", err, l.Always, l.Asking)
		}
		r.Asking("") // comes late
		l, err = w.resume(w.Context(), says(promise))
		w.must(err)
		if l.Always != nil {
			t.Errorf("got %q, want nothing of another process", l.Always)
		}
	})
	inWorld(t, "a promise of the turn in which it was paused counts when it is resumed", func(w *world) {
		w.later(time.Minute, func() { resume(w) })
		l, err := w.start(w.Context(), while(pause, says(promise)))
		w.must(err)
		w.wants(l, loop.PromiseAccepted, 1, 1)
	})
	inWorld(t, "a cancel cuts the turn off", func(w *world) {
		l, err := w.start(w.Context(), hangs(cancel))
		w.must(err)
		w.wants(l, loop.Cancelled, 0, 1)
	})
	inWorld(t, "a cancel ends a pause", func(w *world) {
		w.later(time.Minute, func() { cancel(w) })
		l, err := w.start(w.Context(), while(pause, says("half")))
		w.must(err)
		w.wants(l, loop.Cancelled, 0, 1)
	})
	inWorld(t, "a cancel ends the wait for another try at once", func(w *world) {
		w.later(10*time.Second, func() { cancel(w) })
		l, err := w.start(w.Context(), fails(errBusyService))
		w.must(err)
		w.wants(l, loop.Cancelled, 0, 1)
		if took := time.Since(w.times[0]); took > 11*time.Second {
			t.Errorf("got an end after %s, want it at once", took)
		}
	})
	inWorld(t, "a pause ends the wait for another try", func(w *world) {
		w.later(10*time.Second, func() { pause(w) })
		w.later(time.Minute, func() { resume(w) })
		l, err := w.start(w.Context(), fails(errBusyService), says(promise))
		w.must(err)
		w.wants(l, loop.PromiseAccepted, 1, 2)
		if took := w.times[1].Sub(w.times[0]); took < time.Minute {
			t.Errorf("got a turn after %s, want it after the resume", took)
		}
	})
	inWorld(t, "a pause while a promise is verified holds", func(w *world) {
		w.loop.Verify, w.verify = "make", []loop.Verification{{Passed: true}, {Passed: true}}
		w.later(time.Minute, func() { resume(w) })
		w.turns = []turn{says(promise)}
		r := w.newRunner()
		verify := r.Verify
		r.Verify = func(ctx context.Context, l loop.State) loop.Verification {
			if len(w.verify) == 2 {
				pause(w)
			}
			return verify(ctx, l)
		}
		l, err := r.Start(w.Context(), w.loop)
		w.must(errors.Join(err, r.Folder.Leave()))
		w.wants(l, loop.PromiseAccepted, 1, 1)
		if len(w.verify) != 0 {
			t.Errorf("got %d verifications left, want none", len(w.verify))
		}
	})
	inWorld(t, "a stop by hand ends the loop", func(w *world) {
		l, err := w.start(w.Context(), hangs(func(w *world) { w.edit(`"stop": false`, `"stop": true`) }))
		w.must(err)
		w.wants(l, loop.UserStopped, 0, 1)
	})
	inWorld(t, "context goes with the next prompt once", func(w *world) {
		l, err := w.start(w.Context(), while(func(w *world) { w.apply(loop.EventContext, "port 5433") }, says("half")), says("more"), says(promise))
		w.must(err)
		w.wants(l, loop.PromiseAccepted, 3, 3)
		w.wantsPart("the second prompt", w.prompts[1].Text, "port 5433")
		w.wantsNoPart("the third prompt", w.prompts[2].Text, "port 5433")
	})
	inWorld(t, "the folder of the live loops may be cleared", func(w *world) {
		l, err := w.start(w.Context(), says("half"), while(func(w *world) { w.clear() }, says("more")), says(promise))
		w.must(err)
		w.wants(l, loop.PromiseAccepted, 2, 3)
	})
	inWorld(t, "no line of Cursor's is for it", func(w *world) {
		w.must(w.store.Begin(w.Context(), id, w.loop))
		for _, e := range []loop.Event{
			{Kind: loop.EventContinue}, {Kind: loop.EventContinue, Generation: "g"}, {Kind: loop.EventInject}, {Kind: loop.EventTyped, Typed: loop.Typed{Conversation: "chat"}},
		} {
			_, action, err := w.store.Apply(w.Context(), id, e)
			w.must(err)
			if action.Kind != loop.Refuse {
				t.Errorf("%s: got %q, want it refused", e.Kind, action.Kind)
			}
		}
	})
}

func TestInterrupt(t *testing.T) {
	interruptions := []struct {
		name  string
		turns []turn
		after time.Duration
		set   func(w *world)
	}{
		{name: "in the first turn", turns: []turn{hangs(nil)}},
		{name: "in a later turn", turns: []turn{says("half"), hangs(nil)}},
		{name: "while it waits for another try", turns: []turn{fails(errBusyService)}},
		{name: "while it is paused", turns: []turn{while(func(w *world) { w.apply(loop.EventPause, "") }, says("half"))}},
	}
	for _, test := range interruptions {
		inWorld(t, test.name, func(w *world) {
			ctx, stop := context.WithCancel(w.Context())
			w.later(10*time.Second, stop)
			l, err := w.start(ctx, test.turns...)
			if !errors.Is(err, context.Canceled) {
				t.Errorf("got %v, want that it was cancelled", err)
			}
			w.wants(l, loop.Paused, len(test.turns)-1, len(test.turns))
			if lives, _ := outer.Lives(w.dir, w.places.RunLock(id)); lives {
				t.Error("the run still lives")
			}
			l, err = w.resume(w.Context(), says(promise))
			w.must(err)
			w.wants(l, loop.PromiseAccepted, len(test.turns), len(test.turns)+1)
		})
	}
	inWorld(t, "while a promise is verified", func(w *world) {
		w.loop.Verify = "make"
		ctx, stop := context.WithCancel(w.Context())
		w.turns = []turn{says(promise)}
		r := w.newRunner()
		r.Verify = func(ctx context.Context, l loop.State) loop.Verification {
			stop()
			for w.read().Status == loop.Running { // as cursor-ralph verify does
				time.Sleep(time.Second)
			}
			return loop.Verification{Exit: -1, Why: "ended"}
		}
		l, err := r.Start(ctx, w.loop)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want that it was cancelled", err)
		}
		w.must(r.Folder.Leave())
		w.wants(l, loop.Paused, 0, 1)
		w.verify = []loop.Verification{{Passed: true}}
		l, err = w.resume(w.Context())
		w.must(err)
		w.wants(l, loop.PromiseAccepted, 1, 1)
	})
	inWorld(t, "of an agent that does not listen", func(w *world) {
		ctx, stop := context.WithCancel(w.Context())
		w.later(10*time.Second, stop)
		deaf := func(*world, context.Context, outer.Prompt, func(outer.Seen)) error {
			time.Sleep(time.Hour)
			return nil
		}
		began := time.Now()
		_, err := w.start(ctx, deaf)
		w.mu.Lock()
		closed := w.closed
		w.mu.Unlock()
		if took := time.Since(began); !errors.Is(err, context.Canceled) || took > time.Minute || closed == 0 {
			t.Errorf("got %v after %s with %d closes, want an end in less than a minute", err, took, closed)
		}
		time.Sleep(time.Hour) // the bubble wants its end
	})
}

func TestResumeAfterAKill(t *testing.T) {
	inWorld(t, "in a turn, whose work and session count", func(w *world) {
		half := func(_ *world, ctx context.Context, _ outer.Prompt, see func(outer.Seen)) error {
			see(outer.Seen{Session: "s-1"})
			see(used("Write", "call-1"))
			<-ctx.Done()
			return ctx.Err()
		}
		ctx, stop := context.WithCancel(w.Context())
		w.turns = []turn{says("half"), half}
		r := w.newRunner()
		go func() {
			time.Sleep(10 * time.Second)
			w.keep() // as the files are when it is killed
			stop()
		}()
		_, err := r.Start(ctx, w.loop)
		if err == nil {
			t.Error("got no error, want the interruption")
		}
		w.must(r.Folder.Leave())
		w.restore()
		w.loop.Run.Session = "s-1" // the command line takes it from the state
		l, err := w.resume(w.Context(), idles(promise))
		w.must(err)
		w.wants(l, loop.PromiseAccepted, 2, 3)
		if got := l.History[1].Tools["Write"]; got != 1 {
			t.Errorf("got %d calls of Write in the record, want 1", got)
		}
		if got := w.prompts[2].Session; got != "s-1" {
			t.Errorf("got session %q, want s-1", got)
		}
	})
	inWorld(t, "of a loop that has ended is refused", func(w *world) {
		_, err := w.start(w.Context(), says(promise))
		w.must(err)
		w.reports = nil
		_, err = w.resume(w.Context())
		if !errors.As(err, new(*outer.RefusedError)) || !strings.Contains(err.Error(), "promise was accepted") || len(w.reports) > 0 {
			t.Errorf("got %v and %+v, want it refused once", err, w.reports)
		}
	})
	inWorld(t, "at its limit needs a higher one", func(w *world) {
		w.loop.MaxIterations = 1
		_, err := w.start(w.Context(), says("half"))
		w.must(err)
		_, err = w.resume(w.Context())
		if !strings.Contains(hint.Of(err), " --max-iterations 21") {
			t.Errorf("got %v, want it refused with a hint", err)
		}
		w.turns = append(w.turns, says(promise))
		r := w.newRunner()
		l, err := r.Resume(w.Context(), id, loop.Event{Continue: loop.Continue{Run: w.loop.Run, MaxIterations: 5}})
		w.must(errors.Join(err, r.Folder.Leave()))
		w.wants(l, loop.PromiseAccepted, 2, 2)
	})
}

func TestWhatTheAgentDoes(t *testing.T) {
	inWorld(t, "a call of cursor-ralph, or of our folder, is no work", func(w *world) {
		own := func(_ *world, _ context.Context, _ outer.Prompt, see func(outer.Seen)) error {
			see(outer.Seen{Record: loop.Record{Kind: loop.RecordTool, Tool: "Shell"}, Command: "cd /x && cursor-ralph note run-1 done"})
			see(outer.Seen{Record: loop.Record{Kind: loop.RecordTool, Tool: "Write", File: w.dir + "/.ralph/prompt.md"}})
			see(outer.Seen{Record: loop.Record{Kind: loop.RecordTool, Tool: "Write", File: "/tmp/cursor-ralph-loop-run-1.json"}})
			see(said(promise))
			return nil
		}
		l, err := w.start(w.Context(), own, says(promise))
		w.must(err)
		w.wants(l, loop.PromiseAccepted, 2, 2)
	})
	inWorld(t, "calls of the same name in two turns are two", func(w *world) {
		w.loop.MinToolCalls = 2
		l, err := w.start(w.Context(), says("half"), says(promise))
		w.must(err)
		w.wants(l, loop.PromiseAccepted, 2, 2)
	})
	inWorld(t, "a flood is cut off, reported once, and the loop goes on", func(w *world) {
		short.Skip(w)
		flood := func(_ *world, _ context.Context, _ outer.Prompt, see func(outer.Seen)) error {
			text := strings.Repeat("x", 3<<20)
			for range 100 {
				see(said(text))
			}
			return nil
		}
		second := func(w *world, ctx context.Context, p outer.Prompt, see func(outer.Seen)) error {
			info, err := os.Stat(w.places.Journal(id))
			if err != nil || info.Size() > 36<<20 {
				t.Errorf("got a journal of %d bytes, %v", info.Size(), err)
			}
			return says(promise)(w, ctx, p, see)
		}
		l, err := w.start(w.Context(), flood, second)
		w.must(err)
		w.wants(l, loop.PromiseAccepted, 2, 2)
		if n := w.troubles(); n != 1 {
			t.Errorf("got %d troubles, want 1", n)
		}
	})
	inWorld(t, "a flood costs neither the work nor the promise after it", func(w *world) {
		short.Skip(w)
		text := strings.Repeat("x", 1<<20)
		flood := func(_ *world, _ context.Context, _ outer.Prompt, see func(outer.Seen)) error {
			for range 40 {
				see(said(text))
			}
			see(used("Shell", "c"))
			see(said("the beginning of the end"))
			see(said("It is done.\n" + promise))
			return nil
		}
		l, err := w.start(w.Context(), flood)
		w.must(err)
		w.wants(l, loop.PromiseAccepted, 1, 1)
		if got := l.History[0]; got.Tools["Shell"] != 1 || !strings.HasPrefix(got.Answer, "It is done.") {
			t.Errorf("got the tools %v and the answer %.50q, want one call and the last words", got.Tools, got.Answer)
		}
	})
	inWorld(t, "what comes after its turn is ignored", func(w *world) {
		var late func(outer.Seen)
		first := func(_ *world, _ context.Context, _ outer.Prompt, see func(outer.Seen)) error {
			late = see
			return nil
		}
		second := func(_ *world, _ context.Context, _ outer.Prompt, see func(outer.Seen)) error {
			late(used("Shell", "c"))
			late(said(promise))
			return nil
		}
		w.loop.MaxIterations = 2
		l, err := w.start(w.Context(), first, second)
		w.must(err)
		w.wants(l, loop.MaxIterations, 2, 2)
	})
	inWorld(t, "its session is kept, and every prompt has it unless it is to be fresh", func(w *world) {
		begin := func(_ *world, _ context.Context, _ outer.Prompt, see func(outer.Seen)) error {
			see(outer.Seen{Session: "s-7"})
			return nil
		}
		l, err := w.start(w.Context(), begin, says(promise))
		w.must(err)
		if l.Run.Session != "s-7" || w.prompts[1].Session != "s-7" {
			t.Errorf("got session %q in the state and %q in the prompt, want s-7", l.Run.Session, w.prompts[1].Session)
		}
	})
	inWorld(t, "under --plan it is guarded", func(w *world) {
		w.loop.Plan = true
		_, err := w.start(w.Context(), says(promise))
		w.must(err)
		if !w.prompts[0].Guarded {
			t.Error("got an unguarded prompt")
		}
	})
}

// later does something while the run goes on.
func (w *world) later(after time.Duration, do func()) {
	go func() {
		time.Sleep(after)
		do()
	}()
}

func (w *world) read() loop.State {
	w.Helper()
	l, err := w.store.Read(id)
	if errors.Is(err, fs.ErrNotExist) {
		l, err = w.store.Archived(id)
	}
	if err != nil {
		w.Error(err)
	}
	return l
}

func (w *world) troubles() (n int) {
	for _, r := range w.reports {
		if r.Kind == outer.ReportTrouble {
			n++
		}
	}
	return n
}

func TestALoopBeginsOnce(t *testing.T) {
	inWorld(t, "the second has no place", func(w *world) {
		w.must(w.store.Begin(w.Context(), id, w.loop))
		if _, err := w.start(w.Context(), says(promise)); !errors.Is(err, fs.ErrExist) {
			t.Errorf("got %v, want that there is one", err)
		}
	})
}
