package run

import (
	"io"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
)

// screen prints text above live rows, which it erases and draws again, all in one
// write, so that the rows never tear the text. It leaves the terminal's modes alone:
// nothing has to be restored, however the process ends.
type screen struct {
	out     io.Writer
	size    func() (width, height int)
	live    bool // it can draw rows
	reflows bool // it breaks rows anew when it gets narrower
	drawn   []string
}

func newScreen(e *cli.Env) *screen {
	s := &screen{out: e.Stdout, size: func() (int, int) { return terminalSize(e.Stdout) }, live: canRedraw(e)}
	s.reflows = e.Getenv("XTERM_VERSION") == "" && e.Getenv("TERM") != "linux"
	return s
}

func canRedraw(e *cli.Env) bool {
	return e.OnTerminal() && e.Getenv("TERM") != "dumb" && (runtime.GOOS != "windows" || e.Getenv("WT_SESSION") != "")
}

// show prints text, which is empty or ends a line, and draws the rows below it. Errors
// are ignored: the run goes on if our output is closed.
func (s *screen) show(text string, rows []string) {
	if !s.live {
		rows = nil
	}
	if text == "" && slices.Equal(rows, s.drawn) {
		return
	}
	_, _ = io.WriteString(s.out, s.erase()+text+strings.Join(rows, "\n"))
	s.drawn = rows
}

// keep makes the rows text that stays. The cursor must be below them.
func (s *screen) keep() { s.drawn = nil }

// erase returns what erases the rows: the cursor is at the end of the last one.
func (s *screen) erase() string {
	if len(s.drawn) == 0 {
		return ""
	}
	up, width := len(s.drawn)-1, 0
	if s.reflows {
		width, _ = s.size()
	}
	for _, row := range s.drawn {
		if width > 0 {
			up += max(0, ansi.StringWidthWc(row)-1) / width
		}
	}
	if up == 0 {
		return "\r" + ansi.EraseScreenBelow
	}
	return "\r" + ansi.CursorUp(up) + ansi.EraseScreenBelow
}

const usualWidth, usualHeight = 80, 24

func terminalSize(w io.Writer) (width, height int) {
	if f, ok := w.(*os.File); ok {
		if width, height, err := term.GetSize(f.Fd()); err == nil && width > 0 && height > 0 {
			return width, height
		}
	}
	return usualWidth, usualHeight
}
