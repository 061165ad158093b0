package run

import (
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/internal/view"
)

const (
	redrawEvery = 250 * time.Millisecond // for its clock
	drawPause   = 50 * time.Millisecond  // at least, between two draws: words come in small pieces
	mostWords   = 10                     // rows of words
	leastWidth  = 20                     // columns that words need
)

func (v *runView) tick() {
	ticker := time.NewTicker(redrawEvery)
	defer ticker.Stop()
	for {
		select {
		case <-v.stop:
			return
		case <-ticker.C:
			v.mu.Lock()
			v.draw()
			v.mu.Unlock()
		}
	}
}

func (v *runView) drawSoon() {
	if v.e.Now().Sub(v.drawnAt) >= drawPause {
		v.draw()
	}
}

func (v *runView) draw() { v.put("") }

func (v *runView) put(lines string) {
	v.screen.show(lines, v.rows())
	v.drawnAt = v.e.Now()
}

// rows are the question that waits for an answer, or the agent's unfinished words and
// the status line. The last column stays free: a terminal breaks a full row.
func (v *runView) rows() []string {
	width, height := v.screen.size()
	width--
	switch {
	case v.closed || !v.screen.live || width <= 0:
		return nil
	case v.asks != "":
		return strings.Split(ansi.HardwrapWc(ansi.WrapWc(v.asks, width, ""), width, true), "\n")
	}
	status := v.statusLine(width)
	if width < leastWidth {
		return []string{status}
	}
	return append(lastRows(v.words.unfinished(), width, min(mostWords, height-2)), status)
}

func lastRows(line string, width, most int) []string {
	if line == "" || most <= 0 {
		return nil
	}
	rows := strings.Split(ansi.HardwrapWc(text.FixedWidth(cli.Printable(line)), width, true), "\n")
	return rows[max(0, len(rows)-most):]
}

// statusLine says where the run stands: Loop • Running • Iter 3/20 · 2m 5s · 12 tool calls.
func (v *runView) statusLine(width int) string {
	now := v.e.Now()
	l := view.Of(v.loop, view.Facts{Now: now})
	parts := []string{l.Chip(), text.Duration(v.loop.Worked(now))}
	if l.ToolCalls != nil {
		parts = append(parts, text.Count(*l.ToolCalls+v.tools, "tool call"))
	}
	screen, line := v.e.Screen(), strings.Join(parts, " · ")
	if screen.ASCII {
		line = text.ASCII(line)
	}
	line = screen.Cut(line, width)
	if v.e.Colorful() {
		line = ansi.SGR(ansi.AttrFaint) + line + ansi.ResetStyle
	}
	return line
}
