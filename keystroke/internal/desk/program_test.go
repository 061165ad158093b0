package desk

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/key"
	"github.com/cursor-ralph/cursor-ralph/test/testdesk"
)

// A program is killed when it takes too long, and presses nothing without a word.
func TestPreparedProgram(t *testing.T) {
	testdesk.Needs(t, "sh")
	const pressed = `read word && echo $word >"$OUT"`
	for _, tt := range []struct {
		name, script string
		drop         bool
		ready        string // the error of getting ready
		press        string // the error of pressing
		out          string
	}{
		{name: "presses", script: "echo ready; " + pressed, out: "go\n"},
		{name: "is dropped", script: "echo ready; " + pressed, drop: true},
		{name: "never gets ready", script: "exec sleep 60", ready: "deadline"},
		{name: "ends before it is ready", script: "echo no display >&2; exit 3", ready: "no display"},
		{name: "hangs while pressing", script: "echo ready; " + pressed + "; exec sleep 60", press: "deadline", out: "go\n"},
		{name: "crashes while pressing", script: "echo ready; " + pressed + "; kill -SEGV $$", press: "segmentation fault", out: "go\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out := filepath.Join(t.TempDir(), "out")
			m := Machine{Env: []string{"PATH=/usr/bin:/bin", "OUT=" + out}}
			began := time.Now()
			p, err := m.Prepare("/bin/sh", []string{"-c", tt.script}, "", "go\n")
			told(t, err, tt.ready)
			if err == nil && !tt.drop {
				told(t, p.Press(), tt.press)
			}
			if err == nil {
				p.Drop()
			}
			if took := time.Since(began); took > ProgramWait+time.Second {
				t.Errorf("took %s", took)
			}
			if got, _ := os.ReadFile(out); string(got) != tt.out {
				t.Errorf("pressed %q, want %q", got, tt.out)
			}
		})
	}
}

// told checks for an error with some words in it, or for no error.
func told(t *testing.T, err error, words string) {
	t.Helper()
	if (err != nil) != (words != "") || err != nil && !strings.Contains(err.Error(), words) {
		t.Errorf("got %v, want %q", err, words)
	}
}

// fakeDesk is a desktop on which a window has the focus or not.
type fakeDesk struct {
	Desk
	has bool
	err error
}

func (d *fakeDesk) Focused(context.Context, Window) (bool, error) { return d.has, d.err }

// Whether the window has the focus is asked last: after the program has got
// ready, which takes longest.
func TestProgramIsToldToPressOnlyWithTheFocus(t *testing.T) {
	odd := errors.New("odd")
	for _, tt := range []struct {
		name     string
		prepare  error // of getting ready
		lose     bool  // the focus, while it gets ready
		focus    error // of asking for the focus
		press    error
		want     error
		pressed  bool
		keysSent bool // as far as is known
	}{
		{name: "all goes well", pressed: true, keysSent: true},
		{name: "it does not get ready", prepare: odd, want: odd},
		{name: "the focus is lost meanwhile", lose: true, want: ErrLostFocus},
		{name: "the desktop does not answer", focus: odd, want: odd},
		{name: "it fails", press: odd, want: odd, pressed: true, keysSent: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := &fakeDesk{has: true, err: tt.focus}
			pressed, dropped := false, false
			err := ProgramKeyboard{d, func(context.Context, key.Chord) (Prepared, error) {
				d.has = !tt.lose
				return Prepared{func() error { pressed = true; return tt.press }, func() { dropped = true }}, tt.prepare
			}}.Press(t.Context(), Window{}, key.Return)
			if !errors.Is(err, tt.want) || pressed != tt.pressed || dropped != (tt.prepare == nil) {
				t.Errorf("got %v, pressed %t, dropped %t; want %v, %t", err, pressed, dropped, tt.want, tt.pressed)
			}
			if sent := !IsNotPressed(err) && !errors.Is(err, ErrLostFocus); sent != tt.keysSent {
				t.Errorf("%v means that keys were sent: %t, want %t", err, sent, tt.keysSent)
			}
		})
	}
}
