package proc_test

import (
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/test/scene"
)

// The editor waits for a pipe while a child of its hook holds it open.
func TestStartedProgramHasNoneOfOurFiles(t *testing.T) {
	s := scene.New(t)
	var pipe [2]int
	if err := syscall.Pipe(pipe[:]); err != nil { // which a child inherits
		t.Fatal(err)
	}
	defer syscall.Close(pipe[0])
	if err := proc.Start("/bin/sh", "-c", `sh "$1/tell" a $$ && exec sleep 60`, "sh", s.Dir); err != nil {
		t.Fatal(err)
	}
	_ = syscall.Close(pipe[1])
	pid := s.PID("a")
	defer func() { _ = syscall.Kill(pid, syscall.SIGKILL) }()
	closed := make(chan error, 1)
	go func() {
		_, err := syscall.Read(pipe[0], make([]byte, 1))
		closed <- err
	}()
	select {
	case err := <-closed:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(2 * time.Minute):
		t.Error("the child holds the pipe open")
	}
	for fd := range 3 {
		to, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(pid), "fd", strconv.Itoa(fd)))
		if to != os.DevNull || err != nil {
			t.Errorf("got %s, %v as stream %d, want the null device", to, err, fd)
		}
	}
}
