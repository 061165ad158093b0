package outer

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// What agents and services say about too many requests, about payment, and about
// when to try again. The patterns match whole phrases: a number or a word in a path
// or a name means nothing.
var (
	busy = regexp.MustCompile(phraseStart + `(?:` +
		`rate[ _-]?limit(?:s|ed|ing)?(?:[ _-](?:error|exceeded|reached))?|too many requests|usage limit|resource[ _-]?exhausted` +
		`|quota[ _](?:(?:was|is|has been) )?(?:exceeded|exhausted|reached)|quota will reset|out of quota|exceeded (?:[a-z]+ ){0,4}quota` +
		`|(?:is|are|currently|model) at capacity|(?:service|server|model|api|is|are|currently) temporarily unavailable` +
		`)` + phraseEnd)
	overloaded = regexp.MustCompile(phraseStart + `overloaded(?:_error)?(?:\s*$|["')\]},;!.|])`)
	diskQuota  = regexp.MustCompile(`disk quota \w+`)
	status     = regexp.MustCompile(`\b(?:http(?:/[0-9](?:\.[0-9])?)?|status(?:[ _]?code)?)["']?[ :=]{1,3}([0-9]{3})\b` +
		`|(?m)\b(?:error|code)["']?[ :=]{1,3}([0-9]{3})(?:["',;)}\]]|\s*$|\s*[{(\[-])`)
	unpaid = regexp.MustCompile(`insufficient.?quota|billing|credit balance`)
	again  = regexp.MustCompile(`(?:retry[-_ ]?after|retry[-_ ]?delay|try again in|retry in)(_?ms)?[\\"':= ]*([0-9]+(?:\.[0-9]+)?)\s*(ms|millisecond|s|second|m\b|min|h)?`)
)

// What a phrase must be between. A dot ends it only at the end of a sentence.
const (
	phraseStart = `(?m)(?:^|[\s"'(\[{:=,|])`
	phraseEnd   = `(?:$|[\s"')\]},;!?|]|[.:](?:[\s"']|$))`
)

const maxRetryAfter = 24 * time.Hour

// Busy reports whether an agent's failure goes away on its own, such as too many
// requests or an overloaded service, and after how long if the agent says so. code
// is that of HTTP or of a JSON-RPC error, or 0. A limit that only payment lifts
// does not count.
func Busy(code int, said string) (after time.Duration, ok bool) {
	said = strings.ToLower(said)
	if unpaid.MatchString(said) {
		return 0, false
	}
	said = diskQuota.ReplaceAllString(said, "")
	after, ok = retryAfter(said)
	return after, ok || slices.Contains([]int{429, 503, 529}, code) || Answered(said, 429, 503, 529) ||
		busy.MatchString(said) || overloaded.MatchString(said)
}

// Answered reports whether the text says that a service answered with one of these
// HTTP statuses.
func Answered(said string, statuses ...int) bool {
	for _, m := range status.FindAllStringSubmatch(strings.ToLower(said), -1) {
		if n, err := strconv.Atoi(m[1] + m[2]); err == nil && slices.Contains(statuses, n) {
			return true
		}
	}
	return false
}

// retryAfter finds how long to wait. A number without a unit is seconds, as in
// HTTP.
func retryAfter(said string) (time.Duration, bool) {
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
	return time.Duration(min(n*float64(unit), float64(maxRetryAfter))), true
}
