package x11

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/jezek/xgb/xproto"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
)

// OpenXdotool types by the program of that name.
func OpenXdotool(ctx context.Context, m desk.Machine, r desk.Request) (desk.Session, error) {
	path, err := m.Look("xdotool")
	if err != nil {
		return desk.Session{}, err
	}
	s, err := OpenProgram(ctx, m, r, func(p Pressing) (desk.Prepared, error) {
		return prepareXdotool(m, path, xdotoolScript(p))
	})
	if err != nil {
		return s, err
	}
	trial, err := prepareXdotool(m, path, "")
	if err != nil {
		s.Close()
		return s, err
	}
	trial.Drop()
	return s, nil
}

// prepareXdotool has xdotool read commands from its standard input. It runs each
// line as it comes (measured with 3.20160805.1), and answers the first.
func prepareXdotool(m desk.Machine, path, script string) (desk.Prepared, error) {
	return m.Prepare(path, []string{"-"}, "getmouselocation\n", script)
}

// xdotoolScript names keys by their codes: for a letter that the layout does not
// have in its first group xdotool would change the layout. Its
// --clearmodifiers taps Caps Lock, which goes off and stays off (measured with
// 3.20160805.1), so held keys are released and pressed again one by one.
func xdotoolScript(p Pressing) string {
	keys := make([]string, 0, len(p.with)+1)
	for _, key := range append(p.with, p.key) {
		keys = append(keys, strconv.Itoa(int(key)))
	}
	return each("keyup", p.held) + "key --delay 0 " + strings.Join(keys, "+") + "\n" + each("keydown", p.held)
}

func each(do string, keys []xproto.Keycode) string {
	var lines strings.Builder
	for _, key := range keys {
		fmt.Fprintf(&lines, "%s %d\n", do, key)
	}
	return lines.String()
}
