package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/pending"
	"github.com/cursor-ralph/cursor-ralph/platform"
	"github.com/cursor-ralph/cursor-ralph/state"
)

// claimRace is a command that is held where it is about to change a pending file.
type claimRace struct {
	*testing.T
	vars   map[string]string
	places platform.Places
	store  *state.Store
}

func newClaimRace(t *testing.T) claimRace {
	dir := t.TempDir()
	vars := map[string]string{"HOME": dir, "CURSOR_RALPH_NO_WATCHER": "1", "CURSOR_RALPH_DIR": filepath.Join(dir, "tmp"), "CURSOR_RALPH_STATE_DIR": filepath.Join(dir, "state")}
	r := claimRace{T: t, vars: vars}
	must(r.T, os.Mkdir(vars["CURSOR_RALPH_DIR"], 0o700))
	var err error
	r.places, err = platform.Find(r.getenv)
	must(r.T, err)
	r.store = state.New(r.places, time.Now)
	l := loop.New()
	l.Prompt, l.ConversationID = "build it", "chat"
	_, _, err = pending.New(r.places, r.store, time.Now).Put(t.Context(), l, "")
	must(r.T, err)
	return r
}

func (r claimRace) getenv(name string) string { return r.vars[name] }

// run runs a command; meanwhile is called when it waits for the lock of those
// who change pending files.
func (r claimRace) run(meanwhile func(), args ...string) (code int, out string) {
	r.Helper()
	lock := filepath.Join(r.places.Pending(), ".change.lock")
	release, err := ownfile.Lock(r.Context(), lock)
	must(r.T, err)
	done := make(chan int)
	var b strings.Builder
	go func() { done <- run(args, strings.NewReader(""), io.Discard, &b, r.getenv) }()
	ctx, cancel := context.WithTimeout(r.Context(), 8*time.Second)
	defer cancel()
	for opened(r.T, lock) < 2 {
		must(r.T, proc.Sleep(ctx, time.Millisecond))
	}
	meanwhile()
	must(r.T, release())
	return <-done, b.String()
}

// opened returns how often this process has a file open.
func opened(t *testing.T, path string) (n int) {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if to, err := os.Readlink(filepath.Join("/proc/self/fd", e.Name())); err == nil && to == path {
			n++
		}
	}
	return n
}

// claim is what a chat does with a loop of its name.
func (r claimRace) claim() {
	r.Helper()
	must(r.T, r.store.Claim(r.Context(), "chat", func(live string) error {
		return os.Rename(filepath.Join(r.places.Pending(), "chat.json"), live)
	}))
}

func (r claimRace) live() bool {
	r.Helper()
	_, err := r.store.Read("chat")
	return err == nil
}

// A start with --replace that was killed leaves a pending loop beside a live one.
func TestALoopThatIsClaimedAfterTheLiveOneEndedIsCancelled(t *testing.T) {
	r := newClaimRace(t)
	r.claim()
	l := loop.New()
	l.Prompt, l.ConversationID = "build another", "chat"
	_, _, err := pending.New(r.places, r.store, time.Now).Put(t.Context(), l, "")
	must(r.T, err)
	claim := func() {
		if !r.live() {
			r.claim()
		}
	}
	if code, out := r.run(claim, "cancel", "chat"); code != 0 || r.live() {
		t.Errorf("got %d, live %t: %s", code, r.live(), out)
	}
}
