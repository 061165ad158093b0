package x11_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/keystroke"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/x11"
	"github.com/cursor-ralph/cursor-ralph/test/short"
	"github.com/cursor-ralph/cursor-ralph/test/testdesk"
)

// typed types into the room by XTEST, wants the exact line, and returns how
// long it took to arrive.
func (r *room) typed(m keystroke.Machine, change func(*keystroke.Target)) time.Duration {
	r.t.Helper()
	var s steps
	target := r.target(&s)
	if change != nil {
		change(&target)
	}
	i := way(r.t, m, "xtest")
	testdesk.Must(r.t, i.Probe(testdesk.Patient(r.t), target))
	var stop func() time.Duration
	target.Arrived, stop = r.page.Clock(testdesk.Patient(r.t))
	if err := i.Type(testdesk.Patient(r.t), target); err != nil {
		r.t.Errorf("%v; steps:\n%s", err, &s)
	}
	return stop()
}

func TestXTESTDelivers(t *testing.T) {
	r := furnish(t, testdesk.NewX(t)) // its own, for it ends the window manager
	ctx := testdesk.Patient(t)
	t.Run("again and again", func(t *testing.T) {
		var took []time.Duration
		for range tries(5, 120) {
			r.fresh()
			took = append(took, r.typed(r.m, nil))
			r.exact()
		}
		slices.Sort(took)
		t.Logf("%d times, median %s, slowest %s", len(took), took[len(took)/2], took[len(took)-1])
	})
	t.Run("with another window in front", func(t *testing.T) {
		r.fresh()
		testdesk.Must(t, r.other.Activate(ctx))
		r.typed(r.m, nil)
		r.exact()
	})
	t.Run("minimized", func(t *testing.T) {
		r.fresh()
		testdesk.Must(t, r.x.Minimize(ctx, r.window))
		r.typed(r.m, nil)
		r.exact()
	})
	t.Run("with focus keys, also on a layout without them in its first group", func(t *testing.T) {
		for _, layout := range short.First([]string{"ru,us", "us", "dvorak"}, 1) {
			testdesk.Must(t, r.x.Layout(ctx, layout))
			r.fresh()
			r.typed(r.m, func(target *keystroke.Target) { target.FocusKeys = keystroke.Chord{Ctrl: true, Shift: true, Key: "f9"} })
			r.exact()
			if keys := r.page.Keys(); len(keys) == 0 || keys[len(keys)-1].Key != "Enter" ||
				!slices.ContainsFunc(keys, func(k testdesk.Key) bool { return k.Ctrl && k.Shift && k.Code == "F9" }) {
				t.Errorf("%s: keys %+v, want ctrl+shift+f9 among them", layout, keys)
			}
		}
		testdesk.Must(t, r.x.Layout(ctx, "us"))
	})
	t.Run("while another program has grabbed the keyboard", func(t *testing.T) {
		r.fresh()
		release, err := x11.GrabKeyboard(ctx, desk.Machine(r.m))
		testdesk.Must(t, err)
		r.typed(r.m, nil)
		release()
		r.exact()
	})
	t.Run("without a window manager", func(t *testing.T) {
		r.fresh()
		testdesk.Must(t, r.x.KillWM(), r.other.Focus())
		r.typed(r.m, nil)
		r.exact()
	})
}

func TestXTESTFakesKeysWhereEventsAreIgnored(t *testing.T) {
	r := sharedRoom(t)
	ctx := testdesk.Patient(t)
	t.Run("which is found out", func(t *testing.T) {
		r.fresh()
		testdesk.Must(t, faked{r.m, false}.Type(ctx, r.target(&steps{})))
		r.exact()
	})
	t.Run("not while another program has grabbed the keyboard", func(t *testing.T) {
		r.fresh()
		release, err := x11.GrabKeyboard(ctx, desk.Machine(r.m))
		testdesk.Must(t, err)
		err = faked{r.m, true}.Type(ctx, r.target(&steps{}))
		if err == nil || !strings.Contains(err.Error(), "grabbed the keyboard") || errors.As(err, new(*keystroke.SentError)) {
			t.Errorf("got %v, want that the keyboard is grabbed and nothing sent", err)
		}
		release()
		r.nothing()
	})
}

