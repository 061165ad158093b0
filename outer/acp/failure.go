package acp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"regexp"
	"strings"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/cursor-ralph/cursor-ralph/outer"
)

// authRequired is the protocol's code for it.
const authRequired = -32000

// hinted is an error with what to do about it.
type hinted struct {
	error
	hint string
}

// Unwrap gives the error alone.
func (h hinted) Unwrap() error { return h.error }

// notReady is the error of a turn that could not begin.
func (d *driver) notReady(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if later := (*outer.TransientError)(nil); errors.As(err, &later) {
		return later
	}
	s := &outer.StartError{Agent: d.Name, Err: err}
	if h := (hinted{}); errors.As(err, &h) {
		s.Hint = h.hint
	}
	return s
}

// inTurn is the error of a turn that was begun. An agent that wants the user to
// log in will not do better next time.
func (d *driver) inTurn(err error) error {
	if h := (hinted{}); errors.As(err, &h) {
		return &outer.StartError{Agent: d.Name, Err: err, Hint: h.hint}
	}
	return err
}

// missing gives the hint for a program that is not there.
func (d *driver) missing(err error) error {
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		return hinted{err, cmp.Or(d.Hint, "is the agent installed, and in a folder of PATH?")}
	}
	return err
}

// explain tells what an error of a request means.
func (a *agent) explain(err error) error {
	re := (*sdk.RequestError)(nil)
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &re):
		return err
	case re.Code == authRequired:
		return hinted{&answered{re}, a.login()}
	}
	if after, ok := outer.Busy(re.Code, re.Error()); ok {
		return &outer.TransientError{Err: &answered{re}, After: after}
	}
	if a.over() { // then it is not the agent who answered
		return a.ended()
	}
	return &answered{re}
}

// answered is an error that the agent answered with.
type answered struct{ *sdk.RequestError }

// Error tells it in one line.
func (e *answered) Error() string {
	words := []string{strings.TrimSpace(e.Message)}
	if detail := line(saying(e.Data)); detail != "" && detail != words[0] {
		words = append(words, detail)
	}
	return clip(strings.Join(words, ": "))
}

// forgotten tells whether an error is that the agent does not know its session.
func forgotten(err error) bool {
	e, ok := err.(*answered)
	return ok && lostSession.MatchString(strings.ToLower(e.Error()))
}

// login tells the ways to authenticate that the agent offers.
func (a *agent) login() string {
	var ways []string
	for _, m := range a.about.Auth {
		ways = append(ways, fmt.Sprintf("%s (%s)", clip(line(m.Name)), clip(line(m.ID))))
	}
	if len(ways) == 0 {
		return "log in with the agent's own program first"
	}
	return "log in with the agent's own program first; it knows these ways: " + strings.Join(ways, ", ")
}

// ended tells how an agent ended that was not asked to.
func (a *agent) ended() error {
	if why := a.lines.failed.Load(); why != nil && (errors.Is(*why, errTooLong) || errors.Is(*why, errTooMany)) {
		return *why
	}
	select {
	case <-a.process.Done():
		code, err := a.process.Exit()
		if err != nil {
			return fmt.Errorf("the agent ended: %w%s", err, a.lastWords())
		}
		return fmt.Errorf("the agent ended with exit code %d%s", code, a.lastWords())
	case <-time.After(ending):
		return errors.New("the agent closed its output" + a.lastWords())
	}
}

// lastWords gives the last lines that are no part of the protocol.
func (a *agent) lastWords() string {
	said := strings.TrimSpace(a.process.Tail())
	if said == "" {
		said, _ = a.noise.text()
		said = strings.TrimSpace(said)
	}
	if said == "" {
		return ""
	}
	lines := strings.Split(said, "\n")
	return ": " + clip(strings.Join(lines[max(0, len(lines)-5):], " | "))
}

// lostSession is what agents say of a session that they do not know.
var lostSession = regexp.MustCompile(`session.*(not found|unknown|not exist)|(unknown|no such|no) session`)

// clipped is how much of an agent's words is told in an error.
const clipped = 500

// clip gives the beginning of a text, in valid UTF-8.
func clip(s string) string {
	if len(s) > clipped {
		s = s[:clipped] + "…"
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// line gives the first line of a text that says something: the fences of code
// do not.
func line(s string) string {
	for l := range strings.Lines(s) {
		if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "```") {
			return l
		}
	}
	return ""
}

// saying finds the words in what an agent sends as data.
func saying(data any) string {
	switch v := data.(type) {
	case string:
		return v
	case map[string]any:
		for _, field := range []string{"message", "details", "detail", "error", "stderr", "errorKind", "reason", "output", "formatted_output", "stdout", "content", "text"} {
			if s := saying(v[field]); s != "" {
				return s
			}
		}
	case []any:
		for _, e := range v {
			if s := saying(e); s != "" {
				return s
			}
		}
	}
	return ""
}
