// Package watcher decides what there is to do about loops in which nothing
// happens: a follow-up that was lost, a loop that has stalled. It is pure; the
// watcher process of cursor-ralph reads the loops and acts.
package watcher

import (
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// Poll is how long a change of the loops may go unnoticed.
const Poll = 5 * time.Second

// Loop is what the watcher keeps of a loop between two looks.
type Loop struct {
	ID         string
	Running    bool
	StaleAt    time.Time // when it is given up if no event comes
	Followup   string    // the open one; empty if there is none
	DueAt      time.Time
	Wait       time.Duration
	StallsAt   time.Time // zero if it cannot stall, or if that was dealt with
	StallAfter time.Duration
}

// Of returns what to keep of the loop of a conversation that may be silent for stallAfter.
func Of(id string, l loop.State, stallAfter time.Duration) Loop {
	w := Loop{ID: id, Running: l.Status == loop.Running, StaleAt: l.EventAt.Add(loop.StaleAfter)}
	if d := l.Delivery; w.Running && l.Shown && d.IsFollowup() {
		w.Followup, w.DueAt, w.Wait = d.ID, d.DueAt, d.DueAt.Sub(d.OpenedAt)
	}
	if at := l.StallsAt(stallAfter); l.NeedsStallNotice(stallAfter, at) {
		w.StallsAt, w.StallAfter = at, at.Sub(l.EventAt)
	}
	return w
}

// Duty is an event that the watcher has to bring to a loop.
type Duty struct {
	Loop Loop
	Kind loop.EventKind
}

// Schedule remembers what was done, and when the machine woke up.
type Schedule struct {
	lookedAt time.Time
	awake    time.Duration // at that time
	wokeAt   time.Time
	done     map[string]bool // ids of follow-ups
}

// suspended is how far the wall clock may get ahead of the monotonic one between
// two looks: more means that the machine was suspended, or its clock set.
const suspended = 2 * time.Second

// asleep is how far apart two looks may be. Where the monotonic clock goes on
// during a suspend, only this shows it.
const asleep = 30 * time.Second

// Due returns what is due now, and when to look again. Each follow-up is due
// once. awake is how long the machine has been awake since some moment: after a
// suspend every wait begins anew, because Cursor was suspended too.
func (s *Schedule) Due(loops []Loop, now time.Time, awake time.Duration) (due []Duty, next time.Time) {
	now = now.Round(0) // by the wall clock, which goes on during a suspend
	if gap := now.Sub(s.lookedAt); !s.lookedAt.IsZero() && (gap > asleep || gap-(awake-s.awake) > suspended) {
		s.wokeAt = now
	}
	s.lookedAt, s.awake = now, awake
	next = now.Add(Poll)
	done := map[string]bool{}
	add := func(l Loop, kind loop.EventKind, at time.Time, wait time.Duration) bool {
		if awake := s.wokeAt.Add(wait); at.Before(awake) && !s.wokeAt.IsZero() {
			at = awake
		}
		switch {
		case !at.After(now):
			due = append(due, Duty{l, kind})
			return true
		case at.Before(next):
			next = at
		}
		return false
	}
	for _, l := range loops {
		if l.Followup != "" {
			done[l.Followup] = s.done[l.Followup] || add(l, loop.EventFollowupLost, l.DueAt, l.Wait)
		}
		if !l.StallsAt.IsZero() {
			add(l, loop.EventStalled, l.StallsAt, l.StallAfter)
		}
	}
	s.done = done
	return due, next
}

// AnyRuns reports whether there is a loop to watch. A stale one does not go on by
// itself.
func AnyRuns(loops []Loop, now time.Time) bool {
	for _, l := range loops {
		if l.Running && !now.After(l.StaleAt) {
			return true
		}
	}
	return false
}
