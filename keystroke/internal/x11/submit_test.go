package x11_test

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/keystroke"
	"github.com/cursor-ralph/cursor-ralph/test/short"
	"github.com/cursor-ralph/cursor-ralph/test/testdesk"
)

// Where Ctrl+Enter sends a message, each way of X11 presses exactly that, also
// while a modifier is held, and leaves no key down; Return alone sends nothing.
func TestX11PressesTheSubmitKey(t *testing.T) {
	r := withPrograms(t)
	testdesk.Must(t, r.x.Copy(testdesk.Patient(t), "what was copied before"), r.x.Select(testdesk.Patient(t), "primary", "what was selected before"))
	for _, i := range short.First(ways(t, r.m), 2) {
		for _, c := range short.First([]condition{conditions()[0], conditions()[8]}, 1) { // us, and Ctrl held
			t.Run(i.Name()+", "+c.name, func(t *testing.T) {
				r.t = t
				testdesk.Must(t, c.set(testdesk.Patient(t), r.x))
				r.fresh()
				testdesk.Must(t, r.page.SendByCtrlEnter(testdesk.Patient(t)))
				if c.hold != 0 {
					testdesk.Must(t, r.x.Hold(c.hold))
					defer func() { testdesk.Must(t, r.x.LetGo(c.hold)) }()
				}
				before := r.keyboard(t)
				target := r.target(&steps{})
				target.Submit = keystroke.Chord{Ctrl: true, Key: "return"}
				testdesk.Must(t, i.Type(testdesk.Patient(t), target))
				if after := r.keyboard(t); !reflect.DeepEqual(after, before) {
					t.Errorf("afterwards %+v, before %+v", after, before)
				}
				s, err := r.page.State(testdesk.Patient(t))
				testdesk.Must(t, err)
				if got := r.page.Messages(); !reflect.DeepEqual(got, []string{testLine}) || s.Draft != "" {
					t.Errorf("messages %q, draft %q", got, s.Draft)
				}
			})
		}
	}
	r.t = t
	r.fresh()
	testdesk.Must(t, r.page.SendByCtrlEnter(testdesk.Patient(t)))
	target := r.target(&steps{})
	target.Arrived = func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
		defer cancel()
		return r.arrived(ctx)
	}
	if err := way(t, r.m, "xtest").Type(testdesk.Patient(t), target); !errors.Is(err, keystroke.ErrUnproved) {
		t.Errorf("with Return: got %v, want that nothing was sent", err)
	}
	s, err := r.page.State(testdesk.Patient(t))
	testdesk.Must(t, err)
	if s.Draft != testLine+"\n" {
		t.Errorf("with Return: the draft is %q", s.Draft)
	}
}
