package text

import (
	"fmt"
	"strings"
	"time"
)

// Exactly writes a duration that somebody set, without rounding it.
func Exactly(d time.Duration) string {
	words := d.String()
	for _, zero := range []string{"m0s", "h0m"} { // 2h0m0s is 2h
		if short, ok := strings.CutSuffix(words, zero); ok {
			words = short + zero[:1]
		}
	}
	return words
}

// Count returns a number with its noun, in the plural unless it is one.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Duration returns a duration in its two largest units, such as 2m 5s or 3d 4h.
func Duration(d time.Duration) string {
	const day = 24 * time.Hour
	d = max(0, d.Round(time.Second))
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour:
		return units(d, time.Minute, "m", time.Second, "s")
	case d < day:
		return units(d, time.Hour, "h", time.Minute, "m")
	}
	return units(d, day, "d", time.Hour, "h")
}

func units(d, large time.Duration, largeName string, small time.Duration, smallName string) string {
	words := fmt.Sprintf("%d%s", d/large, largeName)
	if rest := d % large / small; rest > 0 {
		words += fmt.Sprintf(" %d%s", rest, smallName)
	}
	return words
}
