package keystroke

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/jezek/xgb/xproto"
)

// xdotool types by the program of that name.
type xdotool struct{ m Machine }

func newXdotool(m Machine) Injector { return xdotool{m} }

// Name is xdotool.
func (xdotool) Name() string { return "xdotool" }

// Probe looks for the program, the window and the keys.
func (i xdotool) Probe(ctx context.Context, t Target) error {
	path, err := i.m.look("xdotool")
	if err != nil {
		return err
	}
	if err := probeX11(ctx, i.m, t); err != nil {
		return err
	}
	_, drop, err := i.poise(path, "")
	if err == nil {
		drop()
	}
	return err
}

// Type delivers the line.
func (i xdotool) Type(ctx context.Context, t Target) error {
	path, err := i.m.look("xdotool")
	if err != nil {
		return err
	}
	x, err := openX11(ctx, i.m)
	if err != nil {
		return err
	}
	defer x.close()
	return deliver(ctx, t, x, programKeyboard{x, func(ctx context.Context, c Chord) (func() error, func(), error) {
		p, err := x.pressing(ctx, c)
		if err != nil {
			return nil, nil, err
		}
		press, drop, err := i.poise(path, xdotoolScript(p))
		return func() error { return x.clean(p, press()) }, drop, err
	}})
}

// poise has xdotool read commands from its standard input. It runs each line
// when it has come (measured with 3.20160805.1), and answers the first.
func (i xdotool) poise(path, script string) (press func() error, drop func(), err error) {
	return i.m.poise(path, []string{"-"}, "getmouselocation\n", script)
}

// xdotoolScript names keys by their codes: for a letter that the layout does not
// have in its first group xdotool would change the layout. Its
// --clearmodifiers taps Caps Lock, which goes off and stays off (measured with
// 3.20160805.1), so held keys are released and pressed again one by one.
func xdotoolScript(p pressing) string {
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
