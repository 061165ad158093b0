package acp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"strings"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/outer"
	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

const (
	authRequired = -32000 // the protocol's error code
	clipped      = 500    // bytes of an agent's words that messages show
)

func (d *driver) startError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return &outer.StartError{Agent: d.Name, Err: err, Hint: hint.Of(err)}
}

// promptError returns the error of a turn. An agent that needs a login cannot do better
// in the next turn.
func (a *agent) promptError(err error) error {
	err = a.explain(err)
	if todo := hint.Of(err); todo != "" {
		return &outer.StartError{Agent: a.Name, Err: err, Hint: todo}
	}
	return err
}

func (d *driver) withInstallHint(err error) error {
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		return hint.Add(err, cmp.Or(d.Hint, "is the agent installed and in PATH?"))
	}
	return err
}

func (a *agent) explain(err error) error {
	re := (*sdk.RequestError)(nil)
	switch {
	case err == nil || !errors.As(err, &re):
		return err
	case re.Code == authRequired:
		return hint.Add(&answerError{re}, a.loginHint())
	case a.hasEnded() || a.input.unread.Load(): // then the SDK made this error
		return a.exitError()
	}
	return &answerError{re}
}

// answerError is an error that the agent answered.
type answerError struct{ *sdk.RequestError }

// Error returns the message and its details in one line.
func (e *answerError) Error() string {
	message := strings.TrimSpace(e.Message)
	if detail := firstLine(findText(e.Data)); detail != "" && detail != message {
		message += ": " + detail
	}
	return clip(message)
}

func (a *agent) loginHint() string {
	const own = "log in with the agent's own program first"
	var methods []string
	for _, m := range a.info.AuthMethods {
		if m.Agent != nil {
			methods = append(methods, fmt.Sprintf("%s (%s)", clip(firstLine(m.Agent.Name)), clip(firstLine(string(m.Agent.Id)))))
		}
	}
	if len(methods) == 0 {
		return own
	}
	return own + "; its login methods: " + strings.Join(methods, ", ")
}

func (a *agent) lateError(step string) error {
	return hint.New(fmt.Sprintf("it did not answer %s within %s%s", step, text.Exactly(a.StartLimit), a.lastOutput()),
		"does it speak ACP, and can it reach its service?")
}

func (a *agent) exitError() error {
	select {
	case <-a.process.Done():
		code, err := a.process.Exit()
		if err != nil {
			return fmt.Errorf("the agent ended: %w%s", err, a.lastOutput())
		}
		return fmt.Errorf("the agent ended with exit code %d%s", code, a.lastOutput())
	case <-time.After(exitWait):
	}
	if a.flow.ended.Load() || a.input.unread.Load() {
		return errors.New("the agent closed its input or output" + a.lastOutput())
	}
	return errors.New("the agent sent a message of more than 10 MiB" + a.lastOutput()) // the SDK's limit
}

// lastOutput returns the last lines that are not part of the protocol, after a
// colon.
func (a *agent) lastOutput() string {
	said := cmp.Or(strings.TrimSpace(a.process.Tail()), strings.TrimSpace(a.flow.noise.String()))
	if said == "" {
		return ""
	}
	lines := strings.Split(said, "\n")
	return ": " + clip(strings.Join(lines[max(0, len(lines)-5):], " | "))
}

func clip(s string) string { return text.Head(strings.ToValidUTF8(s, "\uFFFD"), clipped) }

// firstLine returns the first line with text that does not open a code block.
func firstLine(s string) string {
	for l := range strings.Lines(s) {
		if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "```") {
			return l
		}
	}
	return ""
}

func findText(data any) string {
	switch v := data.(type) {
	case string:
		return v
	case map[string]any:
		for _, field := range []string{"message", "details", "detail", "error", "stderr", "errorKind", "reason", "output", "formatted_output", "stdout", "content", "text"} {
			if s := findText(v[field]); s != "" {
				return s
			}
		}
	case []any:
		for _, e := range v {
			if s := findText(e); s != "" {
				return s
			}
		}
	}
	return ""
}
