package x11

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/jezek/xgb/xproto"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/key"
	"github.com/cursor-ralph/cursor-ralph/test/testdesk"
)

// A key that a program leaves down, because it crashed, is released.
func TestKeysLeftDownAreReleased(t *testing.T) {
	server, x := openShared(t)
	p, err := x.pressing(testdesk.Patient(t), key.Paste)
	testdesk.Must(t, err)
	xdotool := exec.CommandContext(testdesk.Patient(t), "xdotool", "keydown", "shift", "keydown", "Insert")
	xdotool.Env = server.Env()
	testdesk.Must(t, xdotool.Run())
	if down, err := server.Down(); len(down) != 2 || err != nil {
		t.Fatalf("down: %v, %v", down, err)
	}
	crash := errors.New("crash")
	if err := x.clean(p, crash); !errors.Is(err, crash) {
		t.Errorf("got %v, want the crash", err)
	}
	if down, err := server.Down(); len(down) != 0 || err != nil {
		t.Errorf("down afterwards: %v, %v", down, err)
	}
}

func TestHeldModifiersAreReleasedAndPutBack(t *testing.T) {
	p := Pressing{
		strokes: strokes{key: 118, with: []xproto.Keycode{50}},
		held:    []xproto.Keycode{37, 108}, syms: []xproto.Keysym{0xffe3, 0xffea},
	}
	const script = "keyup 37\nkeyup 108\nkey --delay 0 50+118\nkeydown 37\nkeydown 108\n"
	if got := xdotoolScript(p); got != script {
		t.Errorf("got %q, want %q", got, script)
	}
	if got, err := p.HeldNames(); strings.Join(got, " ") != "lctrl ralt" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	p.syms[1] = 0xfe03
	if got, err := p.HeldNames(); err == nil || !strings.Contains(err.Error(), "108") {
		t.Errorf("with AltGr held: %q, %v; robotgo cannot release that", got, err)
	}
}

// The program itself presses nothing before its word, and all of it then.
func TestXdotoolWaitsForItsWord(t *testing.T) {
	x := SharedX(t)
	other, err := x.NewOther(testdesk.Patient(t), "XTerm", "terminal", os.Getpid())
	testdesk.Must(t, err)
	t.Cleanup(other.Close)
	testdesk.Must(t, other.Activate(testdesk.Patient(t)))
	m := desk.Machine{OS: "linux", Env: x.Env()}
	path, err := m.Look("xdotool")
	testdesk.Must(t, err)
	for keys, word := range map[int]bool{0: false, 2: true} { // down and up
		other.Reset()
		p, err := prepareXdotool(m, path, "key 36\n")
		testdesk.Must(t, err)
		if word {
			testdesk.Must(t, p.Press())
		}
		p.Drop()
		testdesk.Must(t, other.Sync(testdesk.Patient(t)))
		if got := other.Keys(); len(got) != keys {
			t.Errorf("with its word: %t; got %+v", word, got)
		}
	}
}
