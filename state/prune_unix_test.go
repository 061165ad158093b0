//go:build unix

package state_test

import (
	"os"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/state"
)

func TestPruneLeavesAnotherUsersFile(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, to give a file away")
	}
	w := newWorld(t)
	const nobody = 65534
	w.ended("theirs", time.Hour)
	w.ended("mine", time.Hour+time.Second)
	w.write(w.historyOf(time.Hour+time.Second), "\n{}\n")
	w.must(os.Chown(w.record("theirs"), nobody, nobody))
	w.must(os.Chown(w.historyOf(time.Hour+time.Second), nobody, nobody))
	got := w.prune(state.Retention{Age: time.Minute})
	if len(got) != 1 || got[0] != "mine" || !w.exists(w.record("theirs")) || !w.exists(w.historyOf(time.Hour+time.Second)) {
		t.Errorf("got %q removed, want our own record alone", got)
	}
}
