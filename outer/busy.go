package outer

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// What agents and services say when there are too many requests, when only
// payment helps, and when to come back.
var (
	busy   = regexp.MustCompile(`\b(429|529)\b|rate.?limit|too many requests|overloaded|quota|usage limit|resource.?exhausted|at capacity|temporarily unavailable`)
	unpaid = regexp.MustCompile(`insufficient.?quota|billing|credit balance`)
	again  = regexp.MustCompile(`(?:retry[-_ ]?after|retry[-_ ]?delay|try again in|retry in)(_?ms)?[\\"':= ]*([0-9]+(?:\.[0-9]+)?)\s*(ms|millisecond|s|second|m\b|min|h)?`)
)

// longestAsked is the longest time that is believed.
const longestAsked = 24 * time.Hour

// Busy tells whether an agent's failure is one that goes away by itself, and
// after how long, if it says so: too many requests, or a service that is
// overloaded. The code is that of HTTP or of a JSON-RPC error, 0 for none. A
// limit that is lifted by payment alone does not go away.
func Busy(code int, said string) (after time.Duration, ok bool) {
	said = strings.ToLower(said)
	if unpaid.MatchString(said) {
		return 0, false
	}
	after, told := asked(said)
	return after, told || slices.Contains([]int{429, 503, 529}, code) || busy.MatchString(said)
}

// asked finds how long to wait. A number without a unit is of seconds, as in
// HTTP.
func asked(said string) (time.Duration, bool) {
	m := again.FindStringSubmatch(said)
	if m == nil {
		return 0, false
	}
	n, err := strconv.ParseFloat(m[2], 64)
	if err != nil {
		return 0, false
	}
	unit := time.Second
	switch {
	case m[1] != "" || strings.HasPrefix(m[3], "ms") || strings.HasPrefix(m[3], "milli"):
		unit = time.Millisecond
	case strings.HasPrefix(m[3], "m"):
		unit = time.Minute
	case m[3] == "h":
		unit = time.Hour
	}
	return time.Duration(min(n*float64(unit), float64(longestAsked))), true
}
