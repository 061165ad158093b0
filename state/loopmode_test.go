package state_test

import (
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/state"
)

const workspace = "/home/me/work"

// mode is a loop mode that begins now.
func (w world) mode(folder string, d time.Duration) state.Mode {
	l := loop.New()
	l.MaxIterations, l.Verify, l.MaxDuration = 7, "go test ./...", loop.Duration(time.Hour)
	l.Version = loop.Version
	return state.Mode{Workspace: folder, Since: *w.clock, Until: w.clock.Add(d), Loop: l}
}

// modes returns the workspaces that have it on.
func (w world) modes() (on []string) {
	w.Helper()
	modes, problems := w.store.Modes()
	if len(problems) > 0 {
		w.Errorf("got the problems %v", problems)
	}
	for _, m := range modes {
		on = append(on, m.Workspace)
	}
	return on
}

func TestLoopModeSwitchesItselfOff(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name         string
		since, until time.Duration // from now
		on           bool
	}{
		{"it has just begun", 0, 24 * time.Hour, true},
		{"it is as good as over", -24*time.Hour + 1, 1, true},
		{"its time has come", -time.Hour, 0, false},
		{"its time is over", -2 * time.Hour, -time.Hour, false},
		{"it claims more than a day", -24 * time.Hour, time.Hour, false},
		{"it claims all time", -time.Hour, 1000000 * time.Hour, true}, // until its day is over
		{"the clock was set back a little", time.Minute, time.Hour, true},
		{"the clock was set back a lot", 24 * time.Hour, 48 * time.Hour, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := state.Mode{Since: at.Add(tt.since), Until: at.Add(tt.until)}
			if got := m.On(at); got != tt.on {
				t.Errorf("got on: %v, want %v", got, tt.on)
			}
		})
	}
	if (state.Mode{}).On(at) || (state.Mode{Until: at.Add(time.Hour)}).On(at) {
		t.Error("got it on without a beginning or an end")
	}
	w := newWorld(t)
	w.must(w.store.SetMode(w.mode(workspace, time.Hour)))
	w.later(time.Hour)
	if got := w.modes(); got != nil {
		t.Errorf("got it on in %q after its time", got)
	}
}
