package desk

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// macScript has the requests to System Events.
//
//go:embed osascript.applescript
var macScript string

// Osascript works macOS by System Events and the programs that come with it.
func Osascript(ctx context.Context, m Machine) (Desk, error) {
	d, err := mac(m)
	if err != nil {
		return Desk{}, err
	}
	return d, pastesByPlace(macLayout(ctx, m))
}

type macDesk struct {
	m     Machine
	tools map[string]string
}

// mac finds the programs and runs none.
func mac(m Machine) (Desk, error) {
	if m.OS != "darwin" {
		return Desk{}, errors.New("this works on macOS only")
	}
	// pbcopy and pbpaste go by the locale, which a hook may be without: then what is not ASCII becomes question marks.
	m.Env = append(m.Env[:len(m.Env):len(m.Env)], "LC_ALL=en_US.UTF-8")
	tools, err := m.lookAll("osascript", "ps", "ioreg", "pbcopy", "pbpaste")
	d := macDesk{m, tools}
	return Desk{
		Windows: d.windows, Front: d.front, Raise: d.raise, Press: d.press, Idle: d.idle,
		Boards: []Board{{"clipboard", d.content, func(ctx context.Context, text string) error { return m.feed(ctx, text, tools["pbcopy"]) }}},
	}, err
}

// script asks System Events. The script comes on the standard input and what
// differs as arguments, so that a title is never run as script. Source:
// Apple, osascript(1).
func (d macDesk) script(ctx context.Context, args ...string) (string, error) {
	out, err := d.m.tell(ctx, macScript, d.tools["osascript"], append([]string{"-"}, args...)...)
	return strings.TrimSuffix(out, "\n"), permission(err)
}

// permission adds to an error of macOS what to allow. No key was
// pressed before such an error. Source: Apple, errors of Apple events and of the
// accessibility API.
func permission(err error) error {
	complaint, _ := stderrOf(err)
	for _, tt := range []struct{ code, words string }{
		{"-25211)", "Accessibility"},
		{"-1719)", "Accessibility"},
		{"(1002)", "Accessibility"},
		{"-1743)", "Automation, below it System Events"},
	} {
		if strings.Contains(complaint, tt.code) {
			return errors.Join(ErrLostFocus, fmt.Errorf("macOS does not let cursor-ralph press keys: allow the app that runs it, which is Cursor (or your terminal, if you call it there), under System Settings > Privacy & Security > %s: %w", tt.words, err))
		}
	}
	return err
}

// titleEnd is what the script puts after each title.
const titleEnd = "\x1e"

// windows asks for each process whose executable is the editor's: a process lists
// its windows slowly. The title of the only window of a process need not stay the
// same, so it is not its id.
func (d macDesk) windows(ctx context.Context, editors []string) ([]Window, error) {
	out, err := d.m.run(ctx, d.tools["ps"], "-axwwo", "pid=,comm=") // without ww it cuts lines off
	if err != nil {
		return nil, err
	}
	var found []Window
	for _, w := range macProcesses(out, editors) {
		titles, err := d.script(ctx, "windows", strconv.Itoa(w.PID))
		if err != nil {
			return nil, err
		}
		found = append(found, macWindows(w, titles)...)
	}
	return found, nil
}

// macProcesses reads lines of a number and a path, which may have spaces.
func macProcesses(list string, editors []string) (found []Window) {
	for line := range strings.Lines(list) {
		number, path, _ := strings.Cut(strings.TrimSpace(line), " ")
		pid, err := strconv.Atoi(number)
		w := Window{PID: pid, Programs: []string{strings.TrimSpace(path)}}
		if err == nil && w.runs(editors) {
			found = append(found, w)
		}
	}
	return found
}

func macWindows(process Window, titles string) (found []Window) {
	for title := range strings.SplitSeq(strings.TrimSuffix(titles, titleEnd), titleEnd) {
		if title != "" {
			found = append(found, Window{ID: title, Title: title, PID: process.PID, Programs: process.Programs})
		}
	}
	if len(found) == 1 {
		found[0].ID = ""
	}
	return found
}

// front leaves out dialogs: Return would confirm one.
func (d macDesk) front(ctx context.Context) (Window, error) {
	answer, err := d.script(ctx, "front")
	if err != nil {
		return Window{}, err
	}
	number, title, _ := strings.Cut(answer, titleEnd)
	pid, err := strconv.Atoi(number)
	if err != nil {
		return Window{}, ErrNoFront
	}
	return Window{ID: title, Title: title, PID: pid}, nil
}

func (d macDesk) raise(ctx context.Context, w Window) error {
	_, err := d.script(ctx, "activate", strconv.Itoa(w.PID), w.ID)
	return err
}

// macKeys are key codes and what is held. Source: Apple, HIToolbox, Events.h.
var macKeys = map[Key][2]string{Paste: {"9", "command"}, Return: {"36", ""}, CtrlEnter: {"36", "control"}, CmdEnter: {"36", "command"}}

// press has the script look at the focus once more: starting it takes a while.
func (d macDesk) press(ctx context.Context, w Window, k Key, ready func() error) error {
	if err := ready(); err != nil {
		return err
	}
	answer, err := d.script(ctx, "press", strconv.Itoa(w.PID), w.ID, macKeys[k][0], macKeys[k][1])
	if err == nil && answer != "pressed" {
		return ErrLostFocus
	}
	return err
}

// hidIdleTime is in nanoseconds. Source: Apple, IOKit, kIOHIDIdleTimeKey.
var hidIdleTime = regexp.MustCompile(`"HIDIdleTime" = (\d+)`)

func (d macDesk) idle(ctx context.Context) (time.Duration, error) {
	out, err := d.m.run(ctx, d.tools["ioreg"], "-c", "IOHIDSystem")
	if err != nil {
		return 0, err
	}
	found := hidIdleTime.FindStringSubmatch(out)
	if found == nil {
		return 0, errors.New("ioreg does not report for how long the user has rested")
	}
	ns, err := strconv.ParseInt(found[1], 10, 64)
	return time.Duration(ns), err
}

func (d macDesk) content(ctx context.Context) (Content, error) {
	types, err := d.m.run(ctx, d.tools["osascript"], "-l", "JavaScript", "-e",
		"ObjC.import('AppKit'); (ObjC.deepUnwrap($.NSPasteboard.generalPasteboard.types) || []).join('\\n')")
	if err != nil {
		return Content{}, err
	}
	return content(strings.FieldsFunc(types, func(r rune) bool { return r == '\n' }),
		func() (string, error) { return d.m.run(ctx, d.tools["pbpaste"]) })
}

// macLayout returns an identifier such as com.apple.keylayout.US, or nothing if
// macOS does not say.
func macLayout(ctx context.Context, m Machine) string {
	path, err := m.LookPath("defaults")
	if err != nil {
		return ""
	}
	layout, err := m.run(ctx, path, "read", "com.apple.HIToolbox", "AppleCurrentKeyboardLayoutInputSourceID")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(layout)
}

// pastesByPlace refuses the layouts that have another letter where others have
// v, with Command held too. Layouts of other scripts have v there with Command.
func pastesByPlace(layout string) error {
	name := strings.ToLower(layout[strings.LastIndex(layout, ".")+1:])
	if strings.Contains(name, "qwerty") { // Dvorak, and QWERTY with Command
		return nil
	}
	for _, other := range []string{"dvorak", "bepo", "bépo", "neo", "turkish-f", "workman"} {
		if strings.Contains(name, other) {
			return fmt.Errorf("on the keyboard layout %s Command+V is not where this presses it", layout)
		}
	}
	return nil
}
