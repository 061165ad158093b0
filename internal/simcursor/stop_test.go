//go:build unix

package simcursor_test

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/simcursor"
)

func TestTurnThatDidNotComplete(t *testing.T) {
	stop := func(turn *simcursor.Turn) { turn.PressStop() }
	for name, tt := range map[string]struct {
		agent   simcursor.Agent
		asError bool
		want    string
	}{
		"stopped":             {stop, false, "aborted"},
		"stopped, as error":   {stop, true, "error"},
		"failed":              {func(turn *simcursor.Turn) { turn.Fail() }, false, "error"},
		"stopped from beside": {func(turn *simcursor.Turn) { turn.Chat.Stop() }, false, "aborted"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t).project(always(nil))
			w.Options.AbortAsError = tt.asError
			ch := w.chat(func(turn *simcursor.Turn) {
				tt.agent(turn)
				turn.Chat.Stop()
			})
			equal(t, "messages", ch.Messages(), []string{"go"})
			run := ch.Runs("stop")[0]
			if got := payload(t, run)["status"]; got != tt.want || run.Answer == nil {
				t.Errorf("got status %v, want %s, answer %v", got, tt.want, run.Answer)
			}
		})
	}
}

func TestStopKillsTheRunningCommand(t *testing.T) {
	w := newWorld(t).project(every())
	running, held := w.fifo("running"), w.fifo("held")
	ch := w.open().Chat(func(turn *simcursor.Turn) {
		turn.Shell("exec 3>" + held + "; sleep 60 & echo >" + running + "; wait")
		t.Error("the agent went on")
	})
	if ch.Stop() {
		t.Error("there was nothing to stop")
	}
	dead := make(chan error, 1)
	go func() {
		_, err := os.ReadFile(held) // ends with the last process of the command
		dead <- err
	}()
	go func() {
		os.ReadFile(running)
		ch.Stop()
	}()
	w.send(ch, "go")
	select {
	case err := <-dead:
		w.must(err)
	case <-time.After(20 * time.Second):
		t.Error("a child of the command survived")
	}
	failure := payload(t, ch.Runs("postToolUseFailure")[0])
	if failure["is_interrupt"] != true || len(ch.Runs("postToolUse")) != 0 {
		t.Errorf("got %v", failure)
	}
}

func TestStopWhileTheStopHookRunsDropsTheFollowup(t *testing.T) {
	w := newWorld(t)
	fifo := w.fifo("stopping")
	w.project(always(entry{"command": "echo >" + fifo + "; read x <" + fifo + "; " + followup("again"), "timeout": 10}))
	ch := w.open().Chat(func(*simcursor.Turn) {})
	go func() {
		os.ReadFile(fifo)
		ch.Stop()
		os.WriteFile(fifo, []byte("go on\n"), 0)
	}()
	w.send(ch, "go")
	equal(t, "messages", ch.Messages(), []string{"go"})
}

func TestEndOfContextEndsSend(t *testing.T) {
	for name, agent := range map[string]simcursor.Agent{
		"in the agent": func(turn *simcursor.Turn) { turn.Shell("sleep 60") },
		"in a hook":    func(turn *simcursor.Turn) {},
	} {
		w := newWorld(t).project(hooks{"stop": {{"command": "sleep 60"}}})
		c := w.open()
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		start := time.Now()
		err := c.Chat(agent).Send(ctx, "go")
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 20*time.Second {
			t.Errorf("%s: got %v after %v", name, err, time.Since(start))
		}
		equal(t, "violations", c.Violations(), nil)
	}
}
