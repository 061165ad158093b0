//go:build unix

package x11

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jezek/xgb/xproto"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
	"github.com/cursor-ralph/cursor-ralph/test/testdesk"
)

// TestGrabber is not a test: it is a process that grabs the display as a delivery
// does, and keeps it.
func TestGrabber(t *testing.T) {
	if os.Getenv("CURSOR_RALPH_TEST_PROCESS") != "grabber" {
		return // another test runs this one in a process of its own
	}
	x, err := Open(t.Context(), desk.Machine{OS: "linux", Guard: []string{os.Args[0], "-test.run=^TestProcess$"},
		Env: append(os.Environ(), "CURSOR_RALPH_TEST_PROCESS=guard")})
	testdesk.Must(t, err)
	x.watched()
	x.guard.say(sayGrab)
	_, err = x.grab(sent)
	testdesk.Must(t, err)
	fmt.Println("grabbed")
	testdesk.Must(t, syscall.Kill(os.Getpid(), syscall.SIGSTOP))
	select {} // a signal to oneself takes a moment
}

// Answers waits until a display serves another program than the one that
// grabbed it.
func Answers(t *testing.T, x *testdesk.X, patience time.Duration) time.Duration {
	t.Helper()
	began := time.Now()
	done := make(chan error, 1)
	go func() {
		_, err := x.InputFocus()
		done <- err
	}()
	select {
	case err := <-done:
		testdesk.Must(t, err)
	case <-time.After(patience):
		t.Fatalf("the display serves nobody after %s", patience)
	}
	return time.Since(began)
}

// A process that stands still with the desktop in its hands is killed.
func TestGuardFreesTheDesktop(t *testing.T) {
	x := SharedX(t)
	var slowest time.Duration
	for range 3 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestGrabber$")
		cmd.Env = append(x.Env(), "CURSOR_RALPH_TEST_PROCESS=grabber")
		cmd.Stderr = os.Stderr
		t.Cleanup(func() { _ = cmd.Process.Kill() }) // if it is not dead
		out, err := cmd.StdoutPipe()
		testdesk.Must(t, err)
		testdesk.Must(t, cmd.Start())
		word := make([]byte, len("grabbed"))
		if _, err = out.Read(word); !errors.Is(err, io.EOF) { // killed before it wrote
			testdesk.Must(t, err)
		}
		slowest = max(slowest, Answers(t, x, 2*time.Second))
		if err := cmd.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
			t.Errorf("the process ended by %v, want killed", err)
		}
	}
	t.Logf("free again after at most %s", slowest)
}

// What takes long at the typer's death does not keep the clipboard waiting, and
// nothing but another program or the display ends it.
func TestGuardServesTheClipboardAtOnce(t *testing.T) {
	x := testdesk.NewX(t) // its own, for it ends the display
	stdin, tell := io.Pipe()
	stuck, ended := make(chan struct{}), make(chan error, 1)
	getenv := func(name string) string { return map[string]string{"DISPLAY": x.Display()}[name] }
	go func() { ended <- Guard(stdin, io.Discard, getenv, func() { <-stuck }) }()
	_, err := fmt.Fprintf(tell, "%s 0\n%s 0 0 %x %x\n", sayTyper, sayKeep, "copied", "selected")
	testdesk.Must(t, err, tell.Close())
	for _, selection := range []string{"clipboard", "primary"} {
		want := map[string]string{"clipboard": "copied", "primary": "selected"}[selection]
		for got, end := "", time.Now().Add(5*time.Second); got != want; got, _ = x.Selection(testdesk.Patient(t), selection) { // nobody's at first
			if time.Now().After(end) {
				t.Fatalf("%s: got %q, want %q", selection, got, want)
			}
		}
	}
	testdesk.Must(t, x.Copy(testdesk.Patient(t), "new"))
	if got, err := x.Selection(testdesk.Patient(t), "primary"); got != "selected" || err != nil {
		t.Errorf("after something was copied, %q is selected, %v", got, err)
	}
	testdesk.Must(t, x.Close())
	close(stuck)
	testdesk.Must(t, <-ended)
}

func TestGuardThatIsNone(t *testing.T) {
	x := SharedX(t)
	for _, guard := range [][]string{nil, {"/nonexistent/guard"}, {"/bin/false"}, {"/bin/cat"}} {
		began := time.Now()
		if g := startGuard(desk.Machine{Env: x.Env(), Guard: guard}); g != nil {
			t.Errorf("%q: got a guard", guard)
		}
		if took := time.Since(began); took > 2*guardReady {
			t.Errorf("%q: it took %s", guard, took)
		}
	}
	var none *guard
	if none.say(sayGrab) || none.serve() {
		t.Error("a nil guard answered")
	}
	none.keep(0, xproto.Window(0), "", "")
	none.leave()
}

// An owner of the clipboard that does not answer holds nobody up for long.
func TestClipboardOfAnOwnerThatStandsStill(t *testing.T) {
	x := SharedX(t)
	owner := copies(t, x, "text")
	testdesk.Must(t, owner.Process.Signal(syscall.SIGSTOP))
	c, err := Open(testdesk.Patient(t), desk.Machine{Env: x.Env()})
	testdesk.Must(t, err)
	defer c.Close()
	began := time.Now()
	clip, err := c.Put(testdesk.Patient(t), desk.Window{ID: "1"}, testLine)
	testdesk.Must(t, err)
	if took := time.Since(began); took > answerWait+2*keepWait {
		t.Errorf("it took %s", took)
	}
	if lost, err := clip.Restore(testdesk.Patient(t)); !strings.Contains(lost, "did not answer") || err != nil {
		t.Errorf("got %q, %v; want that it did not answer", lost, err)
	}
}
func TestGrabLimit(t *testing.T) {
	for trip, want := range map[time.Duration]time.Duration{
		0: guardGrab, 18 * time.Millisecond: guardGrab, 90 * time.Millisecond: 720 * time.Millisecond, time.Second: guardGrabMost,
	} {
		got := grabLimit(trip)
		if read := grabbedFor(fmt.Sprint(got.Milliseconds())); got != want || read != want {
			t.Errorf("%s: got %s, and the guard %s; want %s", trip, got, read, want)
		}
	}
}
