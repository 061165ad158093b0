package platform

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestStartedProgramHasNoneOfOurFiles: a pipe of the editor that a child holds
// open is one that the editor waits for.
func TestStartedProgramHasNoneOfOurFiles(t *testing.T) {
	w := where{t, t.TempDir()}
	var pipe [2]int
	w.must(syscall.Pipe(pipe[:])) // which a child inherits
	defer syscall.Close(pipe[0])
	pid := w.path("pid")
	w.must(Start("/bin/sh", "-c", `echo $$ >"$1.new" && mv "$1.new" "$1" && exec sleep 60`, "sh", pid))
	w.must(syscall.Close(pipe[1]))
	w.must(syscall.SetNonblock(pipe[0], false))
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
	case <-time.After(20 * time.Second):
		t.Error("the child holds the pipe open")
	}
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		data, err := os.ReadFile(pid)
		if err == nil {
			n, err := strconv.Atoi(strings.TrimSpace(string(data)))
			w.must(err)
			for fd := range 3 {
				to, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(n), "fd", strconv.Itoa(fd)))
				if to != os.DevNull || err != nil {
					t.Errorf("got %s, %v as stream %d, want nothing", to, err, fd)
				}
			}
			w.must(syscall.Kill(n, syscall.SIGKILL))
			return
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}
