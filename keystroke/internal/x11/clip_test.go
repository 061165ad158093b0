package x11

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jezek/xgb/xproto"

	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
	"github.com/cursor-ralph/cursor-ralph/test/testdesk"
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
	testdesk.Must(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // if it lives
		_ = cmd.Wait()         // killed, or the display ended
	})
	for ownerOf(t, x, selection) == before {
		testdesk.Must(t, proc.Sleep(testdesk.Patient(t), desk.Poll))
	}
	return cmd
}

func ownerOf(t *testing.T, x *testdesk.X, selection string) xproto.Window {
	t.Helper()
	c, err := Open(testdesk.Patient(t), desk.Machine{Env: x.Env()})
	testdesk.Must(t, err)
	defer c.Close()
	name := xproto.Atom(xproto.AtomPrimary)
	if selection == "clipboard" {
		name = c.atoms["CLIPBOARD"]
	}
	owner, err := c.ownerOf(name)
	testdesk.Must(t, err)
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
			x, c := openShared(t)
			owner := copies(t, x, tt.in, tt.args...)
			clip, err := c.Put(testdesk.Patient(t), desk.Window{ID: "1"}, testLine)
			testdesk.Must(t, err)
			testdesk.Must(t, owner.Process.Kill())
			if got, err := x.Clipboard(testdesk.Patient(t)); err == nil && got != "" {
				t.Errorf("another program got %q meanwhile", got)
			}
			lost, err := clip.Restore(testdesk.Patient(t))
			testdesk.Must(t, err)
			if !strings.Contains(lost, tt.lost) || tt.want != "-" && !strings.Contains(lost, "only as long as this process lives") {
				t.Errorf("lost %q, want %q", lost, tt.lost)
			}
			want := tt.want
			if want == "" {
				want = tt.in
			}
			got, _ := x.Clipboard(testdesk.Patient(t)) // an error when nobody owns it
			if want == "-" {
				if owner := ownerOf(t, x, "clipboard"); owner != 0 {
					t.Errorf("the clipboard has the owner %#x and %.20q, want none", owner, got)
				}
			} else if got != want {
				t.Errorf("got %.20q of %d bytes back, want %.20q of %d", got, len(got), want, len(want))
			}
			c.Close()
			if got, _ := x.Clipboard(testdesk.Patient(t)); want != "-" && got != want {
				t.Errorf("after the delivery the clipboard holds %.20q", got)
			}
		})
	}
}

func TestEmptyClipboardIsNobodysAfterwards(t *testing.T) {
	x, c := openShared(t)
	clip, err := c.Put(testdesk.Patient(t), desk.Window{ID: "1"}, testLine)
	testdesk.Must(t, err)
	if owner := ownerOf(t, x, "clipboard"); owner != c.self {
		t.Errorf("the owner is %#x, want us", owner)
	}
	if lost, err := clip.Restore(testdesk.Patient(t)); lost != "" || err != nil {
		t.Errorf("got %q, %v", lost, err)
	}
	if owner := ownerOf(t, x, "clipboard"); owner != 0 {
		t.Errorf("the owner is %#x, want none", owner)
	}
}

// What the user copies while the guard starts, which may take seconds, is what is put back.
func TestClipboardIsReadWhenTheGuardRuns(t *testing.T) {
	x, _ := openShared(t)
	copies(t, x, "old")
	copied := filepath.Join(t.TempDir(), "copied")
	c, err := Open(testdesk.Patient(t), desk.Machine{Env: x.Env(), Guard: []string{"/bin/sh", "-c", "until [ -e " + copied + " ]; do sleep 0.01; done; echo ready; cat >/dev/null"}})
	testdesk.Must(t, err)
	defer c.Close()
	put := make(chan error, 1)
	var clip desk.Clip
	go func() {
		var err error
		clip, err = c.Put(testdesk.Patient(t), desk.Window{ID: "1"}, testLine)
		put <- err
	}()
	testdesk.Must(t, proc.Sleep(testdesk.Patient(t), 200*time.Millisecond)) // it may have read the clipboard by now
	copies(t, x, "new")
	testdesk.Must(t, os.WriteFile(copied, nil, 0o600), <-put)
	if got := clip.(*clipboard).clipboard.old.text; got != "new" {
		t.Errorf("got %q to put back, want what was copied last", got)
	}
}

// A clipboard that is lost during the wait for the editor is noticed at once.
func TestFetchedTellsOfAnotherOwner(t *testing.T) {
	x, c := openShared(t)
	clip, err := c.Put(testdesk.Patient(t), desk.Window{ID: "1"}, testLine)
	testdesk.Must(t, err)
	copies(t, x, "of the manager")
	began := time.Now()
	if err := clip.Fetched(testdesk.Patient(t)); !errors.Is(err, errClipboardLost) {
		t.Errorf("got %v, want that the clipboard was taken", err)
	}
	if took := time.Since(began); took > fetchWait/2 {
		t.Errorf("it took %s", took)
	}
}

// What another program owns is neither taken from it nor given up for it.
func TestClipboardOfAnotherIsLeftAlone(t *testing.T) {
	x, c := openShared(t)
	copies(t, x, "another's")
	testdesk.Must(t, c.serveTexts(c.self, map[xproto.Atom]string{c.atoms["CLIPBOARD"]: "ours"}),
		c.ask(testdesk.Patient(t), func() error { return c.disown(c.atoms["CLIPBOARD"]) }))
	if got, err := x.Clipboard(testdesk.Patient(t)); got != "another's" || err != nil {
		t.Errorf("the clipboard holds %q, %v", got, err)
	}
}

// What is selected comes back, or is nobody's again, or is reported as lost.
func TestSelectionComesBack(t *testing.T) {
	for _, tt := range []struct {
		name   string
		before func(*testing.T, *testdesk.X)
		want   string
		lost   string
	}{
		{name: "nothing", before: func(*testing.T, *testdesk.X) {}},
		{name: "a text", want: "selected", lost: "only as long as this process lives",
			before: func(t *testing.T, x *testdesk.X) {
				testdesk.Must(t, x.Select(testdesk.Patient(t), "primary", "selected"))
			}},
		{name: "an image", lost: "of what was selected: it held an image, which is lost",
			before: func(t *testing.T, x *testdesk.X) { puts(t, x, "primary", "\x89PNG", "-target", "image/png") }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x, c := openShared(t)
			tt.before(t, x)
			clip, err := c.Put(testdesk.Patient(t), desk.Window{ID: "1"}, testLine)
			testdesk.Must(t, err)
			if owner := ownerOf(t, x, "primary"); owner != c.self {
				t.Errorf("the owner is %#x, want us", owner)
			}
			if got, err := x.Selection(testdesk.Patient(t), "primary"); err == nil && got != "" {
				t.Errorf("another program got %q meanwhile", got)
			}
			lost, err := clip.Restore(testdesk.Patient(t))
			if lost != tt.lost && !(tt.lost != "" && strings.Contains(lost, tt.lost)) || err != nil {
				t.Errorf("lost %q, %v; want %q", lost, err, tt.lost)
			}
			owner := ownerOf(t, x, "primary")
			if got, _ := x.Selection(testdesk.Patient(t), "primary"); got != tt.want || (owner == 0) != (tt.want == "") { // an error when it is nobody's
				t.Errorf("afterwards %#x has %q selected, want %q", owner, got, tt.want)
			}
		})
	}
}
