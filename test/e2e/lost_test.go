//go:build linux

package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/test/short"
	"github.com/cursor-ralph/cursor-ralph/test/simcursor"
)

// losing is a chat of a Cursor that loses answers, with a watcher, and with the
// desktop bridge for the second delivery.
type losing struct {
	*bridged
	mu    sync.Mutex
	given []string // the iterations that the agent was given, in order
	last  int      // the one that it gives its promise in
}

func newLosing(t *testing.T, last int, change func(*simcursor.Options)) *losing {
	t.Helper()
	l := &losing{bridged: newBridged(t, option("loses answers", change), "[hook]\nlinger = \"0s\"\nfollowup-wait = \"1500ms\"\n"), last: last}
	l.extra = append(l.extra, "CURSOR_RALPH_NO_WATCHER=")
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	t.Cleanup(cancel)
	l.ctx = ctx
	l.cursors = map[string]*simcursor.Cursor{} // one with the new environment
	l.chat = l.cursor(l.repo()).Chat(l.agent)
	l.lists(l.chat.ID)
	l.show(l.chat)
	return l
}

// agent works on whatever iteration it is given.
func (l *losing) agent(t *simcursor.Turn) {
	text := t.Message
	if !t.Followup {
		command, err := handOver(t.Message)
		if err != nil {
			l.Errorf("turn %d: %v", t.Number, err)
			return
		}
		output, exit := t.Shell(command)
		if exit != 0 {
			t.Say("It cannot go on: " + output)
			return
		}
		text = output
	}
	found := regexp.MustCompile(`\[Ralph loop (\d+)/`).FindStringSubmatch(text)
	if found == nil {
		t.Say("There is nothing to do.")
		return
	}
	if err := t.Edit(fmt.Sprintf("work-%d.txt", t.Number), "work\n"); err != nil {
		l.Errorf("edit: %v", err)
	}
	l.mu.Lock()
	l.given = append(l.given, found[1])
	over := len(l.given) >= l.last
	l.mu.Unlock()
	if over {
		t.Say("All is done. " + done)
		return
	}
	t.Say("A part is done.")
}

// turns is how many iterations the agent was given.
func (l *losing) turns() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.given)
}

// wantEachOnce is that the agent was given each iteration once, in order.
func (l *losing) wantEachOnce(n int) {
	l.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	var want []string
	for i := range n {
		want = append(want, fmt.Sprint(i+1))
	}
	if !slices.Equal(l.given, want) {
		l.Errorf("the agent was given the iterations %q, want each of %d once", l.given, n)
	}
}

// delivery is what the history says about the follow-up behind an iteration.
func (l *losing) deliveries() (list []string) {
	l.Helper()
	var history []struct {
		Delivery string `json:"delivery"`
	}
	l.must(json.Unmarshal([]byte(l.ok(l.repo(), "history", "--json", l.chat.ID)), &history))
	for _, h := range history {
		if h.Delivery != "" {
			list = append(list, h.Delivery)
		}
	}
	return list
}

// TestLostAnswers: with one answer in five lost, every iteration is counted once
// and given once, and nothing is left open.
func TestLostAnswers(t *testing.T) {
	t.Parallel()
	n := short.Times(15, 200)
	l := newLosing(t, n, func(o *simcursor.Options) { o.LoseOneIn, o.LoseSeed = 5, 7 })
	l.begins(fmt.Sprintf(`"make it green" --max-iterations %d`, n+50))
	l.until("the promise", func() bool { return l.status(l.chat.ID).Status == "PROMISE_ACCEPTED" })
	l.wantStatus(l.chat.ID, "PROMISE_ACCEPTED", n)
	l.wantEachOnce(n)
	if got := l.status(l.chat.ID).Followup.Outcome; got == "" || got == "lost" {
		t.Errorf("the last follow-up is %q, want it settled", got)
	}
	if n, sent := len(l.deliveries()), len(l.sent()); sent == 0 || n == 0 {
		t.Errorf("%d follow-ups were lost and %d lines sent, want some", n, sent)
	}
}

// TestALostAnswerIsNoticed: one follow-up is lost, and the agent gets it once
// more, word for word.
func TestALostAnswerIsNoticed(t *testing.T) {
	t.Parallel()
	l := newLosing(t, 5, func(o *simcursor.Options) { o.LoseStops = []int{3} })
	l.begins(`"make it green"`)
	l.until("the promise", func() bool { return l.status(l.chat.ID).Status == "PROMISE_ACCEPTED" })
	l.wantEachOnce(5)
	l.wantSent(1)
	if got := l.deliveries(); !slices.Equal(got, []string{"again"}) {
		t.Errorf("got %q in the history, want one that was delivered again", got)
	}
	l.wantPart("the log", l.log(), "event=watcher action=followup-lost")
}

// TestWhatIsNotSentAgain: nothing is sent without the proof that this Cursor
// shows follow-ups, nor after the user did something.
func TestWhatIsNotSentAgain(t *testing.T) {
	t.Parallel()
	quiet := func(o *simcursor.Options) { o.LoseStops, o.QuietFollowups = []int{2}, true }
	shows := func(o *simcursor.Options) { o.LoseStops = []int{2} }
	for _, tt := range short.First([]struct {
		name   string
		change func(*simcursor.Options)
		act    func(*losing)
	}{
		{"this Cursor shows no follow-ups", quiet, func(*losing) {}},
		{"a pause", shows, func(l *losing) { l.ok(l.repo(), "pause", l.chat.ID) }},
		{"a cancel", shows, func(l *losing) { l.ok(l.repo(), "cancel", l.chat.ID) }},
	}, 1) {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := newLosing(t, 5, tt.change)
			l.begins(`"make it green"`)
			l.until("the lost follow-up", func() bool { return !l.chat.Busy() && l.turns() == 2 })
			due := l.status(l.chat.ID).Followup.DueAt
			tt.act(l)
			l.until("a moment well past the wait", func() bool { return time.Now().After(due.Add(time.Second)) })
			l.wantEachOnce(2)
			l.wantSent(0)
		})
	}
}

// TestAStalledLoop: no event comes any more, and the user is told once.
func TestAStalledLoop(t *testing.T) {
	t.Parallel()
	lost := func(o *simcursor.Options) { o.LoseStops, o.QuietFollowups = []int{2}, true }
	l := newLosing(t, 5, lost)
	l.settings("[hook]\nstall-after = \"1s\"\n")
	l.begins(`"make it green"`)
	l.until("the stall", func() bool { return strings.Contains(l.log(), "event=watcher action=stalled") })
	l.wantPart("the chip", l.ok(l.repo(), "status", "--json", l.chat.ID), "Loop • Stalled • Iter 3/20")
	l.wantEachOnce(2)
	l.wantSent(0)
	if n := strings.Count(l.log(), "event=watcher action=stalled"); n != 1 {
		t.Errorf("the user was notified %d times", n)
	}
	l.ok(l.repo(), "cancel", l.chat.ID)
}
