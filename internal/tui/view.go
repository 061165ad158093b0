package tui

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// View draws the screen.
func (m model) View() tea.View {
	lines, cursor := m.screen()
	for i, line := range lines {
		lines[i] = cut(line, m.width)
	}
	v := tea.NewView(strings.Join(lines, "\n"))
	v.AltScreen, v.Cursor = true, cursor
	v.WindowTitle = "cursor-ralph"
	return v
}

// screen returns at most as many lines as the terminal has: the title, the body,
// the last message and the keys.
func (m model) screen() (lines []string, cursor *tea.Cursor) {
	foot, cursor := m.foot()
	room := max(0, m.height-1-len(foot))
	lines = append(lines, m.title())
	body := m.body(room)
	lines = append(lines, body[:min(len(body), room)]...)
	for len(lines) < 1+room {
		lines = append(lines, "")
	}
	if cursor != nil {
		cursor.Y += len(lines)
	}
	lines = append(lines, foot...)
	return lines[:min(len(lines), max(1, m.height))], cursor
}

// bodyRoom is how many lines there are between the title and the keys.
func (m model) bodyRoom() int {
	foot, _ := m.foot()
	return max(1, m.height-1-len(foot))
}

func (m model) body(room int) []string {
	switch {
	case m.mode == helping:
		return m.helpLines()
	case m.mode == reading:
		return m.page.shown(room)
	case !m.looked:
		return []string{"looking …"}
	case len(m.loops) == 0:
		return wrap("no loops yet. In Cursor, this starts one: /ralph-loop \"make the tests pass\"", m.width, room)
	}
	lines := m.listLines()
	if left := room - len(lines) - 1; left > 0 {
		lines = append(lines, strings.Repeat("─", m.width))
		if l, at := m.choice(); at >= 0 {
			lines = append(lines, m.details(l, left)...)
		}
	}
	return lines
}

// title counts the loops, or names the text that is read.
func (m model) title() string {
	switch m.mode {
	case reading:
		return m.colors.name.Styled(fmt.Sprintf("%s of %s", m.page.command, m.oneLine(m.page.about)))
	case helping:
		return m.colors.name.Styled("keys")
	}
	title := m.colors.name.Styled("cursor-ralph") + "  " + m.counts()
	if m.problems > 0 {
		title += "  " + m.colors.bad.Styled(fmt.Sprintf("%d not readable (see doctor)", m.problems))
	}
	return title
}

func (m model) counts() string {
	live, waiting, ended := 0, 0, 0
	for _, l := range m.loops {
		switch {
		case l.Pending:
			waiting++
		case l.State.Status.Ended():
			ended++
		default:
			live++
		}
	}
	words := fmt.Sprintf("%d live", live)
	if waiting > 0 {
		words += fmt.Sprintf(", %d pending", waiting)
	}
	if ended > 0 {
		words += fmt.Sprintf(", %d ended", ended)
	}
	return words
}

// listRoom is how many loops are shown: two fifths of what there is at most, where
// the details need the rest.
func (m model) listRoom() int {
	room := m.bodyRoom()
	if room < 4 {
		return room
	}
	return max(1, min(len(m.loops), max(2, room*2/5)))
}

func (m model) listLines() (lines []string) {
	room := m.listRoom()
	_, at := m.choice()
	top := max(0, min(at-room/2, len(m.loops)-room))
	for _, l := range m.loops[top:min(len(m.loops), top+room)] {
		lines = append(lines, m.row(l))
	}
	return lines
}

// row is a loop in the list. What is of any width stands last.
func (m model) row(l Loop) string {
	word, style := m.word(l)
	mark, word := "  ", fit(word, 10)
	text := fmt.Sprintf(" %7s  ", fmt.Sprintf("%d/%d", l.State.Iteration(), l.State.MaxIterations))
	if m.width >= 60 {
		text += fit(m.oneLine(filepath.Base(l.State.Workspace)), 14) + "  "
	}
	text += m.oneLine(l.State.Prompt)
	if l.ID != m.chosen {
		return mark + style.Styled(word) + text
	}
	return m.colors.chosen.Styled(fit("> "+word+text, m.width))
}

