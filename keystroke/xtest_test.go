package keystroke

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jezek/xgb/xproto"

	"github.com/cursor-ralph/cursor-ralph/internal/testdesk"
)

// typed types into the room by XTEST, wants the exact line, and tells how long
// it took to arrive.
func (r *x11Room) typed(m Machine, change func(*Target)) time.Duration {
	r.t.Helper()
	var s steps
	target := r.target(&s)
	if change != nil {
		change(&target)
	}
	i := newXTEST(m)
	must(r.t, i.Probe(patient(r.t), target))
	stop := clock(patient(r.t), r.page, &target)
	if err := i.Type(patient(r.t), target); err != nil {
		r.t.Errorf("%v; steps:\n%s", err, &s)
	}
	return stop()
}

func TestXTESTDelivers(t *testing.T) {
	r := newRoom(t)
	ctx := patient(t)
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
		must(t, r.other.Activate(ctx))
		r.typed(r.m, nil)
		r.exact()
	})
	t.Run("minimized", func(t *testing.T) {
		r.fresh()
		must(t, r.x.Minimize(ctx, r.window))
		r.typed(r.m, nil)
		r.exact()
	})
	t.Run("with focus keys, also on a layout without them in its first group", func(t *testing.T) {
		for _, layout := range []string{"us", "ru,us", "dvorak"} {
			must(t, r.x.Layout(ctx, layout))
			r.fresh()
			r.typed(r.m, func(target *Target) { target.FocusKeys = Chord{Ctrl: true, Shift: true, Key: "f9"} })
			r.exact()
			if keys := r.page.Keys(); len(keys) == 0 || keys[len(keys)-1].Key != "Enter" ||
				!slices.ContainsFunc(keys, func(k testdesk.Key) bool { return k.Ctrl && k.Shift && k.Code == "F9" }) {
				t.Errorf("%s: keys %+v, want ctrl+shift+f9 among them", layout, keys)
			}
		}
		must(t, r.x.Layout(ctx, "us"))
	})
	t.Run("while another program has grabbed the keyboard", func(t *testing.T) {
		r.fresh()
		x := r.open()
		grab, err := xproto.GrabKeyboard(x.conn, false, x.root, 0, xproto.GrabModeAsync, xproto.GrabModeAsync).Reply()
		if err != nil || grab.Status != xproto.GrabStatusSuccess {
			t.Fatal(grab, err)
		}
		r.typed(r.m, nil)
		x.close()
		r.exact()
	})
	t.Run("without a window manager", func(t *testing.T) {
		r.fresh()
		must(t, r.x.KillWM(), r.other.Focus())
		r.typed(r.m, nil)
		r.exact()
	})
}

// open connects to the room's display.
func (r *x11Room) open() *x11 {
	r.t.Helper()
	x, err := openX11(patient(r.t), r.m)
	must(r.t, err)
	r.t.Cleanup(x.close)
	return x
}

// fakes types as into an editor that ignores events that are sent to it, which
// is known from the start or has to be found out.
func (r *x11Room) fakes(target Target, known bool) error {
	x := r.open()
	defer x.close()
	return deliver(patient(r.t), target, x, deaf{&xtestKeyboard{x: x, permit: target.permit}, known})
}

// deaf does not send the paste.
type deaf struct {
	*xtestKeyboard
	known bool
}

func (d deaf) press(ctx context.Context, w window, c Chord) error {
	switch {
	case c != pasteChord:
		return d.xtestKeyboard.press(ctx, w, c)
	case d.known:
		d.way = faked
		return d.x.step(ctx, w, c, faked)
	}
	return d.noticed(ctx, w)
}

