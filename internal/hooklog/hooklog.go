// Package hooklog is the log of what was decided: one line a decision, in a
// file that is rotated at 5 MB.
package hooklog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// MaxSize is the size at which a log is rotated, in bytes; one older log is
// kept.
const MaxSize = 5 << 20

// maxValue is how much of one value is written, in bytes. What comes from
// outside may be as large as an event, and would push out all other lines.
const maxValue = 4 << 10

// Line is one decision. Empty fields are left out.
type Line struct {
	At           time.Time
	Conversation string
	Loop         string // its short id, where it is known
	Event        string
	Iteration    int
	Max          int
	Promise      string
	Action       string
	Reason       loop.Reason // of a decision; older logs have none
	Why          string      // the reason in words
}

const stampLayout = "2006-01-02T15:04:05.000Z"

// String returns the line as key=value pairs. Text from outside is quoted, so that
// it can neither forge a line nor steer a terminal. Promises in it are changed,
// since an agent that reads the log might repeat them.
func (l Line) String() string {
	var b strings.Builder
	b.WriteString(l.At.UTC().Format(stampLayout))
	pair := func(key, value string) {
		if value != "" {
			b.WriteString(" " + key + "=" + quoted(loop.Unmarked(value)))
		}
	}
	pair("conversation", l.Conversation)
	pair("loop", l.Loop)
	pair("event", l.Event)
	if l.Max > 0 {
		pair("iteration", strconv.Itoa(l.Iteration)+"/"+strconv.Itoa(l.Max))
	}
	pair("promise", l.Promise)
	pair("action", l.Action)
	pair("reason", string(l.Reason))
	pair("why", l.Why)
	return b.String()
}

func quoted(s string) string {
	s = text.Head(s, maxValue)
	plain := func(r rune) bool {
		return r > ' ' && r < 0x7f && r != '"' && r != '\\' && r != '='
	}
	for _, r := range s {
		if !plain(r) {
			return strconv.Quote(s)
		}
	}
	return s
}

// Parse reads a line back. A value that was too long is cut off, and unknown keys
// are skipped.
func Parse(line string) (Line, error) {
	stamp, rest, _ := strings.Cut(strings.TrimRight(line, "\r\n"), " ")
	at, err := time.Parse(stampLayout, stamp)
	if err != nil {
		return Line{}, fmt.Errorf("no line of the log: %w", err)
	}
	l := Line{At: at}
	for rest != "" {
		key, after, found := strings.Cut(rest, "=")
		value, left, err := cutValue(after)
		if !found || err != nil || strings.Contains(key, " ") {
			return Line{}, fmt.Errorf("no line of the log: nothing can be read after %.40q", rest)
		}
		l.set(key, value)
		rest = left
	}
	return l, nil
}

// cutValue takes a value, quoted or not, and the space behind it.
func cutValue(text string) (value, rest string, err error) {
	if !strings.HasPrefix(text, `"`) {
		value, rest, _ = strings.Cut(text, " ")
		return value, rest, nil
	}
	quoted, err := strconv.QuotedPrefix(text)
	if err != nil {
		return "", "", err
	}
	value, err = strconv.Unquote(quoted)
	return value, strings.TrimPrefix(text[len(quoted):], " "), err
}

func (l *Line) set(key, value string) {
	switch key {
	case "conversation":
		l.Conversation = value
	case "loop":
		l.Loop = value
	case "event":
		l.Event = value
	case "iteration":
		iteration, limit, _ := strings.Cut(value, "/")
		l.Iteration, _ = strconv.Atoi(iteration) // 0 for what is no number
		l.Max, _ = strconv.Atoi(limit)
	case "promise":
		l.Promise = value
	case "action":
		l.Action = value
	case "reason":
		l.Reason = loop.Reason(value)
	case "why":
		l.Why = value
	}
}

// Append writes a line to the log at path.
func Append(path string, l Line) error {
	size, err := ownfile.Append(path, []byte(l.String()+"\n"))
	if err != nil || size < MaxSize {
		return err
	}
	return rotate(path)
}

// rotate keeps one older log. It is done by one process at a time: another that
// found the log full a moment ago must not take the new one for it.
func rotate(path string) error {
	ctx, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	release, err := ownfile.Lock(ctx, path+".lock")
	if err != nil {
		return err
	}
	return errors.Join(rename(path), release())
}

// lockWait is more than a rotation takes.
const lockWait = 100 * time.Millisecond

func rename(path string) error {
	info, err := ownfile.Check(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil // another process was faster
	case err != nil || info.Size() < MaxSize:
		return err
	}
	if _, err := ownfile.Check(path + ".1"); errors.Is(err, ownfile.ErrNotOurs) {
		return err
	}
	return ownfile.Rename(path, path+".1")
}
