package loop

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// ParseDuration is time.ParseDuration with days of 24 hours, which come first: 2d,
// 1.5d or 1d12h.
func ParseDuration(text string) (time.Duration, error) {
	days, rest, ok := strings.Cut(text, "d")
	if !ok {
		return time.ParseDuration(text)
	}
	bad := fmt.Errorf("invalid duration %q", text)
	d, err := time.ParseDuration(days + "h")
	if err != nil || strings.Trim(days, "0123456789.") != "" || d > math.MaxInt64/24 {
		return 0, bad
	}
	d *= 24
	if rest == "" {
		return d, nil
	}
	more, err := time.ParseDuration(rest)
	if err != nil || strings.ContainsAny(rest, "+-") || d+more < d {
		return 0, bad
	}
	return d + more, nil
}