func TestXTESTFakesKeysWhereEventsAreIgnored(t *testing.T) {
	r := newRoom(t)
	ctx := patient(t)
	layouts := []string{"de", "us,ru"}
	if lab() {
		layouts = append(layouts, "us", "fr", "dvorak", "ru")
	}
	for _, layout := range layouts {
		must(t, r.x.Layout(ctx, layout))
		if strings.Contains(layout, ",") {
			must(t, r.x.Group(ctx, 1))
		}
		r.fresh()
		if err := r.fakes(r.target(&steps{}), true); err != nil {
			t.Errorf("%s: %v", layout, err)
		}
		r.exact()
		must(t, r.x.Group(ctx, 0))
	}
	must(t, r.x.Layout(ctx, "us"), r.x.CapsLock(ctx, true))
	for _, held := range []uint16{testdesk.Shift, testdesk.Ctrl, testdesk.Alt} {
		r.fresh()
		must(t, r.x.Hold(held))
		if err := r.fakes(r.target(&steps{}), true); err != nil {
			t.Errorf("held %b: %v", held, err)
		}
		if got, err := r.x.Held(); got != held|testdesk.CapsLock || err != nil {
			t.Errorf("held afterwards %b, %v; want %b and Caps Lock", got, err, held)
		}
		must(t, r.x.LetGo(held))
		r.exact()
	}
	must(t, r.x.CapsLock(ctx, false))

	t.Run("which is found out", func(t *testing.T) {
		r.fresh()
		must(t, r.fakes(r.target(&steps{}), false))
		r.exact()
	})
	t.Run("not while another program has grabbed the keyboard", func(t *testing.T) {
		r.fresh()
		x := r.open()
		grab, err := xproto.GrabKeyboard(x.conn, false, x.root, 0, xproto.GrabModeAsync, xproto.GrabModeAsync).Reply()
		if err != nil || grab.Status != xproto.GrabStatusSuccess {
			t.Fatal(grab, err)
		}
		err = r.fakes(r.target(&steps{}), true)
		if err == nil || !strings.Contains(err.Error(), "grabbed the keyboard") || errors.As(err, new(*SentError)) {
			t.Errorf("got %v, want that the keyboard is grabbed and nothing sent", err)
		}
		x.close()
		r.nothing()
	})
}

// Nothing is typed anywhere unless there is exactly one window that is meant.
func TestXTESTFindsTheWindowOrTypesNothing(t *testing.T) {
	r := newRoom(t)
	ctx := patient(t)
	cursor := func(title string) func() {
		o, err := r.x.NewOther(ctx, "Cursor", title, r.editor.Pid)
		must(t, err)
		return o.Close
	}
	nothing := func() {}
	for _, tt := range []struct {
		name   string
		arm    func() func()
		change func(*Target)
		want   string
	}{
		{"wrong executable", func() func() { return nothing },
			func(target *Target) { target.Editors = []string{"cursor"} }, "no window of Cursor"},
		{"no names of executables", func() func() { return nothing },
			func(target *Target) { target.Editors = nil }, "no window of Cursor"},
		{"two windows, both of the workspace", func() func() { return cursor("x.go - repo - Cursor") },
			func(*Target) {}, "of 2 windows of Cursor 2"},
		{"two windows, none of the workspace", func() func() { return cursor("x.go - repo - Cursor") },
			func(target *Target) { target.Workspace = "/home/me/elsewhere" }, "of 2 windows of Cursor 0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			disarm := tt.arm()
			defer disarm()
			r.fresh()
			target := r.target(&steps{})
			tt.change(&target)
			for what, err := range map[string]error{
				"probe": newXTEST(r.m).Probe(ctx, target), "type": newXTEST(r.m).Type(ctx, target),
			} {
				if err == nil || !strings.Contains(err.Error(), tt.want) || errors.As(err, new(*SentError)) {
					t.Errorf("%s: got %v, want %q", what, err, tt.want)
				}
			}
			r.nothing()
		})
	}
	t.Run("two windows, one of the workspace", func(t *testing.T) {
		defer cursor("x.go - another - Cursor")()
		r.fresh()
		r.typed(r.m, nil)
		r.exact()
	})
	t.Run("only a title mentions Cursor", func(t *testing.T) {
		must(t, r.editor.Close())
		for _, class := range []string{"XTerm", "Cursors", "My Cursor"} {
			o, err := r.x.NewOther(ctx, class, "main.go - repo - Cursor", os.Getpid())
			must(t, err)
			target := r.target(&steps{})
			target.Editors = append(target.Editors, executable(os.Args[0]))
			if err := newXTEST(r.m).Type(ctx, target); !errors.Is(err, errNoWindow) {
				t.Errorf("%s: got %v, want no window", class, err)
			}
			must(t, o.Sync(ctx))
			if keys := o.Keys(); len(keys) > 0 {
				t.Errorf("%s: got keys %+v", class, keys)
			}
			o.Close()
		}
	})
}

