package supervise

import (
	"os/exec"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/test/scene"
	"github.com/cursor-ralph/cursor-ralph/test/short"
)

// nothingIsBelow checks that we have no children, not even zombies, and no longer adopt
// orphans.
func nothingIsBelow(t testing.TB) {
	t.Helper()
	for _, s := range children() {
		t.Errorf("still below us: %+v", s)
	}
	var adopts int32
	if err := unix.Prctl(unix.PR_GET_CHILD_SUBREAPER, uintptr(unsafe.Pointer(&adopts)), 0, 0, 0); err != nil || adopts != 0 {
		t.Errorf("got %d, %v, want that we do not adopt", adopts, err)
	}
}

func startTree(s scene.Scene, text string) *Tree {
	s.Helper()
	cmd := exec.Command("/bin/sh", "-c", text)
	cmd.Env = s.Env()
	tree, err := StartTree(cmd)
	if err != nil {
		s.Fatal(err)
	}
	return tree
}

func TestKillFindsAll(t *testing.T) {
	for _, c := range short.First([]struct {
		name, text string
		reports    []string
	}{
		{"orphans", `(sh -c 'trap "" TERM; sh $T/tell a $$; sleep 60' &); sleep 60`, []string{"a"}},
		{"daemons of daemons", `setsid sh -c '(setsid sh -c "(setsid sleep 60) & sh $T/tell b \$\$; sleep 60" &); sh $T/tell c $$; sleep 60' & wait`, []string{"b", "c"}},
		{"fifty of them", `trap '' TERM; i=0
while [ $i -lt 50 ]; do i=$((i+1)); (setsid sh -c 'sleep 60 & sh $T/tell '$i' $$; wait' &); done; wait; sleep 60`, []string{"1", "25", "50"}},
		// Each of its processes starts the next in a session of its own and ends.
		{"one that runs away", `echo 'trap "" TERM; sh $T/tell a $$; echo >>$T/steps; setsid sh $T/run </dev/null >/dev/null 2>&1 &' >$T/run
sh $T/run; until [ $(wc -l <$T/steps) -gt 20 ]; do sleep 0.01; done; sh $T/tell b $$; sleep 60`, []string{"b"}},
	}, 2) {
		t.Run(c.name, func(t *testing.T) {
			s := scene.New(t)
			tree := startTree(s, c.text)
			pids := s.PIDs(c.reports...)
			if err := tree.Kill(); err != nil {
				t.Error(err)
			}
			tree.Close()
			for _, pid := range pids {
				if !proc.Gone(pid) {
					t.Errorf("process %d still runs", pid)
				}
			}
			nothingIsBelow(t)
		})
	}
}

// A command sees the end of its orphan, although we are the parent now.
func TestOrphansEndForGood(t *testing.T) {
	s := scene.New(t)
	tree := startTree(s, `(sh -c 'sh $T/tell a $$' &)
until [ -e $T/a ]; do sleep 0.01; done
while kill -0 $(cat $T/a) 2>/dev/null; do sleep 0.01; done; exit 7`)
	select {
	case <-tree.Ended():
	case <-time.After(2 * time.Minute):
		t.Error("it still sees the orphan")
	}
	if err := tree.Kill(); err != nil {
		t.Error(err)
	}
	tree.Close()
	nothingIsBelow(t)
}
