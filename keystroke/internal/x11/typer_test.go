//go:build unix

package x11_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/keystroke"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/x11"
	"github.com/cursor-ralph/cursor-ralph/test/short"
	"github.com/cursor-ralph/cursor-ralph/test/testdesk"
)

// TestProcess is not a test: other processes of these tests run it.
func TestProcess(*testing.T) {
	var err error
	switch os.Getenv("CURSOR_RALPH_TEST_PROCESS") {
	case "guard":
		err = x11.Guard(os.Stdin, os.Stdout, os.Getenv, func() {})
	case "typer":
		err = typer()
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
func guardedMachine() keystroke.Machine {
	return keystroke.Machine{OS: "linux", Guard: []string{os.Args[0], "-test.run=^TestProcess$"},
		Env: append(os.Environ(), "CURSOR_RALPH_TEST_PROCESS=guard")}
}

func typer() error {
	list, err := keystroke.Injectors(guardedMachine(), []string{"xtest"})
	if err != nil {
		return err
	}
	fmt.Println("typing")
	return list[0].Type(context.Background(),
		keystroke.Target{Line: testLine, Editors: []string{os.Getenv("TEST_EDITOR")}, Step: func(words string) { fmt.Println(words) }})
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

// A typer that is killed or stopped at a random moment leaves nothing behind: no
// key down, no desktop that stands still, no page that waits, and the clipboard
// as it was.
func TestTyperDiesAtARandomMoment(t *testing.T) {
	short.Skip(t)
	r := sharedRoom(t)
	for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGSTOP} {
		var slowest time.Duration
		sent, drafts, empty := 0, 0, 0
		for i := range tries(6, 100) {
			ctx := testdesk.Patient(t)
			kept := fmt.Sprintf("kept %d", i)
			testdesk.Must(t, r.x.Copy(ctx, kept), r.x.Select(ctx, "primary", "selected "+kept))
			r.fresh()
			cmd := child(t, r.x, "typer", strings.ToLower(r.editor.Exe))
			out, err := cmd.StdoutPipe()
			testdesk.Must(t, err)
			testdesk.Must(t, cmd.Start())
			_, err = out.Read(make([]byte, 1)) // it is typing
			testdesk.Must(t, err)
			time.Sleep(rand.N(200 * time.Millisecond)) // a random moment is what is tried
			testdesk.Must(t, cmd.Process.Signal(signal))
			slowest = max(slowest, x11.Answers(t, r.x, 2*time.Second))
			if signal == syscall.SIGSTOP {
				time.AfterFunc(2*time.Second, func() { _ = cmd.Process.Kill() }) // one that had not begun, or had ended its watch
			}
			_ = cmd.Wait()              // killed
			s, err := r.page.State(ctx) // a page that waits does not answer
			testdesk.Must(t, err)
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
	r := sharedRoom(t)
	ctx := testdesk.Patient(t)
	testdesk.Must(t, r.x.Copy(ctx, "kept äöü €"), r.x.Select(ctx, "primary", "selected"))
	r.fresh()
	cmd := child(t, r.x, "typer", strings.ToLower(r.editor.Exe))
	out, err := cmd.Output()
	testdesk.Must(t, err)
	if strings.Contains(string(out), "clipboard") {
		t.Errorf("steps:\n%s\nwant nothing about the clipboard", out)
	}
	testdesk.Must(t, r.arrived(ctx))
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
	testdesk.Must(t, r.x.Copy(ctx, "new"), r.x.Select(ctx, "primary", "new"))
	for end := time.Now().Add(5 * time.Second); len(guardsOf(t, r.x.Display())) > 0; {
		if time.Now().After(end) {
			t.Fatal("the guard lives on although another program has the clipboard")
		}
		testdesk.Must(t, proc.Sleep(ctx, 5*time.Millisecond))
	}
	r.holds("clipboard", "new")
}

// guardsOf finds the guards of a display.
func guardsOf(t *testing.T, display string) (pids []int) {
	t.Helper()
	dirs, err := os.ReadDir("/proc")
	testdesk.Must(t, err)
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

// An editor that is only slow gets one paste.
func TestSlowEditorGetsTheLineOnce(t *testing.T) {
	r := sharedRoom(t)
	for range tries(1, 20) {
		r.fresh()
		asked := 0
		var s steps
		target := r.target(&s)
		target.Permit = func(context.Context) error {
			if asked++; asked != 2 {
				return nil
			}
			time.AfterFunc(x11.SentWait+500*time.Millisecond, func() { _ = syscall.Kill(r.editor.Pid, syscall.SIGCONT) })
			return syscall.Kill(r.editor.Pid, syscall.SIGSTOP)
		}
		if err := way(t, r.m, "xtest").Type(testdesk.Patient(t), target); err != nil {
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
