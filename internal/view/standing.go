// Package view is how loops are shown: the word for how one stands, the object that
// every --json prints, and the row of every listing. All of it is made from a loop's
// state and a few facts about it. It reads no file and prints nothing.
package view

import (
	"cmp"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// Standing is how a loop stands. One that has ended stands as its loop.Status does,
// in capitals.
type Standing string

// The standings of a loop that has not ended.
const (
	Pending     Standing = "pending"     // no chat has taken it
	Running     Standing = "running"     // its agent works
	Stalled     Standing = "stalled"     // it runs, but no event came for the setting stall-after
	Waiting     Standing = "waiting"     // see WaitingFor
	Paused      Standing = "paused"      // see loop.PauseReason
	Interrupted Standing = "interrupted" // only the archive has it, or it is a run whose process is gone
	Unknown     Standing = "unknown"     // of a file that a newer version or a hand wrote
)

// WaitingFor is what a waiting loop waits for.
type WaitingFor string

// What loops wait for.
const (
	ForContinuation WaitingFor = "continuation" // the continue line, typed or by hand
	ForPermission   WaitingFor = "permission"   // the user's answer to the agent of a run
)

// Facts are what a loop's state does not have.
type Facts struct {
	Now         time.Time
	StallAfter  time.Duration // the user's; zero for loop.StallAfter
	Interrupted bool          // only the archive has it
	Gone        bool          // the process of a run is gone
}

// standing is decided by the first row that fits.
func standing(s loop.State, f Facts) Standing {
	switch {
	case s.Status.Ended():
		return Standing(s.Status)
	case f.Interrupted, f.Gone && s.Status != loop.Paused: // a run that pauses by itself ends its process
		return Interrupted
	case s.Status == loop.Paused:
		return Paused
	case s.Status == loop.Waiting && s.IsLastTurn(f.Now):
		return Running
	case s.Status == loop.Waiting, s.IsAsking():
		return Waiting
	case s.IsStalled(f.StallAfter, f.Now), s.Status == loop.Running && s.IsStale(f.Now):
		return Stalled
	case s.Status == loop.Running, Standing(s.Status) == Pending:
		return Standing(s.Status)
	}
	return Unknown
}

// Ended reports whether a loop that stands so is over.
func (s Standing) Ended() bool { return loop.Status(s).Ended() }

// Describe says how the loop stands, with the reason in parentheses: paused (idle).
func (l Loop) Describe() string {
	why := cmp.Or(string(l.PauseReason), string(l.WaitingFor))
	switch {
	case l.Verifying:
		why = "verifying"
	case l.Pausing:
		return "pausing (at the next stop)"
	}
	if why == "" {
		return string(l.Status)
	}
	return string(l.Status) + " (" + why + ")"
}

// Chip is the loop in a few words, for a status bar. It names a reason only if
// the loop does something else than its word says.
func (l Loop) Chip() string {
	words := string(l.Status)
	switch {
	case l.Verifying || l.WaitingFor == ForPermission:
		words = l.Describe()
	case l.Pausing:
		words = "pausing"
	}
	return loop.Chip(words, l.Iteration, l.MaxIterations) + l.Tasks.Chip()
}
