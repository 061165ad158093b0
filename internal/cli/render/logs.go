package render

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/internal/view"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/platform"
)

// LogFlags adds the flags of log.
func LogFlags(f *pflag.FlagSet) {
	f.Int("lines", 40, "print the last `N` lines; 0 prints all")
	f.Bool("raw", false, "print the lines of the file")
	f.Bool("json", false, "print a line of JSON for each decision")
}

// Log prints the hook's decisions, of one conversation or of all.
func Log(_ context.Context, e *cli.Env, args []string) error {
	var lines []string
	var unknown, err error
	if len(args) > 0 {
		lines, unknown, err = linesAbout(e, args[0])
	} else {
		lines, err = logLines(e.Places, "")
	}
	if err != nil {
		return err
	}
	n, err := e.Flags.GetInt("lines")
	if err != nil || n < 0 {
		return hint.Misuse("--lines is less than 0", "0 prints all lines")
	}
	if n > 0 {
		lines = lines[max(0, len(lines)-n):]
	}
	switch {
	case len(lines) == 0 && unknown != nil:
		return unknown
	case e.IsSet("json"):
		return logJSON(e.Terminal, lines)
	case len(lines) == 0 && len(args) > 0:
		return e.Say("the log has no line about %s (%s)", args[0], e.Places.Log())
	case len(lines) == 0:
		return e.Say("the log is empty: the hook has decided nothing yet (%s)", e.Places.Log())
	case e.IsSet("raw"):
		return e.Say("%s", strings.TrimRight(strings.Join(lines, ""), "\n"))
	}
	return e.Say("%s", strings.TrimRight(retold(lines, len(args) == 0), "\n"))
}

// linesAbout returns what the log has about a chat, or, by a loop's own id, about that
// loop of it. The log may know a chat whose records are gone: unknown then says that
// there is no loop.
func linesAbout(e *cli.Env, typed string) (lines []string, unknown, err error) {
	l, unknown := e.Named(typed)
	lines, err = logLines(e.Places, " conversation="+cmp.Or(l.ID, typed)+" ")
	if unknown != nil || !strings.HasPrefix(l.State.ShortID(), typed) {
		return lines, unknown, err
	}
	from, to := l.State.CreatedAt, l.State.EndedAt.Add(time.Second) // the log is written after the record
	if from.IsZero() {
		from = l.State.StartedAt
	}
	other := func(line string) bool {
		clock, _, _ := strings.Cut(line, " ")
		at, err := time.Parse(time.RFC3339, clock)
		return err != nil || at.Before(from.Truncate(time.Millisecond)) || l.State.Status.Ended() && at.After(to)
	}
	return slices.DeleteFunc(lines, other), nil, err
}

// logLines returns the lines of both log files that contain the text.
func logLines(places platform.Places, only string) (lines []string, err error) {
	for _, path := range []string{places.Log() + ".1", places.Log()} {
		data, _, err := ownfile.Read(path, 0)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for line := range strings.Lines(string(data)) {
			if strings.Contains(line, only) {
				lines = append(lines, line)
			}
		}
	}
	return lines, nil
}

type logged struct {
	Schema       int         `json:"schema"`
	At           time.Time   `json:"at,omitzero"`
	ID           string      `json:"id,omitempty"`
	Conversation string      `json:"conversation_id,omitempty"`
	Event        string      `json:"event,omitempty"`
	Iteration    *int        `json:"iteration,omitempty"`
	Max          int         `json:"max_iterations,omitempty"`
	Promise      string      `json:"promise,omitempty"`
	Action       string      `json:"action,omitempty"`
	Reason       loop.Reason `json:"reason,omitempty"`
	Why          string      `json:"why,omitempty"`
	Words        string      `json:"words"`
}

func logJSON(t cli.Terminal, lines []string) error {
	for _, l := range parsed(lines) {
		line := logged{view.Schema, l.At.UTC(), l.Loop, l.Conversation, l.Event, nil, max(0, l.Max), l.Promise, l.Action, l.Reason, l.Why, explain(l)}
		if l.Max > 0 {
			iteration := max(0, l.Iteration)
			line.Iteration = &iteration
		}
		if err := t.JSONLine(line); err != nil {
			return err
		}
	}
	return nil
}
