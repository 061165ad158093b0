package main

import (
	"context"
	"testing"
	"time"
)

// A git that hangs, and then a desktop that does, must leave time to decide.
func TestAWaitLeavesTimeToDecide(t *testing.T) {
	h := &handler{}
	if got := h.leftOf(t.Context(), time.Second); got != time.Second {
		t.Errorf("without an end: got %s", got)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	if got := h.leftOf(ctx, time.Second); got != time.Second {
		t.Errorf("with much time: got %s", got)
	}
	ctx, cancel = context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	if got := h.leftOf(ctx, time.Minute); got > 2*time.Second-decideTime || got < time.Second {
		t.Errorf("with little time: got %s", got)
	}
}
