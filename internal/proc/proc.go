// Package proc starts programs by os/exec: Start leaves them running without us, and Command runs
// them to their end within limits. Its subpackage supervise ends whole process trees.
// No other package of the product may start or end programs.
package proc

import (
	"context"
	"os/exec"
	"time"
)

// Start starts a program that outlives us. It runs in its own session with none of our
// streams, because the editor waits until its hook's streams are closed.
func Start(path string, args ...string) error {
	cmd := exec.Command(path, args...)
	cmd.SysProcAttr = detached()
	if err := start(cmd); err != nil {
		return err
	}
	return cmd.Process.Release()
}

func start(cmd *exec.Cmd) error {
	if err := keepDescriptors(); err != nil {
		return err
	}
	return cmd.Start()
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
