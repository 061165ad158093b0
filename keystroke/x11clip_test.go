package keystroke

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/jezek/xgb/xproto"

	"github.com/cursor-ralph/cursor-ralph/internal/testdesk"
)

// copies puts something on the clipboard by a tool.
func copies(t *testing.T, x *testdesk.X, stdin string, args ...string) *exec.Cmd {
	t.Helper()
	return puts(t, x, "clipboard", stdin, args...)
}

func puts(t *testing.T, x *testdesk.X, selection, stdin string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("xclip", append([]string{"-selection", selection, "-in", "-quiet"}, args...)...)
	cmd.Env, cmd.Stdin = x.Env(), strings.NewReader(stdin)
	before := ownerOf(t, x, selection)
	must(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // if it lives
		_ = cmd.Wait()         // how it ended is no matter
	})
	for ownerOf(t, x, selection) == before {
		must(t, sleep(patient(t), poll))
	}
	return cmd
}

func ownerOf(t *testing.T, x *testdesk.X, selection string) xproto.Window {
	t.Helper()
	c, err := openX11(patient(t), Machine{Env: x.Env()})
	must(t, err)
	defer c.close()
	name := xproto.Atom(xproto.AtomPrimary)
	if selection == "clipboard" {
		name = c.atoms["CLIPBOARD"]
	}
	owner, err := c.ownerOf(name)
	must(t, err)
	return owner
}

func TestClipboardComesBack(t *testing.T) {
	long := strings.Repeat("0123456789abcde\n", 1<<16) // 1 MB, which xclip gives in pieces
	for _, tt := range []struct {
		name, in   string
		args       []string
		want, lost string
	}{
		{name: "text", in: "a text, äöü €"},
		{name: "a long text", in: long},
		{name: "Latin 1 only", in: "\xe4\xf6\xfc", args: []string{"-target", "STRING"}, want: "äöü"},
		{name: "too long", in: strings.Repeat(long, 6), want: "-", lost: "more than 4 MB"},
		{name: "an image", in: "\x89PNG", args: []string{"-target", "image/png"}, want: "-", lost: "it held an image, which is lost"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x := startX11(t)
			owner := copies(t, x, tt.in, tt.args...)
			c, err := openX11(patient(t), Machine{Env: x.Env()})
			must(t, err)
			defer c.close()
			clip, err := c.put(patient(t), window{id: "1"}, testLine)
			must(t, err)
			must(t, owner.Process.Kill())
			if got, err := x.Clipboard(patient(t)); err == nil && got != "" {
				t.Errorf("another program got %q meanwhile", got)
			}
			lost, err := clip.restore(patient(t))
			must(t, err)
			if !strings.Contains(lost, tt.lost) || tt.want != "-" && !strings.Contains(lost, "only as long as this process lives") {
				t.Errorf("lost %q, want %q", lost, tt.lost)
			}
			want := tt.want
			if want == "" {
				want = tt.in
			}
			got, _ := x.Clipboard(patient(t)) // an error when nobody owns it
			if want == "-" {
				if owner := ownerOf(t, x, "clipboard"); owner != 0 {
					t.Errorf("the clipboard has the owner %#x and %.20q, want none", owner, got)
				}
			} else if got != want {
				t.Errorf("got %.20q of %d bytes back, want %.20q of %d", got, len(got), want, len(want))
			}
			c.close()
			if got, _ := x.Clipboard(patient(t)); want != "-" && got != want {
				t.Errorf("after the delivery the clipboard holds %.20q", got)
			}
		})
	}
}

func TestEmptyClipboardIsNobodysAfterwards(t *testing.T) {
	x := startX11(t)
	c, err := openX11(patient(t), Machine{Env: x.Env()})
	must(t, err)
	defer c.close()
	clip, err := c.put(patient(t), window{id: "1"}, testLine)
	must(t, err)
	if owner := ownerOf(t, x, "clipboard"); owner != c.self {
		t.Errorf("the owner is %#x, want us", owner)
	}
	if lost, err := clip.restore(patient(t)); lost != "" || err != nil {
		t.Errorf("got %q, %v", lost, err)
	}
	if owner := ownerOf(t, x, "clipboard"); owner != 0 {
		t.Errorf("the owner is %#x, want none", owner)
	}
}

// A clipboard manager that takes the clipboard before the line was pasted, or
// between paste and Return, is noticed: Return would send something else.
func TestClipboardTakenByAnother(t *testing.T) {
	r := newRoom(t)
	for _, when := range []string{"before the paste", "before Return"} {
		r.fresh()
		asked := 0
		var s steps
		target := r.target(&s)
		target.Permit = func(ctx context.Context) error {
			if asked++; asked == 2 && when == "before the paste" || asked == 3 && when == "before Return" {
				copies(t, r.x, "of the manager")
			}
			return nil
		}
		err := newXTEST(r.m).Type(patient(t), target)
		if err == nil || !strings.Contains(err.Error(), errClipboardLost.Error()) {
			t.Errorf("%s: got %v, want that the clipboard was taken", when, err)
		}
		if got := r.page.Messages(); len(got) > 0 {
			t.Errorf("%s: messages %q, want none", when, got)
		}
		r.untouched()
		r.holds("clipboard", "of the manager")
		if !strings.Contains(s.String(), "left there") {
			t.Errorf("%s: steps:\n%s\nwant that it was left there", when, &s)
		}
	}
}

// What is lost while the editor is waited for is told at once.
func TestFetchedTellsOfAnotherOwner(t *testing.T) {
	x := startX11(t)
	c, err := openX11(patient(t), Machine{Env: x.Env()})
	must(t, err)
	defer c.close()
	clip, err := c.put(patient(t), window{id: "1"}, testLine)
	must(t, err)
	copies(t, x, "of the manager")
	began := time.Now()
	if err := clip.fetched(patient(t)); !errors.Is(err, errClipboardLost) {
		t.Errorf("got %v, want that the clipboard was taken", err)
	}
	if took := time.Since(began); took > fetchWait/2 {
		t.Errorf("it took %s", took)
	}
}

// What another program owns is neither taken from it nor given up for it.
func TestClipboardOfAnotherIsLeftAlone(t *testing.T) {
	x := startX11(t)
	c, err := openX11(patient(t), Machine{Env: x.Env()})
	must(t, err)
	defer c.close()
	copies(t, x, "another's")
	must(t, c.serveTexts(c.self, map[xproto.Atom]string{c.atoms["CLIPBOARD"]: "ours"}),
		c.ask(patient(t), func() error { return c.disown(c.atoms["CLIPBOARD"]) }))
	if got, err := x.Clipboard(patient(t)); got != "another's" || err != nil {
		t.Errorf("the clipboard holds %q, %v", got, err)
	}
}
