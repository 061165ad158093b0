package onevent

import (
	"context"
	"testing"
	"time"
)

// A git that hangs, and then a desktop that does, must leave time to decide.
func TestAWaitLeavesTimeToDecide(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ left, wait, least, most time.Duration }{
		{time.Hour, time.Second, time.Second / 2, time.Second},
		{2 * time.Second, time.Minute, time.Second, 2*time.Second - decideTime},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), tt.left)
		ctx, cancelWait := within(ctx, tt.wait)
		end, _ := ctx.Deadline()
		if got := time.Until(end); got > tt.most || got < tt.least {
			t.Errorf("with %s left: waits %s", tt.left, got)
		}
		cancelWait()
		cancel()
	}
}
