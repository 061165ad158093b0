package printmode

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/outer"
)

// What agents print when the user is not logged in, and when they do not know the
// session.
var (
	login = regexp.MustCompile(`(?m)(^|[\s"':({])unauthorized($|[\s"'.:,)}])|not logged in|please (run )?\S*log ?in|not authenticated|authentication (is )?required|authentication_(error|failed)|invalid.{0,3}(x-)?api.?key|set an auth method|no api key|api key is (missing|not set)`)
	lost  = regexp.MustCompile(`no conversation found|(session|thread|conversation|rollout|chat)\b.{0,80}\bnot (be )?found|no (saved )?(session|rollout|thread|chat)s?\b.{0,40}found|not found.{0,20}(session|thread)|invalid session`)
)

func (t *turn) result(code int, end error, tail string) error {
	isComplete := t.hasResult || t.Preset.parse == nil || t.skipped
	clean := code == 0 && end == nil || isComplete && t.lingered.Load()
	if clean && isComplete && t.failure == "" {
		return nil
	}
	said, all := t.failure, t.failure
	if said == "" {
		last := lastLines(tail + "\n" + t.noise.String())
		said, all = strings.Join(last, " | "), strings.Join(last, "\n")
		said = text.Tail(said, 1000)
	}
	err := errors.New(said)
	switch {
	case end != nil && !clean:
		err = fmt.Errorf("%s ended: %w%s", t.name(), end, colon(said))
	case !clean && t.failure == "":
		err = fmt.Errorf("%s ended with exit code %d%s", t.name(), code, colon(said))
	case t.failure == "":
		err = fmt.Errorf("%s ended without a result%s", t.name(), colon(said))
	}
	return t.explain(err, strings.ToLower(all))
}

// explain classifies an error by the lower-case text of the failure, or by the last
// lines of output.
func (t *turn) explain(err error, said string) error {
	after, isBusy := outer.Busy(t.status, said)
	switch {
	case lost.MatchString(said):
		t.lostSession = true
	case t.status == 401 || t.status == 0 && (outer.Answered(said, 401) || login.MatchString(said)):
		return &outer.StartError{Agent: t.name(), Err: err, Hint: cmp.Or(t.Preset.Login, "log in with the agent's own program first")}
	case isBusy:
		return &outer.TransientError{Err: err, After: cmp.Or(t.retryAfter, after)}
	}
	return err
}

func lastLines(text string) []string {
	var lines []string
	text, _, _ = strings.Cut(text, "\nStack backtrace:")
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	isError := func(line string) bool { return strings.HasPrefix(strings.ToLower(line), "error") }
	if i := slices.IndexFunc(lines, isError); i >= 0 {
		lines = lines[i:min(len(lines), i+3)]
	}
	return lines[max(0, len(lines)-5):]
}

func colon(said string) string {
	if said == "" {
		return ""
	}
	return ": " + said
}
