package outer_test

import (
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/outer"
)

// FuzzBusy asserts that no text makes a run wait for a negative time or more than a
// day, that case does not matter, and that a run does not wait for a payment.
func FuzzBusy(f *testing.F) {
	for _, said := range []string{
		"429 Too Many Requests", "retry-after: 30", "Please try again in 1.5s.", `{"retryDelay":"17ms"}`, "retry_after_ms=2000", "try again in 5 minutes", "retry in 99999999h",
		"insufficient_quota", "overloaded_error", "retry-after: 0", "nothing", "retry after 1" + strings.Repeat("0", 400) + "s", "Try Again In 3 M", "retry-after:007",
	} {
		f.Add(said, 0)
		f.Add(said, 429)
	}
	f.Fuzz(func(t *testing.T, said string, code int) {
		after, ok := outer.Busy(code, said)
		if after < 0 || after > 24*time.Hour || !ok && after != 0 {
			t.Errorf("%q, %d: got %v, %v", said, code, after, ok)
		}
		if again, same := outer.Busy(code, strings.ToLower(said)); again != after || same != ok {
			t.Errorf("%q in small letters: got %v, %v, want %v, %v", said, again, same, after, ok)
		}
		if _, ok := outer.Busy(429, said+" billing"); ok {
			t.Errorf("%q: got busy where only payment helps", said)
		}
		if (code == 429 || code == 503 || code == 529) && !ok && !strings.Contains(strings.ToLower(said), "quota") && !strings.Contains(strings.ToLower(said), "billing") && !strings.Contains(strings.ToLower(said), "credit balance") {
			t.Errorf("%q, %d: got not busy", said, code)
		}
	})
}
