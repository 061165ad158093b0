package run

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/charmbracelet/x/term"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/tui"
)

const (
	redrawEvery = 250 * time.Millisecond // for its clock
	drawPause   = 50 * time.Millisecond  // at least, between two draws: words come in small pieces
	usualWidth  = 80
)

// canRedraw reports whether the terminal can erase a line.
func canRedraw(e *cli.Env) bool {
	return e.Colorful() && (runtime.GOOS != "windows" || e.Getenv("WT_SESSION") != "")
}

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

func (v *runView) clear() {
	if v.drawn != "" {
		_, _ = io.WriteString(v.e.Stdout, "\r\x1b[K") // errors: see print
		v.drawn = ""
	}
}

// drawSoon draws the status line unless it was drawn just now.
func (v *runView) drawSoon() {
	if v.drawn == "" || v.e.Now().Sub(v.at) >= drawPause {
		v.draw()
	}
}

// draw redraws the status line if it has changed. It leaves the last column of the
// window free: a terminal wraps a full line.
func (v *runView) draw() {
	if !v.line {
		return
	}
	l, tools := v.loop, fmt.Sprintf("  %d tools", v.tools)
	if l.Run.NoTools {
		tools = ""
	}
	begins := fmt.Sprintf("%s  %s%s", l.Line(v.e.Now()), v.e.Now().Sub(v.began).Round(time.Second), tools)
	line := tui.StatusLine(cli.Printable(begins), cli.Printable(v.words.tail()), v.width()-1)
	if v.at = v.e.Now(); line == v.drawn {
		return
	}
	v.clear()
	_, _ = io.WriteString(v.e.Stdout, line) // errors: see print
	v.drawn = line
}

// terminalWidth returns the number of columns.
func terminalWidth(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok {
		return usualWidth
	}
	width, _, err := term.GetSize(f.Fd())
	if err != nil || width <= 0 {
		return usualWidth
	}
	return width
}
