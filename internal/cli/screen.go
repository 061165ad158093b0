package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/term"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/internal/view"
)

// Terminal is what a command reads and where it prints. Its environment says what that can show.
type Terminal struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
}

// Colorful reports whether output goes to a terminal that wants color. See
// https://no-color.org.
func (t Terminal) Colorful() bool {
	return t.Getenv("NO_COLOR") == "" && t.Getenv("TERM") != "dumb" && t.OnTerminal()
}

// OnTerminal reports whether output goes to a terminal.
func (t Terminal) OnTerminal() bool {
	f, ok := t.Stdout.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// InputFromTerminal reports whether a person may be typing.
func (t Terminal) InputFromTerminal() bool {
	f, ok := t.Stdin.(*os.File)
	return ok && term.IsTerminal(f.Fd())
}

// Screen returns what listings have to fit: COLUMNS, or the terminal. The width of a
// pipe is unknown.
func (t Terminal) Screen() view.Screen {
	width, err := strconv.Atoi(t.Getenv("COLUMNS"))
	if f, ok := t.Stdout.(*os.File); ok && (err != nil || width <= 0) {
		width, _, _ = term.GetSize(f.Fd()) // 0 if it is no terminal
	}
	return view.Screen{Width: max(0, width), ASCII: t.isASCII()}
}

// isASCII reports whether the locale names a character set other than UTF-8. Where it
// names none, as in most containers, UTF-8 works.
func (t Terminal) isASCII() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToLower(t.Getenv(name)); v != "" {
			return !strings.Contains(v, "utf-8") && !strings.Contains(v, "utf8")
		}
	}
	return false
}

// Say prints a line.
func (t Terminal) Say(format string, args ...any) error {
	_, err := fmt.Fprint(t.Stdout, t.clean(fmt.Sprintf(format, args...))+"\n")
	return err
}

// Warn prints a line on standard error, as an error without failing.
func (t Terminal) Warn(format string, args ...any) {
	fmt.Fprintf(t.Stderr, "cursor-ralph: %s\n", t.clean(fmt.Sprintf(format, args...)))
}

// Hint prints what may help, if there is anything, where errors are printed.
func (t Terminal) Hint(words string) {
	if words != "" {
		fmt.Fprintf(t.Stderr, "cursor-ralph: hint: %s\n", Printable(words))
	}
}

// JSON prints a value as JSON.
func (t Terminal) JSON(v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b) // which writes < as a code, so that no promise can be read in it
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(t.Stdout, Printable(b.String())) // \u0000 is JSON too
	return err
}

// JSONLine prints a value as one line of JSON.
func (t Terminal) JSONLine(v any) error {
	data, err := json.Marshal(v) // which writes < as a code
	if err == nil {
		_, err = io.WriteString(t.Stdout, Printable(string(data))+"\n")
	}
	return err
}

// clean makes text safe for this terminal, see Printable.
func (t Terminal) clean(s string) string {
	if s = Printable(s); t.isASCII() {
		return text.ASCII(s)
	}
	return s
}
