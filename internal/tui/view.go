package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/internal/view"
)

// View draws the screen.
func (m model) View() tea.View {
	lines, cursor := m.screen()
	for i, line := range lines {
		if m.ASCII {
			line = text.ASCII(line)
		}
		lines[i] = m.screenOf(m.width).Cut(line, m.width)
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

func (m model) bodyRoom() int {
	foot, _ := m.foot()
	return max(1, m.height-1-len(foot))
}

func (m model) body(room int) []string {
	switch {
	case m.help:
		return helpLines()
	case !m.looked:
		return []string{"looking..."}
	case len(m.loops) == 0:
		return m.wrap("no loops yet. In Cursor, this starts one: /ralph-loop \"make the tests pass\"", m.width, room)
	}
	lines := m.listLines()
	if l, at := m.choice(); at >= 0 && room-len(lines) > 1 {
		lines = append(lines, m.rule(l.Iterations, l.MaxIterations))
		lines = append(lines, m.details(l, room-len(lines))...)
	}
	return lines
}

// rule parts the list from the details, and shows how far the loop is.
func (m model) rule(n, of int) string {
	full := max(0, min(m.width, n*m.width/max(1, of)))
	signs := [2]string{"━", "─"}
	if m.ASCII {
		signs = [2]string{"=", "-"}
	}
	return m.colors.good.Styled(strings.Repeat(signs[0], full)) + strings.Repeat(signs[1], m.width-full)
}

func (m model) title() string {
	title := m.colors.name.Styled("cursor-ralph") + "  " + m.counts()
	if m.problems > 0 {
		title += "  " + m.colors.bad.Styled(fmt.Sprintf("%d not readable (see doctor)", m.problems))
	}
	return title
}

// counts says how many loops stand how, those first that need the user.
func (m model) counts() string {
	count := map[view.Standing]int{}
	for _, l := range m.loops {
		if l.Status.Ended() {
			l.Status = "ended"
		}
		count[l.Status]++
	}
	var parts []string
	for _, word := range []view.Standing{view.Stalled, view.Interrupted, view.Waiting, view.Paused, view.Running, view.Pending, view.Unknown, "ended"} {
		if n := count[word]; n > 0 {
			_, style := m.colors.sign(view.Loop{Status: word})
			parts = append(parts, style.Styled(fmt.Sprintf("%d %s", n, word)))
		}
	}
	return strings.Join(parts, ", ")
}

// listRoom is how many loops are shown: two fifths of the room at most, where the
// details need the rest.
func (m model) listRoom() int {
	room := m.bodyRoom() - 1 // the header
	if room < 4 {
		return max(1, room)
	}
	return max(1, min(len(m.loops), max(2, room*2/5)))
}

// near is how many loops above and below decide about the widths of columns.
const near = 100

// roomy is the width from which on a row has room for a reason too.
const roomy = 100

func (m model) listLines() []string {
	room := m.listRoom()
	_, at := m.choice()
	top := max(0, min(at-room/2, len(m.loops)-room))
	first := max(0, top-near)
	var rows []view.Row
	for _, l := range m.loops[first:min(len(m.loops), top+room+near)] {
		row := l.Row(m.Now(), m.Home)
		if m.width < roomy {
			row.Status = string(l.Status) // the details say why
		}
		rows = append(rows, row)
	}
	table := strings.Split(m.screenOf(m.width-3).Table(rows), "\n")
	lines := []string{"   " + m.colors.name.Styled(table[0])}
	for n := top; n < min(len(m.loops), top+room); n++ {
		lines = append(lines, m.row(m.loops[n], table[1+n-first]))
	}
	return lines
}

func (m model) row(l Loop, cells string) string {
	sign, style := m.colors.sign(l.Loop)
	if l.Key == m.chosen {
		return m.colors.chosen.Styled(m.fit(">" + sign + " " + cells))
	}
	return style.Styled(" " + sign + " " + cells)
}

const nameWidth = 16

func (m model) details(l Loop, room int) (lines []string) {
	for _, d := range l.Details() {
		words := strings.TrimSpace(safe(text.Head(d.Words, keptText)))
		for i, line := range m.wrap(words, max(1, m.width-nameWidth), 1+min(2, room/8)) {
			name := ""
			if i == 0 {
				name = d.Name
			}
			lines = append(lines, m.colors.name.Styled(fmt.Sprintf("%-*s", nameWidth, name))+line)
		}
	}
	return lines[:min(len(lines), room)]
}

// foot returns the last lines: a message, a question or the text being written,
// and the keys.
func (m model) foot() (lines []string, cursor *tea.Cursor) {
	switch m.mode {
	case writing:
		return m.writingLines()
	case asking:
		return append(m.question(), m.keyLine("y", "yes, cancel it", "any other key", "no")), nil
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
	for line := range strings.Lines(text.Head(m.said, keptText)) {
		lines = append(lines, m.wrap(oneLine(line), m.width, 4)...)
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
	task := m.screenOf(m.width).Cut(oneLine(m.about.Prompt), max(10, m.width/2))
	return m.wrap(fmt.Sprintf("cancel the loop %s (%s)? It ends at once.", m.about.ID, task), m.width, 3)
}

func (m model) writingLines() ([]string, *tea.Cursor) {
	heading := fmt.Sprintf("the agent of %s gets this with the next continuation:", m.about.ID)
	if m.line.isFull() {
		heading = "the line is full; `cursor-ralph context` takes longer text"
	}
	var lines []string
	if m.wrong { // it was not taken
		lines = m.saidLines()
	}
	part, column := m.line.shown(m.width)
	lines = append(lines, m.colors.name.Styled(m.screenOf(m.width).Cut(heading, m.width)), part)
	cursor := tea.NewCursor(column, len(lines)-1)
	return append(lines, m.keyLine("enter", "send", "esc", "leave it")), cursor
}

// keyLine names keys and what they do, in turn, as many as fit.
func (m model) keyLine(keysAndWords ...string) (line string) {
	for pair := range slices.Chunk(keysAndWords, 2) {
		longer := strings.TrimPrefix(line+"  "+m.colors.name.Styled(pair[0])+" "+pair[1], "  ")
		if line != "" && ansi.StringWidth(longer) > m.width {
			break
		}
		line = longer
	}
	return line
}
