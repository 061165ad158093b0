package x11_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jezek/xgb/xproto"

	"github.com/cursor-ralph/cursor-ralph/keystroke"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/x11"
	"github.com/cursor-ralph/cursor-ralph/test/short"
	"github.com/cursor-ralph/cursor-ralph/test/testdesk"
)

// leaks is what thefts of the focus have led to.
type leaks struct {
	delivered, refused, keys, returns int
	text                              []string // in the other window: there must be none
}

// XTEST checks the focus and presses in one step, so no key goes astray. A program
// can lose the focus between the two: then the key goes astray, and never a character
// of the line, which only the editor gets.
func TestX11WhenTheFocusIsStolen(t *testing.T) {
	short.Skip(t)
	r := withPrograms(t)
	for _, name := range []string{"xtest", "robotgo", "xdotool"} {
		t.Run(name, func(t *testing.T) {
			for _, by := range []struct {
				name  string
				steal func() error
			}{
				{"activating another window", func() error { return r.x.AskActivation(r.other.Window()) }},
				{"setting the input focus", r.other.Focus},
			} {
				var s leaks
				n := tries(12, 300)
				chance := rand.New(rand.NewPCG(1, uint64(len(name))))
				for range n {
					r.stolen(t, way(t, r.m, name), by.steal, time.Duration(chance.IntN(120))*time.Millisecond, &s)
				}
				t.Logf("lab: | %s, %s | %d | %d | %d | %d | %d |", name, by.name, n, s.delivered, s.returns, s.keys, len(s.text))
				if len(s.text) > 0 {
					t.Errorf("the other window got %q", s.text)
				}
				if name == "xtest" && s.keys+s.returns > 0 {
					t.Errorf("the other window got %d keys and %d Returns", s.keys, s.returns)
				}
				if s.delivered+s.refused != n {
					t.Errorf("%d delivered and %d refused of %d", s.delivered, s.refused, n)
				}
			}
		})
	}
}

// stolen types once while the focus is taken after some time.
func (r *room) stolen(t *testing.T, i keystroke.Injector, steal func() error, after time.Duration, s *leaks) {
	t.Helper()
	r.t = t
	r.fresh()
	testdesk.Must(t, r.x.Copy(testdesk.Patient(t), ""))
	ctx, cancel := context.WithTimeout(testdesk.Patient(t), 250*time.Millisecond)
	defer cancel()
	thief := make(chan error, 1)
	time.AfterFunc(after, func() { thief <- steal() })
	err := i.Type(ctx, r.target(&steps{}))
	testdesk.Must(t, <-thief)
	testdesk.Must(t, r.other.Sync(testdesk.Patient(t)))
	state, err2 := r.page.State(testdesk.Patient(t))
	testdesk.Must(t, err2)
	s.text = append(s.text, r.other.Pasted()...)
	for _, k := range r.other.Keys() {
		switch {
		case !k.Down:
		case k.Sym == 0xff0d:
			s.returns++
		case k.Sym == 0xff63 || slices.Contains(x11.HeldSyms, xproto.Keysym(k.Sym)):
			s.keys++
		default:
			s.text = append(s.text, fmt.Sprintf("key %#x", k.Sym))
		}
	}
	got := r.page.Messages()
	switch {
	case err == nil && reflect.DeepEqual(got, []string{testLine}):
		s.delivered++
	case err != nil && (len(got) == 0 && (state.Draft == "" || state.Draft == testLine) || reflect.DeepEqual(got, []string{testLine})):
		s.refused++
	default:
		t.Errorf("stolen after %s: error %v, messages %q, draft %q", after, err, got, state.Draft)
	}
}

// A paste that leaks while the line is on the clipboard pastes nothing.
func TestPasteElsewherePastesNothing(t *testing.T) {
	r := withPrograms(t)
	for _, i := range short.First([]keystroke.Injector{way(t, r.m, "xdotool"), way(t, r.m, "robotgo")}, 1) {
		r.fresh()
		asked := 0
		target := r.target(&steps{})
		target.Permit = func(ctx context.Context) error {
			if asked++; asked == 1 {
				return nil // before the line is on the clipboard
			}
			testdesk.Must(t, r.other.Focus())
			r.xdotool("key", "shift+Insert")
			testdesk.Must(t, r.other.AwaitKeys(ctx, 4*(asked-1)))
			testdesk.Must(t, r.other.Sync(ctx))
			return r.x.FocusWindow(r.window)
		}
		if err := i.Type(testdesk.Patient(t), target); err != nil {
			t.Errorf("%s: %v", i.Name(), err)
		}
		if got := r.other.Pasted(); len(got) > 0 {
			t.Errorf("%s: the other window got %q", i.Name(), got)
		}
		if got, want := len(r.other.Keys()), 4*(asked-1); got != want || asked < 3 {
			t.Errorf("%s: the other window got %d keys, want the %d of %d pastes", i.Name(), got, want, asked-1)
		}
		if got := r.page.Messages(); !reflect.DeepEqual(got, []string{testLine}) {
			t.Errorf("%s: messages %q", i.Name(), got)
		}
	}
}

// Keys that bring the focus into the chat input are pressed before the line; a
// keyboard that does not have them is found out before anything is pressed.
func TestProgramsPressFocusKeys(t *testing.T) {
	r := withPrograms(t)
	chord, err := keystroke.ParseChord("ctrl+i")
	testdesk.Must(t, err)
	for _, i := range short.First([]keystroke.Injector{way(t, r.m, "xdotool"), way(t, r.m, "robotgo")}, 1) {
		testdesk.Must(t, r.x.Layout(testdesk.Patient(t), "de"))
		r.fresh()
		target := r.target(&steps{})
		target.FocusKeys = chord
		if err := i.Type(testdesk.Patient(t), target); err != nil {
			t.Errorf("%s: %v", i.Name(), err)
		}
		r.exact()
		var keys []string
		for _, k := range r.page.Keys() {
			keys = append(keys, k.Key)
		}
		if got, want := strings.Join(keys, " "), "Control i Shift Insert Enter"; got != want {
			t.Errorf("%s: the page got the keys %q, want %q", i.Name(), got, want)
		}

		testdesk.Must(t, r.x.Layout(testdesk.Patient(t), "ru"))
		r.fresh()
		if err := i.Type(testdesk.Patient(t), target); err == nil || !strings.Contains(err.Error(), "no key i") {
			t.Errorf("%s on ru: got %v, want that there is no key i", i.Name(), err)
		}
		if err := i.Type(testdesk.Patient(t), target); err == nil || errors.As(err, new(*keystroke.SentError)) {
			t.Errorf("%s on ru: got %v, want an error before any key", i.Name(), err)
		}
		r.nothing()
		if keys := r.page.Keys(); len(keys) > 0 {
			t.Errorf("%s on ru: the page got keys %v", i.Name(), keys)
		}
	}
}
