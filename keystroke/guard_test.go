//go:build unix

package keystroke

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jezek/xgb/xproto"

	"github.com/cursor-ralph/cursor-ralph/internal/testdesk"
)

// TestProcess is no test: it is what other processes of these tests run.
func TestProcess(*testing.T) {
	var err error
	switch os.Getenv("CURSOR_RALPH_TEST_PROCESS") {
	case "guard":
		err = Guard(os.Stdin, os.Stdout, os.Getenv, func() {})
	case "typer":
		err = typer()
	case "grabber":
		err = grabber()
	default:
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// guardedMachine is this process's display with a guard that is this program.
func guardedMachine() Machine {
	return Machine{OS: "linux", Guard: []string{os.Args[0], "-test.run=^TestProcess$"},
		Env: append(os.Environ(), "CURSOR_RALPH_TEST_PROCESS=guard")}
}

func typer() error {
	fmt.Println("typing")
	return newXTEST(guardedMachine()).Type(context.Background(),
		Target{Line: testLine, Editors: []string{os.Getenv("TEST_EDITOR")}, Step: func(words string) { fmt.Println(words) }})
}

// grabber grabs the display as a delivery does, and stays like that.
func grabber() error {
	x, err := openX11(context.Background(), guardedMachine())
	if err != nil {
		return err
	}
	x.watched()
	x.guard.say(sayGrab)
	if _, err := x.grab(sent); err != nil {
		return err
	}
	fmt.Println("grabbed")
	if err := syscall.Kill(os.Getpid(), syscall.SIGSTOP); err != nil {
		return err
	}
	select {} // a signal to oneself takes a moment
}

// child starts this program as another process of a test.
func child(t *testing.T, x *testdesk.X, role, editor string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestProcess$")
	cmd.Env = append(x.Env(), "CURSOR_RALPH_TEST_PROCESS="+role, "TEST_EDITOR="+editor)
	cmd.Stderr = os.Stderr
	t.Cleanup(func() {
		if cmd.Process != nil {
			_ = cmd.Process.Kill() // if it is not dead
		}
	})
	return cmd
}

// answers waits until a display serves another program than the one that
// grabbed it.
func answers(t *testing.T, x *testdesk.X, patience time.Duration) time.Duration {
	t.Helper()
	began := time.Now()
	done := make(chan error, 1)
	go func() {
		_, err := x.InputFocus()
		done <- err
	}()
	select {
	case err := <-done:
		must(t, err)
	case <-time.After(patience):
		t.Fatalf("the display serves nobody after %s", patience)
	}
	return time.Since(began)
}

// A process that stands still with the desktop in its hands is killed.
func TestGuardFreesTheDesktop(t *testing.T) {
	x := startX11(t)
	var slowest time.Duration
	for range tries(3, 50) {
		cmd := child(t, x, "grabber", "")
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		word := make([]byte, len("grabbed"))
		if _, err = out.Read(word); !errors.Is(err, io.EOF) { // killed before it told
			must(t, err)
		}
		slowest = max(slowest, answers(t, x, 2*time.Second))
		if err := cmd.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
			t.Errorf("the process ended by %v, want killed", err)
		}
	}
	t.Logf("free again after at most %s", slowest)
}

// A typer that is killed or stopped at a random moment leaves nothing behind: no
// key down, no desktop that stands still, no page that waits, and the clipboard
// as it was.
func TestTyperDiesAtARandomMoment(t *testing.T) {
	r := newRoom(t)
	for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGSTOP} {
		var slowest time.Duration
		sent, drafts, empty := 0, 0, 0
		for i := range tries(6, 100) {
			ctx := patient(t)
			kept := fmt.Sprintf("kept %d", i)
			must(t, r.x.Copy(ctx, kept), r.x.Select(ctx, "primary", "selected "+kept))
			r.fresh()
			cmd := child(t, r.x, "typer", strings.ToLower(r.editor.Exe))
			out, err := cmd.StdoutPipe()
			must(t, err)
			must(t, cmd.Start())
			_, err = out.Read(make([]byte, 1)) // it is typing
			must(t, err)
			time.Sleep(rand.N(200 * time.Millisecond)) // a random moment is what is tried
			must(t, cmd.Process.Signal(signal))
			slowest = max(slowest, answers(t, r.x, 2*time.Second))
			if signal == syscall.SIGSTOP {
				time.AfterFunc(2*time.Second, func() { _ = cmd.Process.Kill() }) // one that had not begun, or had ended its watch
			}
			_ = cmd.Wait()              // how it ended is no matter
			s, err := r.page.State(ctx) // a page that waits does not answer
			must(t, err)
			switch got := r.page.Messages(); {
			case len(got) > 1 || len(got) == 1 && got[0] != testLine && got[0] != "":
				t.Errorf("messages %q", got)
			case len(got) == 1 && got[0] == "": // dead right after Return, before a slow page read the line once more
				empty++
			case len(got) == 1:
				sent++
			case s.Draft == testLine:
				drafts++
			case s.Draft != "":
				t.Errorf("draft %q", s.Draft)
			}
			r.untouched()
			r.holds("clipboard", kept)
			r.holds("primary", "selected "+kept)
		}
		t.Logf("%v: %d sent, %d drafts, %d empty Returns, display free after at most %s", signal, sent, drafts, empty, slowest)
	}
}

