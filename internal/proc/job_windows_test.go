package proc_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/windows"

	"github.com/cursor-ralph/cursor-ralph/internal/proc"
)

// TestMain lets the test binary also be the started program: it creates a file, starts
// a child that waits, prints the child's id and exits.
func TestMain(m *testing.M) {
	switch os.Getenv("PROC_TEST") {
	case "parent":
		if err := parent(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	case "child":
		time.Sleep(time.Hour) // until it is killed
	}
	os.Exit(m.Run())
}

func parent() error {
	if err := os.WriteFile(os.Getenv("PROC_MARK"), nil, 0o600); err != nil {
		return err
	}
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), "PROC_TEST=child")
	if err := child.Start(); err != nil {
		return err
	}
	fmt.Println(child.Process.Pid)
	return nil
}

func TestStartLetsNothingRunOutsideTheJob(t *testing.T) {
	dir := folder(t)
	mark := filepath.Join(dir, "mark")
	early := errors.New("it ran before it was in the job")
	cmd, out := program(t, mark)
	job, err := proc.StartInJob(syscall.SysProcAttr{}, func(attr *syscall.SysProcAttr) (*os.Process, error) {
		cmd.SysProcAttr = attr
		if err := cmd.Start(); err != nil {
			return nil, err
		}
		// Another program, started later and not suspended, has ended by now.
		other, _ := program(t, filepath.Join(dir, "other"))
		err := other.Run()
		if _, missing := os.Stat(mark); missing == nil {
			err = errors.Join(err, early)
		}
		return cmd.Process, err
	})
	if err != nil {
		t.Fatal(err)
	}
	child := number(t, out)
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if !job.Active() {
		t.Error("the job has no process while the child waits")
	}
	process, err := windows.OpenProcess(windows.SYNCHRONIZE, false, child)
	if err != nil {
		t.Fatal(err)
	}
	defer windows.CloseHandle(process)
	job.Close()
	if event, err := windows.WaitForSingleObject(process, 20_000); event != windows.WAIT_OBJECT_0 {
		t.Errorf("got %d, %v: the child outlives its job", event, err)
	}
}

func TestKillEndsTheJob(t *testing.T) {
	cmd, out := program(t, filepath.Join(folder(t), "mark"))
	job, err := proc.StartInJob(syscall.SysProcAttr{}, func(attr *syscall.SysProcAttr) (*os.Process, error) {
		cmd.SysProcAttr = attr
		err := cmd.Start()
		return cmd.Process, err
	})
	if err != nil {
		t.Fatal(err)
	}
	defer job.Close()
	number(t, out)
	if err := errors.Join(cmd.Wait(), job.Kill()); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(20 * time.Second); job.Active(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the job still has a process")
		}
	}
}

func TestStartFailsWithItsProgram(t *testing.T) {
	_, err := proc.StartInJob(syscall.SysProcAttr{}, func(*syscall.SysProcAttr) (*os.Process, error) { return nil, os.ErrNotExist })
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want why it was not started", err)
	}
}

// folder is a TempDir that may stay: Wine 8 lacks what os.RemoveAll needs.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "proc")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func program(t *testing.T, mark string) (*exec.Cmd, io.Reader) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "PROC_TEST=parent", "PROC_MARK="+mark)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = w, os.Stderr
	t.Cleanup(func() { r.Close(); w.Close() })
	return cmd, r
}

func number(t *testing.T, out io.Reader) uint32 {
	t.Helper()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.ParseUint(line[:len(line)-1], 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	return uint32(n)
}
