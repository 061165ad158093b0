// Package wait waits.
package wait

import (
	"context"
	"time"
)

// For waits for d, or until ctx is done, and returns ctx's error.
func For(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
	return ctx.Err()
}