// The guard serves what was on the clipboard after the typer has gone, until
// somebody copies something.
func TestGuardServesTheClipboard(t *testing.T) {
	r := newRoom(t)
	ctx := patient(t)
	must(t, r.x.Copy(ctx, "kept äöü €"), r.x.Select(ctx, "primary", "selected"))
	r.fresh()
	cmd := child(t, r.x, "typer", strings.ToLower(r.editor.Exe))
	out, err := cmd.Output()
	must(t, err)
	if strings.Contains(string(out), "clipboard") {
		t.Errorf("steps:\n%s\nwant nothing about the clipboard", out)
	}
	must(t, r.arrived(ctx))
	r.exact()
	r.holds("clipboard", "kept äöü €")
	r.holds("primary", "selected")
	guards := guardsOf(t, r.x.Display())
	if len(guards) != 1 {
		t.Fatalf("guards %v, want one", guards)
	}
	if cwd, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", guards[0])); cwd != "/" || err != nil {
		t.Errorf("the guard works in %s, %v; want /, for the workspace's folder is busy otherwise", cwd, err)
	}
	session, err := syscall.Getpgid(guards[0])
	if err != nil || session != guards[0] {
		t.Errorf("the guard's group is %d, %v; want its own", session, err)
	}
	must(t, r.x.Copy(ctx, "new"), r.x.Select(ctx, "primary", "new"))
	for end := time.Now().Add(5 * time.Second); len(guardsOf(t, r.x.Display())) > 0; {
		if time.Now().After(end) {
			t.Fatal("the guard lives on although another program has the clipboard")
		}
		must(t, sleep(ctx, 5*time.Millisecond))
	}
	r.holds("clipboard", "new")
}

// What takes long at the typer's death does not keep the clipboard waiting, and
// nothing but another program or the display ends it.
func TestGuardServesTheClipboardAtOnce(t *testing.T) {
	x := startX11(t)
	stdin, tell := io.Pipe()
	stuck, ended := make(chan struct{}), make(chan error, 1)
	getenv := func(name string) string { return map[string]string{"DISPLAY": x.Display()}[name] }
	go func() { ended <- Guard(stdin, io.Discard, getenv, func() { <-stuck }) }()
	_, err := fmt.Fprintf(tell, "%s 0\n%s 0 0 %x %x\n", sayTyper, sayKeep, "copied", "selected")
	must(t, err, tell.Close())
	for _, selection := range []string{"clipboard", "primary"} {
		want := map[string]string{"clipboard": "copied", "primary": "selected"}[selection]
		for got, end := "", time.Now().Add(5*time.Second); got != want; got, _ = x.Selection(patient(t), selection) { // nobody's at first
			if time.Now().After(end) {
				t.Fatalf("%s: got %q, want %q", selection, got, want)
			}
		}
	}
	must(t, x.Copy(patient(t), "new"))
	if got, err := x.Selection(patient(t), "primary"); got != "selected" || err != nil {
		t.Errorf("after something was copied, %q is selected, %v", got, err)
	}
	must(t, x.Close())
	close(stuck)
	must(t, <-ended)
}

// guardsOf finds the guards of a display.
func guardsOf(t *testing.T, display string) (pids []int) {
	t.Helper()
	dirs, err := os.ReadDir("/proc")
	must(t, err)
	for _, d := range dirs {
		env, err := os.ReadFile("/proc/" + d.Name() + "/environ")
		if err != nil {
			continue // no process, or gone
		}
		vars := strings.Split(string(env), "\x00")
		if slices.Contains(vars, "CURSOR_RALPH_TEST_PROCESS=guard") && slices.Contains(vars, "DISPLAY="+display) {
			var pid int
			if _, err := fmt.Sscan(d.Name(), &pid); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

func TestGuardThatIsNone(t *testing.T) {
	x := startX11(t)
	for _, guard := range [][]string{nil, {"/nonexistent/guard"}, {"/bin/false"}, {"/bin/cat"}} {
		began := time.Now()
		if g := startGuard(Machine{Env: x.Env(), Guard: guard}); g != nil {
			t.Errorf("%q: got a guard", guard)
		}
		if took := time.Since(began); took > 2*guardReady {
			t.Errorf("%q: it took %s", guard, took)
		}
	}
	var none *guard
	if none.say(sayGrab) || none.serve() {
		t.Error("a guard that is none was told something")
	}
	none.keep(0, xproto.Window(0), "", "")
	none.leave()
}

// An owner of the clipboard that does not answer holds nobody up for long.
func TestClipboardOfAnOwnerThatStandsStill(t *testing.T) {
	x := startX11(t)
	owner := copies(t, x, "text")
	must(t, owner.Process.Signal(syscall.SIGSTOP))
	c, err := openX11(patient(t), Machine{Env: x.Env()})
	must(t, err)
	defer c.close()
	began := time.Now()
	clip, err := c.put(patient(t), window{id: "1"}, testLine)
	must(t, err)
	if took := time.Since(began); took > x11Wait {
		t.Errorf("it took %s", took)
	}
	if lost, err := clip.restore(patient(t)); !strings.Contains(lost, "did not answer") || err != nil {
		t.Errorf("got %q, %v; want that it did not answer", lost, err)
	}
}

// An editor that is only slow gets one paste.
func TestSlowEditorGetsTheLineOnce(t *testing.T) {
	r := newRoom(t)
	for range tries(1, 20) {
		r.fresh()
		asked := 0
		var s steps
		target := r.target(&s)
		target.Permit = func(context.Context) error {
			if asked++; asked != 2 {
				return nil
			}
			time.AfterFunc(sentUsual+sentWait+500*time.Millisecond, func() { _ = syscall.Kill(r.editor.Pid, syscall.SIGCONT) })
			return syscall.Kill(r.editor.Pid, syscall.SIGSTOP)
		}
		if err := newXTEST(r.m).Type(patient(t), target); err != nil {
			t.Errorf("%v; steps:\n%s", err, &s)
		}
		r.exact()
		pastes := 0
		for _, k := range r.page.Keys() {
			if k.Key == "Insert" {
				pastes++
			}
		}
		if pastes != 1 {
			t.Errorf("%d pastes, want one", pastes)
		}
	}
}
