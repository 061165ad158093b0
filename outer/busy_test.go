package outer_test

import (
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/outer"
)

func TestBusy(t *testing.T) {
	for _, tt := range []struct {
		code  int
		said  string
		after time.Duration
		ok    bool
	}{
		{0, "", 0, false},
		{0, "no such file", 0, false},
		{0, "line 1429 of main.go", 0, false},
		{429, "", 0, true},
		{500, "", 0, false},
		{0, "listening on port 429", 0, false},
		{0, "/srv/429/main.go:12: syntax error", 0, false},
		{0, "error: 429 tests failed", 0, false},
		{0, "connect ECONNREFUSED http://127.0.0.1:429", 0, false},
		{0, "internal/rate_limit.go:7: undefined: x", 0, false},
		{0, "--- FAIL: test_rate_limit", 0, false},
		{0, "cannot call an overloaded function", 0, false},
		{0, "write x: disk quota exceeded", 0, false},
		{0, "fork: Resource temporarily unavailable", 0, false},
		{0, "HTTP/1.1 503 from upstream", 0, true},
		{0, "request failed with status code 429", 0, true},
		{0, `{"error":{"code":429,"message":"slow down"}}`, 0, true},
		{0, "API Error: 529 {}", 0, true},
		{0, `{"type":"overloaded_error","message":"x"}`, 0, true},
		{0, "You exceeded your current quota", 0, true},
		{0, "429 Too Many Requests", 0, true},
		{0, "Overloaded", 0, true},
		{0, "Rate-limit reached", 0, true},
		{0, "You have hit your usage limit", 0, true},
		{0, "RESOURCE_EXHAUSTED", 0, true},
		{429, "insufficient_quota: check your plan and billing details", 0, false},
		{0, "Your credit balance is too low; retry after 5 s", 0, false},
		{0, "Retry-After: 7", 7 * time.Second, true},
		{0, `"retry_after_ms": 250`, 250 * time.Millisecond, true},
		{0, "please try again in 1.5s", 1500 * time.Millisecond, true},
		{0, "try again in 3 minutes", 3 * time.Minute, true},
		{0, "retry in 2h", 2 * time.Hour, true},
		{0, "retry in 999999999 h", 24 * time.Hour, true},
	} {
		if after, ok := outer.Busy(tt.code, tt.said); after != tt.after || ok != tt.ok {
			t.Errorf("%d %q: got %s, %t, want %s, %t", tt.code, tt.said, after, ok, tt.after, tt.ok)
		}
	}
}
