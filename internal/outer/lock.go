package outer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/internal/proc"
)

// ErrBusy is wrapped by the error of Take if another process drives the loop.
var ErrBusy = errors.New("another process drives this loop")

// Lock is a file that the process which drives a loop keeps locked while it lives.
type Lock struct {
	path    string
	release func() error // nil while it is not held
}

// lockWait is how long Take waits: checking whether a lock is held also holds it for a
// moment.
const lockWait = time.Second

// Take locks a file until Leave. It waits at most a second, or until ctx is done.
func Take(ctx context.Context, path string) (*Lock, error) {
	l := &Lock{path: path}
	err := l.take(ctx)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = fmt.Errorf("%w: %s", ErrBusy, path)
	}
	if err != nil {
		return nil, err
	}
	return l, nil
}

func (l *Lock) take(ctx context.Context) error {
	if err := ownfile.Folder(filepath.Dir(l.path)); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	for {
		held, err := ownfile.Held(l.path)
		if err == nil && !held {
			l.release, err = ownfile.Lock(ctx, l.path)
			return err
		}
		if err != nil {
			return err
		}
		if err := proc.Sleep(ctx, lockWait/20); err != nil {
			return err
		}
	}
}

// hold takes the lock again if its file is gone: programs clean /tmp.
func (l *Lock) hold() error {
	if _, err := ownfile.Check(l.path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	old := l.release
	if err := l.take(context.Background()); err != nil {
		return err
	}
	return old()
}

// Leave releases the lock and removes its file: before the release, because afterwards
// it may be another process's. Windows cannot remove an open file, so there it comes
// after the release, and fails if another process has it.
func (l *Lock) Leave() error {
	if runtime.GOOS != "windows" {
		_ = os.Remove(l.path) // an empty file does no harm
	}
	err := l.release()
	if runtime.GOOS == "windows" {
		_ = os.Remove(l.path) // as above
	}
	return err
}

// Lives reports whether a process drives the loop with this lock.
func Lives(path string) (bool, error) { return ownfile.Held(path) }
