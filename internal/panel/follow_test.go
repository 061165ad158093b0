package panel

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
)

// patience is how long a change may take to be seen before it is not.
const patience = 20 * time.Second

// seen waits until the follower is asked for a look.
func seen(t *testing.T, f *follower) {
	t.Helper()
	select {
	case <-f.wake:
	case <-time.After(patience):
		t.Fatal("the change was not seen")
	}
}

func TestAChangeIsSeen(t *testing.T) {
	dir := t.TempDir()
	late := filepath.Join(dir, "late")
	p := Panel{Folders: []string{dir, late}, Ours: func(path string) bool { return !strings.HasSuffix(path, ".other") }}
	f := p.follow(t.Context())
	if f.blind {
		t.Fatal("got a folder that cannot be watched")
	}
	path := filepath.Join(dir, "loop.json")
	must(t, os.WriteFile(path, []byte("x"), 0o600))
	seen(t, f)
	must(t, os.Rename(path, filepath.Join(dir, "moved.json")))
	seen(t, f)
	if f.addFolders() {
		t.Error("got all folders watched, and one is missing")
	}
	must(t, os.Mkdir(late, 0o700))
	if !f.addFolders() || f.blind {
		t.Error("got a folder that is not watched after it was made")
	}
	drain(f)
	must(t, os.WriteFile(filepath.Join(late, "loop.json"), []byte("x"), 0o600))
	seen(t, f)
}

func drain(f *follower) {
	select {
	case <-f.wake:
	default:
	}
}

// What another program does in the same folder costs no look. The change after it
// tells that it was heard of.
func TestAnotherProgramsFileIsPassedOver(t *testing.T) {
	dir := t.TempDir()
	heard := make(chan string, 100)
	p := Panel{Folders: []string{dir}, Ours: func(path string) bool {
		heard <- filepath.Base(path)
		return false
	}}
	f := p.follow(t.Context())
	must(t, os.WriteFile(filepath.Join(dir, "theirs.tmp"), []byte("x"), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "last.tmp"), []byte("x"), 0o600))
	for name := ""; name != "last.tmp"; {
		select {
		case name = <-heard:
		case <-time.After(patience):
			t.Fatal("nothing was heard")
		}
	}
	if len(f.wake) > 0 {
		t.Error("got a look for a file of another program")
	}
}

// folders that need no watcher, with a clock that stands until all wait.
func polling(t *testing.T, test func(f *follower, ctx context.Context)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := Panel{watch: func() (*fsnotify.Watcher, error) { return nil, errors.New("no room for another watch") }}
		f := p.follow(t.Context())
		if !f.blind {
			t.Fatal("got changes that are seen without a watcher")
		}
		test(f, t.Context())
	})
}

func TestWithoutAWatcherFoldersAreLookedAtNowAndThen(t *testing.T) {
	polling(t, func(f *follower, ctx context.Context) {
		for range 3 {
			began := time.Now()
			if !f.next(ctx, 0) {
				t.Fatal("got an end")
			}
			if got := time.Since(began); got != restMin+pollEvery {
				t.Errorf("got the next look after %s, want %s", got, restMin+pollEvery)
			}
		}
	})
}

func TestWhatTheUserDidIsLookedAtAtOnce(t *testing.T) {
	polling(t, func(f *follower, ctx context.Context) {
		began := time.Now()
		for range 100 {
			f.poke()
		}
		f.next(ctx, 0)
		if got := time.Since(began); got != restMin {
			t.Errorf("got the next look after %s, want %s", got, restMin)
		}
		f.next(ctx, 0) // the hundred were one
		if got := time.Since(began); got != 2*restMin+pollEvery {
			t.Errorf("got the look after that after %s, want %s", got, 2*restMin+pollEvery)
		}
	})
}

// However many loops there are, looking takes a small part of the time.
func TestALongLookIsFollowedByALongRest(t *testing.T) {
	polling(t, func(f *follower, ctx context.Context) {
		for _, tt := range []struct{ took, want time.Duration }{
			{time.Millisecond, restMin}, {100 * time.Millisecond, 1500 * time.Millisecond}, {time.Minute, restMax},
		} {
			f.poke()
			began := time.Now()
			f.next(ctx, tt.took)
			if got := time.Since(began); got != tt.want {
				t.Errorf("after a look of %s: got a rest of %s, want %s", tt.took, got, tt.want)
			}
		}
	})
}

func TestTheEndEndsTheWait(t *testing.T) {
	polling(t, func(f *follower, ctx context.Context) {
		ctx, cancel := context.WithCancel(ctx)
		go func() {
			time.Sleep(restMin + pollEvery/2)
			cancel()
		}()
		if f.next(ctx, 0) {
			t.Error("got another look after the end")
		}
		if f.next(ctx, 0) {
			t.Error("got another look after the end")
		}
	})
}

// A folder that is there and cannot be watched is polled, one that is not there
// yet is awaited.
func TestAFolderThatCannotBeWatchedIsPolled(t *testing.T) {
	watcher, err := fsnotify.NewWatcher()
	must(t, err)
	must(t, watcher.Close()) // as one that has no room
	p := Panel{Folders: []string{t.TempDir()}, watch: func() (*fsnotify.Watcher, error) { return watcher, nil }}
	if f := p.follow(t.Context()); !f.blind {
		t.Error("got changes that are seen by a watcher that takes no folder")
	}
	p = Panel{Folders: []string{filepath.Join(t.TempDir(), "missing")}}
	if f := p.follow(t.Context()); f.blind {
		t.Error("got a missing folder taken for one that cannot be watched")
	}
	if _, err := os.Stat(p.Folders[0]); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want a folder that was not made", err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
