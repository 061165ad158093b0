package loop_test

import (
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

func TestADurationMayBeInDays(t *testing.T) {
	const day = 24 * time.Hour
	for text, want := range map[string]time.Duration{
		"2d": 2 * day, "1d12h": 36 * time.Hour, "1.5d": 36 * time.Hour, "0d": 0, "1d0s": day, "90m": 90 * time.Minute, "0": 0, "-1h": -time.Hour,
	} {
		if got, err := loop.ParseDuration(text); got != want || err != nil {
			t.Errorf("%s: got %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "d", "1dd", "1d1d", "1h2d", "-1d", "1d-1h", "1d+1h", "1e3d", "Infd", "1 d", "200000d", "106751d24h", "1d2", "2days"} {
		if got, err := loop.ParseDuration(text); err == nil {
			t.Errorf("%q: got %v, want an error", text, got)
		}
	}
}

func TestAStateFileMayHaveDays(t *testing.T) {
	l, err := loop.Parse([]byte(`{"prompt":"x","max_iterations":3,"max_duration":"1d12h"}`))
	if err != nil || time.Duration(l.MaxDuration) != 36*time.Hour {
		t.Errorf("got %v, %v, want 36h", l.MaxDuration, err)
	}
}
