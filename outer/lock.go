package outer

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/internal/proc"
)

// lock is a file that a run keeps locked while its process lives.
type lock struct {
	path    string
	remove  bool         // the file, on release
	release func() error // nil while it is not held
}

// lockWait is how long take waits: checking whether a lock is held also holds it
// for a moment.
const lockWait = time.Second

func (l *lock) take(ctx context.Context) error {
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

// hold takes the lock again if its file is gone.
func (l *lock) hold() error {
	if _, err := ownfile.Check(l.path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	old := l.release
	if err := l.take(context.Background()); err != nil {
		return err
	}
	return old()
}

// drop releases the lock if it is held, and may remove its file: before the release,
// because afterwards it may be another process's. Windows cannot remove an open
// file, so there it comes after the release, and fails if another process has it.
func (l *lock) drop() error {
	if l.release == nil {
		return nil
	}
	if l.remove && runtime.GOOS != "windows" {
		_ = os.Remove(l.path) // an empty file does no harm
	}
	err := l.release()
	l.release = nil
	if l.remove && runtime.GOOS == "windows" {
		_ = os.Remove(l.path) // as above
	}
	return err
}
