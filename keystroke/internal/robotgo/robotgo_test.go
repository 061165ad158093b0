package robotgo

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/key"
	"github.com/cursor-ralph/cursor-ralph/test/faketools"
	"github.com/cursor-ralph/cursor-ralph/test/testdesk"
)

func TestRobotgoThatDoesNotWorkIsPassedOver(t *testing.T) {
	for _, tt := range []struct{ name, script, want string }{
		{"it was built without cgo", `echo "this build has no robotgo in it" >&2; exit 3`, "no robotgo in it"},
		{"it crashes", `kill -SEGV $$`, "segmentation fault"},
		{"it hangs", `exec sleep 60`, "no answer in 3s"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := desk.Machine{OS: "linux", Robotgo: fakeProgram(t, tt.script), Env: []string{"PATH=/usr/bin:/bin"}}
			unfit(t, m, tt.want)
		})
	}
	unfit(t, desk.Machine{OS: "linux"}, "not installed")
}

// unfit checks that the way does not open and returns the reason in time.
func unfit(t *testing.T, m desk.Machine, want string) {
	t.Helper()
	began := time.Now()
	_, err := Open(t.Context(), m, desk.Request{Submit: key.Return})
	hung := want == "no answer in 3s" && errors.Is(err, context.DeadlineExceeded)
	if took := time.Since(began); err == nil || !strings.Contains(err.Error(), want) && !hung || took > desk.ProgramWait+time.Second {
		t.Errorf("got %v after %s, want %q", err, took, want)
	}
}

func TestRobotgoWithoutItsLibraries(t *testing.T) {
	path := testdesk.BuildRobotgo(t)
	program, err := os.ReadFile(path)
	testdesk.Must(t, err)
	library := []byte("libXtst.so.6\x00")
	if !bytes.Contains(program, library) {
		t.Fatal("it does not load libXtst.so.6")
	}
	testdesk.Must(t, os.WriteFile(path, bytes.Replace(program, library, []byte("libXtst.so.7\x00"), 1), 0o700))
	unfit(t, desk.Machine{OS: "linux", Robotgo: path, Env: []string{"PATH=/usr/bin:/bin"}}, "libXtst.so.7")
}

func TestHeldModifiersAreReleasedAndPutBack(t *testing.T) {
	got := strings.Join(args(key.Paste, []string{"lctrl", "ralt"}), " ")
	if want := "up lctrl up ralt press shift+insert down lctrl down ralt"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, tt := range []struct {
		os    string
		chord key.Chord
		want  string
	}{
		{"darwin", key.Paste, "cmd+v"}, {"darwin", key.Return, "return"},
		{"windows", key.Paste, "shift+insert"}, {"windows", key.Chord{Ctrl: true, Key: "l"}, "ctrl+l"},
	} {
		want := "up shift up ctrl up alt up cmd press " + tt.want
		if got := strings.Join(blindArgs(tt.os, tt.chord), " "); got != want {
			t.Errorf("%s, %s: got %q, want %q", tt.os, tt.chord, got, want)
		}
	}
}

func fakeProgram(t *testing.T, script string) string {
	t.Helper()
	return filepath.Join(faketools.New(t, map[string]string{"program": script}).Dir, "program")
}

// The program itself presses nothing before its word, and all of it then.
func TestRobotgoWaitsForItsWord(t *testing.T) {
	x := testdesk.NewX(t)
	other, err := x.NewOther(testdesk.Patient(t), "XTerm", "terminal", os.Getpid())
	testdesk.Must(t, err)
	t.Cleanup(other.Close)
	testdesk.Must(t, other.Activate(testdesk.Patient(t)))
	m := desk.Machine{OS: "linux", Env: x.Env(), Robotgo: testdesk.BuildRobotgo(t)}
	for keys, word := range map[int]bool{0: false, 2: true} { // down and up
		other.Reset()
		p, err := prepare(m, []string{"press", "return"})
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
