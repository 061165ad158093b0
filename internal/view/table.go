package view

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

// Screen is where a listing goes.
type Screen struct {
	Width int  // columns; 0 if it is not known, as in a pipe
	ASCII bool // the locale has no UTF-8: our own signs are replaced
}

// PipeWidth is the width of a table where the screen's is not known.
const PipeWidth = 200

const columnGap = 2

// Table returns a header and a line for each row, none wider than the screen. On a
// narrow one the workspace, which loses its beginning, and the task give way; where there
// is no room for both, the task is shown.
func (s Screen) Table(rows []Row) string {
	cells := [][]string{Header().cells()}
	for _, r := range rows {
		cells = append(cells, r.cells())
	}
	const status, workspace, task = 1, 4, 5
	widths := s.widths(cells, []Give{{workspace, 16}, {task, 20}, {workspace, len("WORKSPACE")}, {task, 16}, {status, 14}, {workspace, 0}, {task, 1}, {status, 1}})
	for _, row := range cells {
		row[workspace] = s.cutFront(row[workspace], widths[workspace])
	}
	return s.lines(cells, widths)
}

// Give is a column of a table that gives way on a narrow screen, and its least width. With 0 the whole column does.
type Give struct{ Column, Least int }

// from makes the column narrower, if the line is too wide, and returns by how much.
func (g Give) from(widths []int, over int) int {
	width := widths[g.Column]
	if over <= 0 || width <= g.Least {
		return 0
	}
	if g.Least == 0 {
		widths[g.Column] = 0
		return width + columnGap
	}
	widths[g.Column] = max(g.Least, width-over)
	return width - widths[g.Column]
}

// Columns returns a line for each row of cells, none wider than the screen. The columns
// give way in turn.
func (s Screen) Columns(cells [][]string, gives ...Give) string {
	return s.lines(cells, s.widths(cells, gives))
}

// lines joins the cells.
func (s Screen) lines(cells [][]string, widths []int) string {
	var b strings.Builder
	for _, row := range cells {
		b.WriteString(strings.TrimRight(s.line(row, widths), " ") + "\n")
	}
	return b.String()
}

// widths returns those of the columns, 0 for one that is left out.
func (s Screen) widths(cells [][]string, gives []Give) []int {
	widths, over := make([]int, len(cells[0])), -s.width()-columnGap
	for _, row := range cells {
		for i, cell := range row {
			widths[i] = max(widths[i], ansi.StringWidthWc(cell))
		}
	}
	for _, w := range widths {
		over += w + columnGap
	}
	wanted := slices.Clone(widths)
	for _, g := range gives {
		over -= g.from(widths, over)
	}
	for _, g := range gives { // a column that is left out frees more than was needed
		if more := min(-over, wanted[g.Column]-widths[g.Column]); more > 0 && widths[g.Column] > 0 {
			widths[g.Column], over = widths[g.Column]+more, over+more
		}
	}
	return widths
}

func (r Row) cells() []string {
	return []string{r.ID, r.Status, r.Iteration, r.When, r.Workspace, r.Task}
}

func (s Screen) width() int {
	if s.Width <= 0 {
		return PipeWidth
	}
	return s.Width
}

func (s Screen) line(row []string, widths []int) string {
	var parts []string
	for i, cell := range row {
		if widths[i] == 0 {
			continue
		}
		cell = s.Cut(cell, widths[i])
		parts = append(parts, cell+strings.Repeat(" ", widths[i]-ansi.StringWidthWc(cell)))
	}
	return s.Cut(strings.Join(parts, strings.Repeat(" ", columnGap)), s.width())
}

func (s Screen) more() string {
	if s.ASCII {
		return "..."
	}
	return "…"
}

// Cut returns the part of a line that fits.
func (s Screen) Cut(line string, width int) string {
	for room := width; room > 0; room-- {
		// What is cut is counted by letters, and a vowel sign may have a column of its own.
		if part := ansi.TruncateWc(line, room, s.more()); ansi.StringWidthWc(part) <= width {
			return part
		}
	}
	return ""
}

// cutFront returns the end of a line, as much as fits.
func (s Screen) cutFront(line string, width int) string {
	wide := ansi.StringWidthWc(line)
	if wide <= width {
		return line
	}
	for less := wide - width + len(s.more()) - len("…") + 1; less <= wide; less++ {
		if part := ansi.TruncateLeftWc(line, less, s.more()); ansi.StringWidthWc(part) <= width {
			return part
		}
	}
	return ""
}

// Wrap breaks words into lines that fit, at most so many; the last one says where there
// are more. Without a width it breaks none, but cuts very long ones.
func (s Screen) Wrap(words string, width, most int) (lines []string) {
	if s.Width > 0 {
		// Wrap alone leaves a line too wide that begins with spaces.
		words = ansi.HardwrapWc(ansi.WrapWc(words, max(1, width), ""), max(1, width), true)
	}
	lines = strings.Split(words, "\n")
	for i, line := range lines {
		lines[i] = text.Head(line, longestCell)
	}
	if len(lines) <= most {
		return lines
	}
	lines = lines[:most]
	if last := lines[most-1] + " " + s.more(); s.Width > 0 {
		lines[most-1] = s.Cut(last, max(1, width))
	}
	return lines
}
