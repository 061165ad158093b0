package supervise

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/test/scene"
)

// killall -9 with our name kills us but not the supervisor, which then kills everything
// that the program has started.
func TestKilledByName(t *testing.T) {
	s := scene.New(t)
	starter := starter(s, `setsid sh -c 'trap "" TERM; sh $T/tell b $$; sleep 60' & sh $T/tell supervisor $PPID; sh $T/tell a $$; wait`)
	pids := s.PIDs("supervisor", "a", "b")
	for _, pid := range []int{pids[0], starter.Process.Pid} {
		if named(t, pid, filepath.Base(os.Args[0])) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	_ = starter.Wait() // killed
	s.Gone(pids...)
}

// named reports whether killall or pkill -f would find a process by a name: by its
// comm, or by its first argument.
func named(t *testing.T, pid int, name string) bool {
	t.Helper()
	comm, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	if err != nil {
		t.Fatal(err)
	}
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(line), "\x00")
	return strings.TrimSpace(string(comm)) == name[:min(len(name), 15)] || filepath.Base(first) == name
}
