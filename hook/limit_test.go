package hook_test

import (
	"testing"

	"github.com/cursor-ralph/cursor-ralph/hook"
)

func TestHonorsNullLimit(t *testing.T) {
	for version, want := range map[string]bool{
		"2.5": true, "2.5.0": true, "2.10.1": true, "3.18.25": true, "10.0.0": true, "3.0.0-beta.1": true,
		"2.4.99": false, "1.7.38": false, "0.50.5": false, "2.05": true,
		"2026.09.18-abc1234": true, "2026.11.02-x": true, "2027.01.01-x": true, "2026.08.31-x": false, "2025.12.01-x": false,
		"": false, "3": false, "unknown": false, "3.x": false, "v3.1": false, "-3.1": false, "3.-1": false, "dev.5.1": false, " 3.1": false,
	} {
		if got := hook.HonorsNullLimit(version); got != want {
			t.Errorf("%q: got %v", version, got)
		}
	}
}
