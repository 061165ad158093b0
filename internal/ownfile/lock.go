package ownfile

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/gofrs/flock"
)

// lockRetry is how often a taken lock is tried again. Locks are held for about
// a millisecond.
const lockRetry = 2 * time.Millisecond

// Lock takes the lock file at path, which lies in a folder of ours and is
// never renamed or removed by us. It waits until ctx is done.
func Lock(ctx context.Context, path string) (release func() error, err error) {
	for {
		f := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR|noFollow))
		if _, err := f.TryLockContext(ctx, lockRetry); err != nil {
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		same, err := stillThere(f, path)
		if err != nil {
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		if same {
			return f.Unlock, nil
		}
		// A cleaner of /tmp took the file away while we waited: others lock the
		// new one.
		if err := f.Unlock(); err != nil {
			return nil, fmt.Errorf("lock %s: %w", path, err)
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
