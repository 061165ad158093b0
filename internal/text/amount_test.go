package text_test

import (
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0s", 1: "0s", 59500 * time.Millisecond: "1m", 2*time.Minute - time.Millisecond: "2m", 125 * time.Second: "2m 5s",
		time.Hour: "1h", 3*time.Hour + 5*time.Minute + time.Second: "3h 5m", 76 * time.Hour: "3d 4h",
	} {
		if got := text.Duration(d); got != want {
			t.Errorf("%v: got %s, want %s", d, got, want)
		}
	}
	if got := text.Count(1, "loop") + text.Count(0, "loop"); got != "1 loop0 loops" {
		t.Errorf("got %s", got)
	}
}

func TestExactly(t *testing.T) {
	for given, want := range map[string]string{"2h": "2h", "90s": "1m30s", "10m": "10m", "1500ms": "1.5s", "1h0m5s": "1h0m5s", "0s": "0s", "10h10m": "10h10m"} {
		d, err := time.ParseDuration(given)
		if got := text.Exactly(d); err != nil || got != want {
			t.Errorf("got %q of %s, want %q", got, given, want)
		}
	}
}