// Nothing is typed anywhere unless there is exactly one window that is meant.
func TestXTESTFindsTheWindowOrTypesNothing(t *testing.T) {
	r := sharedRoom(t)
	ctx := testdesk.Patient(t)
	cursor := func(t *testing.T, title string) {
		if title == "" {
			return
		}
		o, err := r.x.NewOther(ctx, "Cursor", title, r.editor.Pid)
		testdesk.Must(t, err)
		t.Cleanup(o.Close)
	}
	for _, tt := range []struct {
		name, second string // of the editor's windows
		change       func(*keystroke.Target)
		want         string
	}{
		{"wrong executable", "", func(target *keystroke.Target) { target.Editors = []string{"cursor"} }, "no window of Cursor"},
		{"no names of executables", "", func(target *keystroke.Target) { target.Editors = nil }, "no window of Cursor"},
		{"two windows, both of the workspace", "x.go - repo - Cursor", func(*keystroke.Target) {}, "of 2 windows of Cursor 2"},
		{"two windows, none of the workspace", "x.go - repo - Cursor",
			func(target *keystroke.Target) { target.Workspace = "/home/me/elsewhere" }, "of 2 windows of Cursor 0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cursor(t, tt.second)
			r.fresh()
			target := r.target(&steps{})
			tt.change(&target)
			for what, err := range map[string]error{
				"probe": way(t, r.m, "xtest").Probe(ctx, target), "type": way(t, r.m, "xtest").Type(ctx, target),
			} {
				if err == nil || !strings.Contains(err.Error(), tt.want) || errors.As(err, new(*keystroke.SentError)) {
					t.Errorf("%s: got %v, want %q", what, err, tt.want)
				}
			}
			r.nothing()
		})
	}
	t.Run("two windows, one of the workspace", func(t *testing.T) {
		cursor(t, "x.go - another - Cursor")
		r.fresh()
		r.typed(r.m, nil)
		r.exact()
	})
	t.Run("only a title mentions Cursor", func(t *testing.T) {
		for _, class := range []string{"XTerm", "Cursors", "My Cursor"} {
			o, err := r.x.NewOther(ctx, class, "main.go - repo - Cursor", os.Getpid())
			testdesk.Must(t, err)
			target := r.target(&steps{})
			target.Editors = []string{desk.Executable(os.Args[0])}
			if err := way(t, r.m, "xtest").Type(ctx, target); !errors.Is(err, desk.ErrNoWindow) {
				t.Errorf("%s: got %v, want no window", class, err)
			}
			testdesk.Must(t, o.Sync(ctx))
			if keys := o.Keys(); len(keys) > 0 {
				t.Errorf("%s: got keys %+v", class, keys)
			}
			o.Close()
		}
	})
}

// However often the focus is taken away, no key gets into the other window.
func TestXTESTWhenTheFocusIsStolenAgainAndAgain(t *testing.T) {
	r := sharedRoom(t)
	exact, keys, pastes, n := 0, 0, 0, tries(10, 50)
	for range n {
		r.fresh()
		stop, stopped := make(chan struct{}), make(chan error, 1)
		go func() { stopped <- r.flip(stop) }()
		var s steps
		err := way(t, r.m, "xtest").Type(testdesk.Patient(t), r.target(&s))
		close(stop)
		testdesk.Must(t, <-stopped)
		if err != nil { // on a busy machine it may have to give up, and must have pressed nothing
			t.Logf("%v; steps:\n%s", err, &s)
			r.untouched()
		} else {
			exact++
			r.exact()
		}
		keys, pastes = keys+len(r.other.Keys()), pastes+len(r.other.Pasted())
	}
	if exact < n/2 || keys+pastes > 0 {
		t.Errorf("got %d of %d delivered, %d keys and %d pastes in the other window", exact, n, keys, pastes)
	}
	t.Logf("lab: | every 2 ms, setting the input focus | %d | %d | %d | %d |", n, exact, keys, pastes)
}

// flip returns the focus to the other window and back, every 2 ms.
func (r *room) flip(stop chan struct{}) error {
	ticker := time.NewTicker(2 * time.Millisecond)
	defer ticker.Stop()
	for windows := [2]uint32{r.other.Window(), r.window}; ; windows[0], windows[1] = windows[1], windows[0] {
		select {
		case <-stop:
			return nil
		case <-ticker.C:
			if err := r.x.FocusWindow(windows[0]); err != nil {
				return err
			}
		}
	}
}

// A display that is not there, or hangs, is reported in a moment, and no other is
// taken for it.
func TestWithoutADisplay(t *testing.T) {
	hung, living := testdesk.NewX(t), x11.SharedX(t)
	testdesk.Must(t, hung.Stop())
	t.Cleanup(func() { testdesk.Must(t, hung.Continue()) })
	t.Setenv("DISPLAY", living.Display()) // of this process, which does not count
	robotgo := buildRobotgo(t)
	for _, tt := range []struct {
		name, want string
		env        []string
	}{
		{"unset", "DISPLAY is not set", nil},
		{"empty", "DISPLAY is not set", []string{"DISPLAY="}},
		{"no display's name", "names no display", []string{"DISPLAY=nonsense"}},
		{"dead", "display :987: ", []string{"DISPLAY=:987"}},
		{"hung", "no answer", hung.Env()},
		{"without that screen", "no screen 7", []string{"DISPLAY=" + living.Display() + ".7"}},
		{"without the editor", "no window of Cursor", living.Env()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := keystroke.Machine{OS: "linux", Robotgo: robotgo, Env: append([]string{"PATH=/usr/bin:/bin"}, tt.env...)}
			var tried sync.WaitGroup
			defer tried.Wait()
			for _, name := range []string{"xtest", "robotgo", "xdotool"} {
				i := way(t, m, name)
				for what, do := range map[string]func(context.Context, keystroke.Target) error{"probe": i.Probe, "type": i.Type} {
					tried.Go(func() {
						began := time.Now()
						err := do(t.Context(), keystroke.Target{Line: testLine, Editors: []string{"cursor"}})
						if err == nil || !strings.Contains(err.Error(), tt.want) || errors.As(err, new(*keystroke.SentError)) {
							t.Errorf("%s, %s: got %v, want %q", name, what, err, tt.want)
						}
						if took := time.Since(began); took > 2*x11.AnswerWait {
							t.Errorf("%s, %s: it took %s", name, what, took)
						}
					})
				}
			}
		})
	}
}
