//go:build unix

package ownfile_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
)

// TestMain lets the test binary be one of the processes that share a counter.
func TestMain(m *testing.M) {
	if counter := os.Getenv("OWNFILE_TEST_COUNTER"); counter != "" {
		if err := count(counter, 50); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// count adds n to the number in a file, one by one, each time under the lock.
func count(counter string, n int) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for range n {
		release, err := ownfile.Lock(ctx, counter+".lock")
		if err != nil {
			return err
		}
		data, err := os.ReadFile(counter)
		if err != nil {
			return err
		}
		number, err := strconv.Atoi(string(data))
		if err != nil {
			return err
		}
		if err := errors.Join(os.WriteFile(counter, []byte(strconv.Itoa(number+1)), 0o600), release()); err != nil {
			return err
		}
	}
	return nil
}

func TestLockKeepsOtherProcessesOut(t *testing.T) {
	counter := write(t, filepath.Join(t.TempDir(), "counter"), "0")
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), "OWNFILE_TEST_COUNTER="+counter)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	group.Wait()
	expect(t, counter, "400")
	private(t, counter+".lock")
}

func TestLockWaitsUntilTheContextEnds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	release, err := ownfile.Lock(in(t, time.Minute), path)
	must(t, err)
	start := time.Now()
	if _, err := ownfile.Lock(in(t, 50*time.Millisecond), path); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want the end of the wait", err)
	}
	if took := time.Since(start); took < 50*time.Millisecond || took > 5*time.Second {
		t.Errorf("got %v, want a wait of 50 ms", took)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ownfile.Lock(ended, path); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want no try at all", err)
	}
	must(t, release())
	release, err = ownfile.Lock(in(t, time.Minute), path)
	must(t, err)
	must(t, release())
}

// TestLockOfAFileThatIsTakenAway is about a cleaner of /tmp: once its file is
// gone, those who waited for a lock must lock the new file, as everybody does
// who comes later.
func TestLockOfAFileThatIsTakenAway(t *testing.T) {
	for range 20 {
		path := filepath.Join(t.TempDir(), "lock")
		first, err := ownfile.Lock(in(t, time.Minute), path)
		must(t, err)
		var inside sync.Mutex
		var group sync.WaitGroup
		const waiters = 4
		opened := openFiles(t) + waiters
		for range waiters {
			group.Go(func() {
				for range 20 {
					release, err := ownfile.Lock(in(t, 2*time.Minute), path)
					if err != nil {
						t.Error(err)
						return
					}
					if !inside.TryLock() {
						t.Error("two hold the lock")
						return
					}
					time.Sleep(100 * time.Microsecond) // so that another could come in
					inside.Unlock()
					if err := release(); err != nil {
						t.Error(err)
					}
				}
			})
		}
		for end := time.Now().Add(2 * time.Second); openFiles(t) < opened && time.Now().Before(end); {
			time.Sleep(time.Millisecond) // so that most wait with the file open
		}
		must(t, os.Remove(path))
		must(t, first())
		group.Wait()
	}
}

func TestRefusedLockIsNotKept(t *testing.T) {
	for _, o := range odds {
		t.Run(o.name, func(t *testing.T) {
			path := o.put(t, t.TempDir())
			before := openFiles(t)
			for range 20 {
				if _, err := ownfile.Lock(in(t, time.Second), path); !errors.Is(err, ownfile.ErrNotOurs) {
					t.Fatalf("got %v, want a refusal", err)
				}
			}
			if after := openFiles(t); after > before+5 {
				t.Errorf("got %d open files, want the %d there were", after, before)
			}
		})
	}
}

// openFiles counts the open files of this process, where the system tells.
func openFiles(t *testing.T) int {
	t.Helper()
	for _, dir := range []string{"/proc/self/fd", "/dev/fd"} {
		if entries, err := os.ReadDir(dir); err == nil {
			return len(entries)
		}
	}
	t.Fatal("neither /proc/self/fd nor /dev/fd")
	return 0
}