// word is the status in a word, and its color.
func (m model) word(l Loop) (string, style) {
	s := l.State
	switch {
	case s.Status.Ended():
		return m.endWord(s.Status)
	case s.Stale(m.Now()):
		return "stale", m.colors.bad
	case s.IsStalled(m.Now()):
		return "stalled", m.colors.bad
	case s.IsVerifying(m.Now()):
		return "verifying", m.colors.busy
	case s.Status == loop.Running:
		return "running", m.colors.good
	}
	return strings.ToLower(m.oneLine(s.Status.Word())), m.colors.wait
}

func (m model) endWord(s loop.Status) (string, style) {
	switch s {
	case loop.PromiseAccepted:
		return "done", m.colors.good
	case loop.MaxIterations:
		return "at limit", m.colors.bad
	case loop.MaxDuration:
		return "time is up", m.colors.bad
	case loop.UserStopped:
		return "stopped", m.colors.wait
	case loop.Blocked:
		return "blocked", m.colors.bad
	}
	return strings.ToLower(s.Word()), style{}
}

// foot returns the last lines: a message, a question or the text being written,
// and the keys.
func (m model) foot() (lines []string, cursor *tea.Cursor) {
	switch m.mode {
	case writing:
		return m.writingLines()
	case asking:
		return append(m.question(), m.keyLine("y", "yes, cancel it", "any other key", "no")), nil
	case helping:
		return []string{m.keyLine("any key", "back")}, nil
	case reading:
		keys := []string{"up down pgup pgdown g G", "scroll"}
		if m.page.command == "report" {
			keys = append(keys, "s", "write into a file")
		}
		return append(m.saidLines(), m.keyLine(append(keys, "q", "back")...)), nil
	}
	var keys []string
	for _, h := range help {
		if h.short != "" {
			keys = append(keys, h.keys, h.short)
		}
	}
	return append(m.saidLines(), m.keyLine(keys...)), nil
}

// saidLines is what the last command said. It takes a line also where there is
// nothing, so that the screen does not jump.
func (m model) saidLines() []string {
	var lines []string
	for line := range strings.Lines(m.said) {
		lines = append(lines, wrap(m.oneLine(short(line)), m.width, 4)...)
	}
	lines = lines[:min(len(lines), max(1, min(5, m.height/4)))]
	if m.wrong {
		for i := range lines {
			lines[i] = m.colors.bad.Styled(lines[i])
		}
	}
	if len(lines) == 0 && m.height >= 12 {
		return []string{""}
	}
	return lines
}

func (m model) question() []string {
	n := slices.IndexFunc(m.loops, func(l Loop) bool { return l.ID == m.about })
	task := ""
	if n >= 0 {
		task = cut(m.oneLine(m.loops[n].State.Prompt), max(10, m.width/2))
	}
	text := fmt.Sprintf("cancel the loop of %s (%s)? It ends at once.", m.oneLine(m.about), task)
	return wrap(text, m.width, 3)
}

func (m model) writingLines() ([]string, *tea.Cursor) {
	heading := fmt.Sprintf("the agent of %s gets this with the next continuation:", m.oneLine(m.about))
	if len(m.text.text) >= mostWritten {
		heading = fmt.Sprintf("no more than %d characters: what came after them is not in it; ", mostWritten) + heading
	}
	var lines []string
	if m.wrong { // it was not taken
		lines = m.saidLines()
	}
	lines = append(lines, m.colors.name.Styled(cut(heading, m.width)))
	text, x, y := m.text.lines(m.safe, max(1, m.width), max(1, min(6, m.height-2-len(lines))))
	cursor := tea.NewCursor(x, len(lines)+y)
	return append(append(lines, text...), m.keyLine("ctrl+d", "send", "enter", "new line", "esc", "leave it")), cursor
}

// keyLine names keys and what they do, in turn.
func (m model) keyLine(keysAndWords ...string) string {
	var parts []string
	for pair := range slices.Chunk(keysAndWords, 2) {
		parts = append(parts, m.colors.name.Styled(pair[0])+" "+pair[1])
	}
	return strings.Join(parts, "  ")
}

func (m model) helpLines() (lines []string) {
	for _, h := range help {
		lines = append(lines, m.colors.name.Styled(fit(h.keys, 9))+" "+h.words)
	}
	return lines
}
