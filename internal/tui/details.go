package tui

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// detail is something about a loop: a name, a text and how many lines it may
// take.
type detail struct {
	name, text string
	lines      int
	style      style
}

// nameWidth is that of the names of details.
const nameWidth = 11

// details returns the facts about the chosen loop that fit, the most important
// first.
func (m model) details(l Loop, room int) (lines []string) {
	if m.Whole != nil {
		l = m.Whole(l)
	}
	for _, d := range m.facts(l) {
		if room < 8 {
			d.lines = 1
		}
		text := wrap(m.oneLine(d.text), max(1, m.width-nameWidth), d.lines)
		for i, line := range text {
			name := ""
			if i == 0 {
				name = d.name
			}
			lines = append(lines, m.colors.name.Styled(fit(name, nameWidth))+d.style.Styled(line))
		}
	}
	return lines[:min(len(lines), room)]
}

func (m model) facts(l Loop) []detail {
	s, now := l.State, m.Now()
	word, style := m.word(l)
	all := []detail{
		{"task", s.Prompt, 2, nil},
		{"status", m.statusWords(l, word), 2, style},
		{"iteration", m.progress(s), 1, nil},
		{"time", times(s, now), 1, nil},
		{"stuck", s.Struggle, 1, m.colors.bad},
		{"verifying", verifying(s, now), 1, m.colors.busy},
		{"refused", refused(l), 1, m.colors.wait},
		{"context", contextWords(s.Context), 2, nil},
		{"typing", typing(s.Injection, now), 2, nil},
		{"said", l.Answer, 3, nil},
		{"files", m.files(l), 1, nil},
		{"agent", agent(s.Run), 1, nil},
		{"progress", s.LastOutput, 1, nil},
		{"workspace", s.Workspace, 1, nil},
		{"id", l.ID, 1, nil},
	}
	return all
}

// agent is that of a loop of cursor-ralph run.
func agent(r loop.Run) string {
	switch r.Driver {
	case "":
		return ""
	case "acp":
		return "by the Agent Client Protocol: " + r.Agent
	}
	return "in print mode: " + r.Agent
}

func (m model) statusWords(l Loop, word string) string {
	words := word
	if l.State.Guarded() {
		words += ", plan mode"
	}
	if l.State.Stop {
		words += ", a stop is asked for"
	}
	if l.State.Reason != "" {
		words += ": " + l.State.Reason
	}
	return words
}

// progress is a bar, and the count in words.
func (m model) progress(s loop.State) string {
	words := fmt.Sprintf(" %d of %d, %d in this session", s.Iteration(), s.MaxIterations, s.SessionIterations)
	if !s.Run.NoTools {
		words += fmt.Sprintf(", %d tool calls", s.ToolCalls)
	}
	width := min(30, (m.width-nameWidth)/3)
	return bar(s.Iterations, s.MaxIterations, width) + words
}

func bar(n, of, width int) string {
	if width < 3 {
		return ""
	}
	full := max(0, min(width, n*width/max(1, of)))
	return strings.Repeat("█", full) + strings.Repeat("░", width-full)
}

func times(s loop.State, now time.Time) string {
	var parts []string
	switch {
	case s.StartedAt.IsZero():
		parts = append(parts, since("asked for %s ago", now, s.CreatedAt))
	case s.Status.Ended():
		parts = append(parts, lasted("ran for %s", s.Worked(s.EndedAt)), since("ended %s ago", now, s.EndedAt))
	default:
		parts = append(parts, lasted("running for %s", s.Worked(now)), since("last event %s ago", now, s.EventAt))
	}
	return strings.Trim(strings.Join(parts, ", "), ", ")
}

// since puts the time between two moments into words.
func since(words string, now, then time.Time) string {
	if then.IsZero() {
		return ""
	}
	return lasted(words, now.Sub(then))
}

// lasted puts a duration into words.
func lasted(words string, d time.Duration) string {
	d = max(0, d).Truncate(time.Second)
	if d < 48*time.Hour {
		return fmt.Sprintf(words, d)
	}
	return fmt.Sprintf(words, fmt.Sprintf("%d days", d/(24*time.Hour)))
}

func verifying(s loop.State, now time.Time) string {
	if s.Verify == "" || !s.IsVerifying(now) {
		return ""
	}
	return since("for %s: ", now, s.Verifying.Since) + s.Verify
}

func refused(l Loop) string {
	switch l.Refused {
	case 0:
		return ""
	case 1:
		return "1 promise: " + l.LastRefusal
	}
	return fmt.Sprintf("%d promises, the last: %s", l.Refused, l.LastRefusal)
}

func contextWords(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	return fmt.Sprintf("%d to come: %s", len(texts), strings.Join(texts, " / "))
}

// typing says how typing the continue line went the last time.
func typing(i loop.Injection, now time.Time) string {
	words := i.Words(now)
	if words == "" {
		return ""
	}
	return words + since(", %s ago", now, i.OpenedAt)
}

// files names the files of the last iteration, relative to the workspace.
func (m model) files(l Loop) string {
	var names []string
	root := strings.TrimRight(filepath.ToSlash(l.State.Workspace), "/") + "/"
	for _, file := range l.Files {
		names = append(names, strings.TrimPrefix(filepath.ToSlash(file), root))
	}
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("%d: %s", len(names), strings.Join(names, ", "))
}
