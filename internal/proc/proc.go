// Package proc starts programs: Start leaves them running without us, and Command runs
// them to their end within limits. Its subpackage supervise ends whole process trees.
// No other package of the product may start or end programs.
//
// The hook links this package, so it avoids os/exec.
package proc

import (
	"context"
	"errors"
	"os"
	"time"
)

// Start starts a program that outlives us. It runs in its own session with none of our
// streams, because the editor waits until its hook's streams are closed.
func Start(path string, args ...string) error {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	p, err := start(path, args, &os.ProcAttr{Files: []*os.File{null, null, null}, Sys: detached()})
	if err = errors.Join(err, null.Close()); p == nil {
		return err
	}
	return p.Release()
}

func start(path string, args []string, attr *os.ProcAttr) (*os.Process, error) {
	if err := keepDescriptors(); err != nil {
		return nil, err
	}
	return os.StartProcess(path, append([]string{path}, args...), attr)
}

// Sleep waits for d or until ctx is done, and returns ctx's error.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
	return ctx.Err()
}
