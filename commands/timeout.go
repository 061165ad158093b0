package commands

import (
	"strconv"
	"time"
)

// InstalledTimeout is how long Cursor lets our stop entry in a hooks.json take,
// zero where there is none.
func InstalledTimeout(raw []byte) time.Duration {
	_, text := splitMark(raw)
	d, err := parse(text)
	if err != nil {
		return 0
	}
	for _, e := range d.installed("") {
		if e.event == "stop" {
			return e.timeout(d)
		}
	}
	return 0
}

// timeout of an entry, as Cursor reads it; what is no number is none.
func (e installed) timeout(d doc) time.Duration {
	seconds, _ := strconv.ParseFloat(e.field(d, "timeout", defaultTimeout), 64)
	return time.Duration(min(max(seconds, 0), mostTimeout.Seconds()) * float64(time.Second))
}

// mostTimeout is that of every larger number: more than any hook is waited for,
// and less than a time can hold.
const mostTimeout = 10 * 365 * 24 * time.Hour

// defaultTimeout is what Cursor gives an entry without one, in seconds
// (documented).
const defaultTimeout = "60"

// verifyOf is the VerifyTimeout with which a stop entry of this timeout was
// installed.
func verifyOf(timeout time.Duration) time.Duration { return max(timeout-stopMargin, 0) }
