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

// Lock takes the lock file at path, which lies in a folder of ours and is
// never renamed or removed by us. It waits until ctx is done.
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
		// A cleaner of /tmp took the file away while we waited: others lock the
		// new one. Or it is not ours.
		if err := errors.Join(err, f.Unlock()); err != nil {
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
	}
}

// Held tells whether somebody holds the lock file at path. One that is missing
// is held by nobody, and is not made.
func Held(path string) (bool, error) {
	if _, err := Check(path); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	f := flock.New(path, flock.SetFlag(os.O_RDWR|noFollow))
	taken, err := try(f)
	return err == nil && !taken, errors.Join(refusal(path, err), f.Unlock())
}

// take waits in the kernel, which serves in turn all who wait. To try again and
// again instead would starve some when many do, and keep the holder from its
// work.
func take(ctx context.Context, f *flock.Flock) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if taken, err := try(f); taken || err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- wait(f) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		go func() {
			if <-done == nil {
				_ = f.Unlock() // nobody is left to be told; the file is closed in any case
			}
		}()
		return ctx.Err()
	}
}

// try asks once. On a network's file system even a lock that is not waited for
// may be interrupted by a signal, of which Go's runtime sends itself many.
func try(f *flock.Flock) (taken bool, err error) {
	for {
		taken, err = f.TryLock()
		if !errors.Is(err, syscall.EINTR) {
			return taken, err
		}
	}
}

func wait(f *flock.Flock) error {
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
