package cli

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/term"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/internal/view"
)

// Colorful reports whether output goes to a terminal that wants color. See
// https://no-color.org.
func (e *Env) Colorful() bool {
	return e.Getenv("NO_COLOR") == "" && e.Getenv("TERM") != "dumb" && e.OnTerminal()
}

// OnTerminal reports whether output goes to a terminal.
func (e *Env) OnTerminal() bool {
	f, ok := e.Stdout.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// Screen returns what listings have to fit: COLUMNS, or the terminal. The width of a
// pipe is unknown.
func (e *Env) Screen() view.Screen {
	width, err := strconv.Atoi(e.Getenv("COLUMNS"))
	if f, ok := e.Stdout.(*os.File); ok && (err != nil || width <= 0) {
		width, _, _ = term.GetSize(f.Fd()) // 0 if it is no terminal
	}
	return view.Screen{Width: max(0, width), ASCII: e.isASCII()}
}

// isASCII reports whether the locale names a character set other than UTF-8. Where it
// names none, as in most containers, UTF-8 works.
func (e *Env) isASCII() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToLower(e.Getenv(name)); v != "" {
			return !strings.Contains(v, "utf-8") && !strings.Contains(v, "utf8")
		}
	}
	return false
}

// Say prints a line.
func (e *Env) Say(format string, args ...any) error {
	_, err := fmt.Fprint(e.Stdout, e.clean(fmt.Sprintf(format, args...))+"\n")
	return err
}

// Warn prints a line on standard error, as an error without failing.
func (e *Env) Warn(format string, args ...any) {
	fmt.Fprintf(e.Stderr, "cursor-ralph: %s\n", e.clean(fmt.Sprintf(format, args...)))
}

// clean makes text safe for this terminal, see Printable.
func (e *Env) clean(s string) string {
	if s = Printable(s); e.isASCII() {
		return text.ASCII(s)
	}
	return s
}
