package x11_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/keystroke"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/x11"
	"github.com/cursor-ralph/cursor-ralph/test/short"
	"github.com/cursor-ralph/cursor-ralph/test/testdesk"
)

// A clipboard manager that takes the clipboard before the line was pasted, or
// between paste and Return, is noticed: Return would send something else.
func TestClipboardTakenByAnother(t *testing.T) {
	r := withPrograms(t)
	for _, i := range short.First(ways(t, r.m), 2) {
		for at, want := range map[int]string{2: "", 3: testLine} { // before the paste, and before Return
			r.fresh()
			var s steps
			asked, target := 0, r.target(&s)
			target.Permit = func(ctx context.Context) error {
				if asked++; asked == at {
					return r.x.Copy(ctx, "of the manager")
				}
				return nil
			}
			err := i.Type(testdesk.Patient(t), target)
			if !errors.Is(err, x11.ErrClipboardLost) || errors.As(err, new(*keystroke.SentError)) != (at == 3) {
				t.Errorf("%s, taken at %d: got %v, want that the clipboard was taken", i.Name(), at, err)
			}
			state, err := r.page.State(testdesk.Patient(t))
			if got := r.page.Messages(); len(got) > 0 || state.Draft != want || err != nil {
				t.Errorf("%s, taken at %d: messages %q, draft %q, %v; want the draft %q", i.Name(), at, got, state.Draft, err, want)
			}
			r.untouched()
			r.holds("clipboard", "of the manager")
			if i.Name() == "xtest" && !strings.Contains(s.String(), "left there") {
				t.Errorf("steps:\n%s\nwant that it was left there", &s)
			}
		}
	}
}

// A terminal in the editor's own window pastes what is selected at Shift+Insert,
// and a shell would run it. It gets nothing, and neither a second paste nor a
// Return.
func TestTerminalOfTheEditorGetsNothing(t *testing.T) {
	x := x11.SharedX(t)
	ctx := testdesk.Patient(t)
	terminal, err := x.NewOther(ctx, "Cursor", "main.go - repo - Cursor", os.Getpid())
	testdesk.Must(t, err)
	t.Cleanup(terminal.Close)
	testdesk.Must(t, terminal.Activate(ctx))
	m := keystroke.Machine{OS: "linux", Env: x.Env(), Robotgo: buildRobotgo(t)}
	for n, i := range short.First(ways(t, m), 2) {
		testdesk.Must(t, x.Select(ctx, "primary", "rm -rf /\n"))
		terminal.Reset()
		err := i.Type(ctx, keystroke.Target{Line: testLine, Editors: []string{desk.Executable(os.Args[0])}})
		if !errors.Is(err, x11.ErrTerminal) || !errors.As(err, new(*keystroke.SentError)) {
			t.Errorf("%s %d: got %v, want that a terminal has the focus, after a key", i.Name(), n, err)
		}
		testdesk.Must(t, terminal.Sync(ctx))
		var keys []uint32
		for _, k := range terminal.Keys() {
			if k.Down && (k.Sym == 0xff63 || k.Sym == 0xff0d) {
				keys = append(keys, k.Sym)
			}
		}
		if !slices.Equal(keys, []uint32{0xff63}) {
			t.Errorf("%s %d: the terminal got the keys %x, want one Insert", i.Name(), n, keys)
		}
		if got := terminal.Pasted(); slices.Contains(got, "rm -rf /\n") {
			t.Errorf("%s %d: the terminal got %q", i.Name(), n, got)
		}
		if got, err := x.Selection(ctx, "primary"); got != "rm -rf /\n" || err != nil {
			t.Errorf("%s %d: afterwards %q is selected, %v", i.Name(), n, got, err)
		}
	}
}

// The user selects something right before the paste: a terminal would paste it.
func TestSelectionTakenByAnother(t *testing.T) {
	r := withPrograms(t)
	for n, i := range short.First(ways(t, r.m), 2) {
		r.fresh()
		asked := 0
		target := r.target(&steps{})
		target.Permit = func(ctx context.Context) error {
			if asked++; asked == 2 {
				return r.x.Select(ctx, "primary", "the user's")
			}
			return nil
		}
		if err := i.Type(testdesk.Patient(t), target); !errors.Is(err, x11.ErrPrimaryLost) || errors.As(err, new(*keystroke.SentError)) {
			t.Errorf("%s %d: got %v, want that the selection was taken and no key sent", i.Name(), n, err)
		}
		r.nothing()
		r.holds("primary", "the user's")
	}
	r.fresh()
	asked := 0
	target := r.target(&steps{})
	target.Permit = func(ctx context.Context) error {
		if asked++; asked == 3 { // the line is pasted
			return r.x.Select(ctx, "primary", "the user's")
		}
		return nil
	}
	testdesk.Must(t, way(t, r.m, "xtest").Type(testdesk.Patient(t), target))
	r.exact()
	r.holds("primary", "the user's")
}
