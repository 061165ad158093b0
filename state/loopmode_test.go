package state_test

import (
	"errors"
	"io/fs"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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

func TestLoopModeIsKeptForAWorkspace(t *testing.T) {
	w := newWorld(t)
	if _, err := w.store.Mode(workspace); !errors.Is(err, fs.ErrNotExist) || w.modes() != nil || len(w.files()) > 0 {
		t.Errorf("got %v and the files %v, want none at first", err, w.files())
	}
	want := w.mode(workspace, time.Hour)
	w.must(w.store.SetMode(want))
	w.must(w.store.SetMode(w.mode("/home/me/other", time.Hour)))
	got, err := w.store.Mode(workspace + "/x/..//")
	w.must(err)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, folder := range []string{"", ".", "/", "/home/me", workspace + "/x", workspace + "2"} {
		if _, err := w.store.Mode(folder); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: got %v, want none", folder, err)
		}
	}
	if got := w.modes(); len(got) != 2 {
		t.Errorf("got it on in %q, want two", got)
	}
	if ended, problems := w.endedLoops(); len(ended)+len(problems) > 0 {
		t.Errorf("got the records %v, %v, want none", ended, problems)
	}
	w.must(w.store.EndMode(workspace))
	if err := w.store.EndMode(workspace); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("off once more: got %v", err)
	}
	if diff := cmp.Diff([]string{"/home/me/other"}, w.modes()); diff != "" {
		t.Errorf("on elsewhere (-want +got):\n%s", diff)
	}
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

func TestALoopModeFileThatSaysSomethingElse(t *testing.T) {
	const newer = `{"workspace": "/home/me/work", "loop": {"version": 99}}`
	const other = `{"workspace": "/home/me/other", "since": "2026-03-01T12:00:00Z", "until": "2026-03-01T13:00:00Z"}`
	for name, tt := range map[string]struct {
		content string
		err     error // none in particular if it is nil
	}{
		"nothing": {"", nil}, "half a file": {`{"workspace": "/ho`, nil}, "a list": {"[]", nil}, "another type": {`{"loop": 5}`, nil},
		"an odd time": {`{"until": "soon"}`, nil}, "a newer version": {newer, loop.ErrNewer}, "another workspace": {other, fs.ErrNotExist},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.write(w.places.LoopMode(workspace), tt.content)
			if m, err := w.store.Mode(workspace); err == nil || tt.err != nil && !errors.Is(err, tt.err) {
				t.Errorf("got %+v, %v, want the error %v", m, err, tt.err)
			}
			on, problems := w.store.Modes()
			if isOther := tt.err == fs.ErrNotExist; len(on) > 0 || isOther != (len(problems) == 0) {
				t.Errorf("got %v and the problems %v, want it reported", on, problems)
			}
			w.must(w.store.SetMode(w.mode(workspace, time.Hour)))
			if got := w.modes(); len(got) != 1 {
				t.Errorf("got it on in %q, want it written anew", got)
			}
		})
	}
}

// The message after a cancel finds the record; where there is none it is not
// made.
func TestAMessageAfterTheEndChangesTheRecordAlone(t *testing.T) {
	w := newWorld(t)
	spoken := loop.Event{Kind: loop.EventSpoken, Text: "never mind", Generation: "g1"}
	if _, _, err := w.store.Apply(w.context(), me, spoken); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want none", err)
	}
	w.begun(me, "the task")
	w.apply(me, loop.Event{Kind: loop.EventCancel})
	for range 2 {
		if _, action := w.apply(me, spoken); action.Why() == "" {
			t.Error("got nothing, want that it is the first")
		}
	}
	if l, err := w.store.Archived(me); err != nil || l.SpokenIn != "g1" || l.Status != loop.Cancelled {
		t.Errorf("got %+v, %v", l, err)
	}
	if has, err := w.store.Has(me); has || err != nil {
		t.Errorf("got a live loop: %v, %v", has, err)
	}
}