// However the focus is taken away, no key gets into the other window.
func TestXTESTWhenTheFocusIsStolen(t *testing.T) {
	r := newRoom(t)
	for _, tt := range []struct {
		how   string
		steal func() error
	}{
		{"activating another window", func() error { return r.x.AskActivation(r.other.Window()) }},
		{"setting the input focus", r.other.Focus},
	} {
		t.Run(tt.how, func(t *testing.T) {
			exact, keys, pastes, n := 0, 0, 0, tries(12, 300)
			for range n {
				r.fresh()
				ctx, cancel := context.WithTimeout(patient(t), 300*time.Millisecond)
				stolen := make(chan error, 1)
				after := rand.N(80 * time.Millisecond) // the time that a delivery takes
				go func() {
					time.Sleep(after) // a random moment is what is tried
					stolen <- tt.steal()
				}()
				err := newXTEST(r.m).Type(ctx, r.target(&steps{}))
				cancel()
				must(t, <-stolen)
				if err == nil {
					exact++
				}
				r.untouched()
				keys, pastes = keys+len(r.other.Keys()), pastes+len(r.other.Pasted())
				if got := r.page.Messages(); len(got) > 1 || len(got) == 1 && got[0] != testLine {
					t.Errorf("messages %q after a theft at %s", got, after)
				}
			}
			t.Logf("lab: | once, %s | %d | %d | %d | %d |", tt.how, n, exact, keys, pastes)
		})
	}
	t.Run("every 2 ms", func(t *testing.T) {
		exact, keys, pastes, n := 0, 0, 0, tries(10, 50)
		for range n {
			r.fresh()
			stop, stopped := make(chan struct{}), make(chan error, 1)
			go func() { stopped <- r.flip(stop) }()
			var s steps
			err := newXTEST(r.m).Type(patient(t), r.target(&s))
			close(stop)
			must(t, <-stopped)
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
	})
}

// flip gives the focus to the other window and back, every 2 ms.
func (r *x11Room) flip(stop chan struct{}) error {
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

// A display that is not there, or does not answer, is told within a moment, and
// no other is taken for it.
func TestXTESTWithoutADisplay(t *testing.T) {
	hung := startX11(t)
	must(t, hung.Stop())
	t.Cleanup(func() { must(t, hung.Continue()) })
	living := startX11(t)
	t.Setenv("DISPLAY", living.Display()) // of this process, which does not count
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
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := Machine{OS: "linux", Env: tt.env}
			for what, do := range map[string]func(context.Context, Target) error{"probe": newXTEST(m).Probe, "type": newXTEST(m).Type} {
				began := time.Now()
				err := do(patient(t), Target{Line: testLine, Editors: []string{"cursor"}})
				if err == nil || !strings.Contains(err.Error(), tt.want) || errors.As(err, new(*SentError)) {
					t.Errorf("%s: got %v, want %q", what, err, tt.want)
				}
				if took := time.Since(began); took > 2*x11Wait {
					t.Errorf("%s: it took %s", what, took)
				}
			}
		})
	}
}

// A display that hangs later is told too.
func TestDisplayThatHangsLater(t *testing.T) {
	server := startX11(t)
	x, err := openX11(patient(t), Machine{Env: server.Env()})
	must(t, err)
	must(t, server.Stop())
	t.Cleanup(func() { must(t, server.Continue()) })
	began := time.Now()
	for _, ask := range []func() error{
		func() error { _, err := x.idle(patient(t)); return err },
		func() error { _, err := x.windows(patient(t), Target{}); return err },
		func() error { _, err := x.put(patient(t), window{}, testLine); return err },
		func() error { return x.step(patient(t), window{}, returnChord, sent) },
	} {
		if err := ask(); err == nil || !strings.Contains(err.Error(), "no answer") {
			t.Errorf("got %v, want no answer", err)
		}
	}
	x.close()
	if took := time.Since(began); took > 3*x11Wait {
		t.Errorf("it took %s", took)
	}
}

func TestPermitIsAskedAgainBeforeReturn(t *testing.T) {
	r := newRoom(t)
	for n := range 3 {
		r.fresh()
		asked := 0
		target := r.target(&steps{})
		target.Permit = func(context.Context) error {
			if asked++; asked > n {
				return fmt.Errorf("not wanted any more")
			}
			return nil
		}
		err := newXTEST(r.m).Type(patient(t), target)
		if err == nil || !strings.Contains(err.Error(), "not wanted") {
			t.Errorf("got %v, want that it is not wanted", err)
		}
		if got := r.page.Messages(); len(got) > 0 {
			t.Errorf("%d permits: messages %q", n, got)
		}
	}
}
