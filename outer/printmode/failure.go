package printmode

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/outer"
)

// What agents say when they do not know who asks, and when they do not know a
// session.
var (
	login = regexp.MustCompile(`\b401\b|unauthorized|not logged in|please (run )?\S*log ?in|not authenticated|authentication (is )?required|authentication_(error|failed)|invalid.{0,3}(x-)?api.?key|auth method|no api key|api key is (missing|not set)`)
	lost  = regexp.MustCompile(`no conversation found|(session|thread|conversation|rollout|chat)\b.{0,80}\bnot (be )?found|no (saved )?(session|rollout|thread|chat)s?\b.{0,40}found|not found.{0,20}(session|thread)|invalid session`)
)

// result tells how the turn went, when the agent has ended.
func (t *turn) result(code int, end error, tail string) error {
	promised := t.told || t.Preset.parse == nil || t.skipped
	clean := code == 0 && end == nil || promised && t.lingered.Load()
	if clean && promised && t.failure == "" {
		return nil
	}
	said, all := t.failure, t.failure
	if said == "" {
		all = tail + "\n" + t.stray.String()
		said = lastWords(all)
	}
	err := errors.New(said)
	switch {
	case end != nil && !clean:
		err = fmt.Errorf("%s ended: %w%s", t.agent(), end, colon(said))
	case !clean && t.failure == "":
		err = fmt.Errorf("%s ended with exit code %d%s", t.agent(), code, colon(said))
	case t.failure == "":
		err = fmt.Errorf("%s ended without a result%s", t.agent(), colon(said))
	}
	return t.explain(err, strings.ToLower(all))
}

func (t *turn) agent() string { return t.Config.name() }

// explain finds what an error means in the small letters of all that was said.
func (t *turn) explain(err error, said string) error {
	after, later := outer.Busy(t.status, said)
	switch {
	case lost.MatchString(said):
		t.lost = true
	case t.status == 401 || t.status == 0 && login.MatchString(said):
		return &outer.StartError{Agent: t.agent(), Err: err, Hint: cmp.Or(t.Preset.Login, "log in with the agent's own program first")}
	case later:
		return &outer.TransientError{Err: err, After: cmp.Or(t.after, after)}
	}
	return err
}

// lastWords gives the last lines in one, or those from an error on.
func lastWords(text string) string {
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
	words := strings.Join(lines[max(0, len(lines)-5):], " | ")
	return strings.ToValidUTF8(words[max(0, len(words)-1000):], "")
}

func colon(said string) string {
	if said == "" {
		return ""
	}
	return ": " + said
}
