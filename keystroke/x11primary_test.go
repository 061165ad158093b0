package keystroke

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/internal/testdesk"
)

// A terminal in the editor's own window pastes what is selected at Shift+Insert,
// and a shell would run it. It gets nothing, and neither a second paste nor a
// Return.
func TestTerminalOfTheEditorGetsNothing(t *testing.T) {
	x := startX11(t, noIdle()...)
	ctx := patient(t)
	terminal, err := x.NewOther(ctx, "Cursor", "main.go - repo - Cursor", os.Getpid())
	must(t, err)
	t.Cleanup(terminal.Close)
	must(t, terminal.Activate(ctx))
	m := Machine{OS: "linux", Env: x.Env(), Robotgo: buildRobotgo(t)}
	for n, i := range x11Ways(m) {
		must(t, x.Select(ctx, "primary", "rm -rf /\n"))
		terminal.Reset()
		err := i.Type(ctx, Target{Line: testLine, Editors: []string{executable(os.Args[0])}})
		if !errors.Is(err, errTerminal) || !errors.As(err, new(*SentError)) {
			t.Errorf("%s %d: got %v, want that a terminal has the focus, after a key", i.Name(), n, err)
		}
		must(t, terminal.Sync(ctx))
		var keys []uint32
		for _, k := range terminal.Keys() {
			if k.Down && (k.Sym == symInsert || k.Sym == symReturn) {
				keys = append(keys, k.Sym)
			}
		}
		if !slices.Equal(keys, []uint32{symInsert}) {
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

// What is selected comes back, or is nobody's again, or is told to be lost.
func TestSelectionComesBack(t *testing.T) {
	for _, tt := range []struct {
		name   string
		before func(*testing.T, *testdesk.X)
		want   string
		lost   string
	}{
		{name: "nothing", before: func(*testing.T, *testdesk.X) {}},
		{name: "a text", want: "selected", lost: "only as long as this process lives",
			before: func(t *testing.T, x *testdesk.X) { must(t, x.Select(patient(t), "primary", "selected")) }},
		{name: "an image", lost: "of what was selected: it held an image, which is lost",
			before: func(t *testing.T, x *testdesk.X) { puts(t, x, "primary", "\x89PNG", "-target", "image/png") }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x := startX11(t)
			tt.before(t, x)
			c, err := openX11(patient(t), Machine{Env: x.Env()})
			must(t, err)
			defer c.close()
			clip, err := c.put(patient(t), window{id: "1"}, testLine)
			must(t, err)
			if owner := ownerOf(t, x, "primary"); owner != c.self {
				t.Errorf("the owner is %#x, want us", owner)
			}
			if got, err := x.Selection(patient(t), "primary"); err == nil && got != "" {
				t.Errorf("another program got %q meanwhile", got)
			}
			lost, err := clip.restore(patient(t))
			if lost != tt.lost && !(tt.lost != "" && strings.Contains(lost, tt.lost)) || err != nil {
				t.Errorf("lost %q, %v; want %q", lost, err, tt.lost)
			}
			owner := ownerOf(t, x, "primary")
			if got, _ := x.Selection(patient(t), "primary"); got != tt.want || (owner == 0) != (tt.want == "") { // an error when it is nobody's
				t.Errorf("afterwards %#x has %q selected, want %q", owner, got, tt.want)
			}
		})
	}
}

// The user selects something right before the paste: a terminal would paste it.
func TestSelectionTakenByAnother(t *testing.T) {
	r := furnish(t, startX11(t, noIdle()...))
	r.m.Robotgo = buildRobotgo(t)
	for n, i := range x11Ways(r.m) {
		r.fresh()
		asked := 0
		target := r.target(&steps{})
		target.Permit = func(ctx context.Context) error {
			if asked++; asked == 2 {
				return r.x.Select(ctx, "primary", "the user's")
			}
			return nil
		}
		if err := i.Type(patient(t), target); !errors.Is(err, errPrimaryLost) || errors.As(err, new(*SentError)) {
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
	must(t, newXTEST(r.m).Type(patient(t), target))
	r.exact()
	r.holds("primary", "the user's")
}
