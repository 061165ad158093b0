//go:build unix

package scene

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/proc"
)

const patience = 30 * time.Second

// Scene is a folder for scripts. A script reports the number of a process by
// `sh $T/tell NAME $$`, which makes a file of that name in one step.
type Scene struct {
	testing.TB
	Dir string // without symbolic links
}

// New makes a scene.
func New(t testing.TB) Scene {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := Scene{t, dir}
	s.Write("tell", "echo \"$2\" >\"${0%/*}/$1.new\" && mv \"${0%/*}/$1.new\" \"${0%/*}/$1\"\n")
	return s
}

// Env is our environment with $T.
func (s Scene) Env() []string { return append(os.Environ(), "T="+s.Dir) }

// Write writes a file of the scene.
func (s Scene) Write(name, text string) {
	s.Helper()
	if err := os.WriteFile(filepath.Join(s.Dir, name), []byte(text), 0o600); err != nil {
		s.Fatal(err)
	}
}

// Has reports whether a file of the scene exists.
func (s Scene) Has(name string) bool {
	_, err := os.Stat(filepath.Join(s.Dir, name))
	return err == nil
}

// PID waits for the number that a process reports.
func (s Scene) PID(name string) (pid int) {
	s.Helper()
	s.Until("process "+name+" reports its number", func() bool {
		data, err := os.ReadFile(filepath.Join(s.Dir, name))
		if err != nil {
			return false
		}
		pid, err = strconv.Atoi(strings.TrimSpace(string(data)))
		return err == nil
	})
	return pid
}

// PIDs waits for several numbers.
func (s Scene) PIDs(names ...string) (pids []int) {
	s.Helper()
	for _, name := range names {
		pids = append(pids, s.PID(name))
	}
	return pids
}

// Gone waits until processes have ended.
func (s Scene) Gone(pids ...int) {
	s.Helper()
	for _, pid := range pids {
		s.Until("process "+strconv.Itoa(pid)+" is gone", func() bool { return proc.Gone(pid) })
	}
}

// Until polls until something is true.
func (s Scene) Until(what string, come func() bool) {
	s.Helper()
	for end := time.Now().Add(patience); !come(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			s.Fatalf("timed out: %s", what)
		}
	}
}

// Open counts the files that this process has open.
func Open(t testing.TB) int {
	t.Helper()
	entries, err := os.ReadDir("/dev/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}
