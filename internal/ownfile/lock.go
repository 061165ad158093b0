package ownfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/gofrs/flock"
)

// Lock takes the lock file at path, and waits for it until ctx is done. The file
// lies in our private folder, is never renamed, and is removed only by its holder.
func Lock(ctx context.Context, path string) (release func() error, err error) {
	for {
		f := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR|noFollow))
		if err := take(ctx, f); err != nil {
			return nil, fmt.Errorf("lock %s: %w", path, refusal(path, err))
		}
		same, err := stillThere(f, path)
		if same && err == nil {
			return f.Unlock, nil
		}
		// A cleaner of /tmp removed the file while we waited, and others lock the
		// new one; or it is not ours.
		if err := errors.Join(err, f.Unlock()); err != nil {
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
	}
}

// Held reports whether any process holds the lock file at path. It does not
// create a missing file.
func Held(path string) (bool, error) {
	if _, err := Check(path); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	f := flock.New(path, flock.SetFlag(os.O_RDWR|noFollow))
	taken, err := tryLock(f)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil // its holder removed it since
	}
	return err == nil && !taken, errors.Join(refusal(path, err), f.Unlock())
}

// take waits in the kernel, which is fair. Polling by many processes would starve
// some of them and slow down the holder.
func take(ctx context.Context, f *flock.Flock) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if taken, err := tryLock(f); taken || err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- waitForLock(f) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		go func() {
			if <-done == nil {
				_ = f.Unlock() // the caller is gone; the file is closed in any case
			}
		}()
		return ctx.Err()
	}
}

// tryLock tries once. On network file systems even that may be interrupted by a
// signal, and Go's runtime sends itself many.
func tryLock(f *flock.Flock) (taken bool, err error) {
	for {
		taken, err = f.TryLock()
		if !errors.Is(err, syscall.EINTR) {
			return taken, err
		}
	}
}

func waitForLock(f *flock.Flock) error {
	for {
		err := f.Lock()
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

func stillThere(f *flock.Flock, path string) (bool, error) {
	locked, err := f.Stat()
	if err != nil {
		return false, err
	}
	if err := checkFile(path, locked); err != nil {
		return false, err
	}
	named, err := os.Lstat(path)
	if os.IsNotExist(err) {
		return false, nil
	}
	return err == nil && os.SameFile(locked, named), err
}
