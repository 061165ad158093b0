// Package macos types on macOS, through the programs that come with it.
package macos

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
)

// macScript has the requests to System Events.
//
//go:embed osascript.applescript
var macScript string

type macDesk struct {
	m    desk.Machine
	path map[string]string // of the programs it runs
}

// Desk returns macOS's desktop. It finds the programs and runs none.
func Desk(m desk.Machine) (desk.Desk, error) { return newMacDesk(m) }

func newMacDesk(m desk.Machine) (macDesk, error) {
	if m.OS != "darwin" {
		return macDesk{}, errors.New("this works on macOS only")
	}
	// pbcopy and pbpaste go by the locale, which a hook may be without: then what is not ASCII becomes question marks.
	m.Env = append(m.Env[:len(m.Env):len(m.Env)], "LC_ALL=en_US.UTF-8")
	d := macDesk{m, map[string]string{}}
	var errs []error
	for _, program := range []string{"osascript", "ps", "ioreg", "pbcopy", "pbpaste"} {
		path, err := m.Look(program)
		d.path[program] = path
		errs = append(errs, err)
	}
	return d, errors.Join(errs...)
}

func (d macDesk) run(ctx context.Context, stdin, program string, args ...string) (string, error) {
	return d.m.Run(ctx, stdin, d.path[program], args...)
}

// script asks System Events. The script comes on the standard input and what
// differs as arguments, so that a title is never run as script. Source:
// Apple, osascript(1).
func (d macDesk) script(ctx context.Context, args ...string) (string, error) {
	out, err := d.run(ctx, macScript, "osascript", append([]string{"-"}, args...)...)
	return strings.TrimSuffix(out, "\n"), permission(err)
}

// permission adds to an error of macOS what to allow. No key was
// pressed before such an error. Source: Apple, errors of Apple events and of the
// accessibility API.
func permission(err error) error {
	if err == nil {
		return nil
	}
	said := err.Error()
	if exit := new(proc.ExitError); errors.As(err, &exit) {
		said += exit.Stderr // the error has only the beginning of a line
	}
	for _, tt := range []struct{ code, words string }{
		{"-25211)", "Accessibility"},
		{"-1719)", "Accessibility"},
		{"(1002)", "Accessibility"},
		{"-1743)", "Automation, below it System Events"},
	} {
		if strings.Contains(said, tt.code) {
			return desk.NotPressed(fmt.Errorf("macOS does not let cursor-ralph press keys: allow the app that runs it, which is Cursor (or your terminal, if you call it there), under System Settings > Privacy & Security > %s: %w", tt.words, err))
		}
	}
	return err
}

// Windows asks for each process whose executable is the editor's. The title of
// the only window of a process need not stay the same, so it is not its id.
func (d macDesk) Windows(ctx context.Context, editors desk.Editors) ([]desk.Window, error) {
	// Without ww, ps cuts each line off at the width of a terminal.
	out, err := d.run(ctx, "", "ps", "-axwwo", "pid=,comm=")
	if err != nil {
		return nil, err
	}
	var found []desk.Window
	for _, pid := range editorProcesses(out, editors) {
		titles, err := d.script(ctx, "windows", strconv.Itoa(pid))
		if err != nil {
			return nil, err
		}
		found = append(found, macWindows(pid, titles)...)
	}
	return found, nil
}

// editorProcesses reads lines of a number and a path, which may have spaces.
func editorProcesses(list string, editors desk.Editors) (pids []int) {
	for line := range strings.Lines(list) {
		number, path, _ := strings.Cut(strings.TrimSpace(line), " ")
		pid, err := strconv.Atoi(number)
		if err == nil && editors.Has(strings.TrimSpace(path)) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// titleEnd is what the script puts after each title.
const titleEnd = "\x1e"

func macWindows(pid int, titles string) (found []desk.Window) {
	for title := range strings.SplitSeq(strings.TrimSuffix(titles, titleEnd), titleEnd) {
		if title != "" {
			found = append(found, desk.Window{ID: title, Title: title, PID: pid})
		}
	}
	if len(found) == 1 {
		found[0].ID = ""
	}
	return found
}

func (d macDesk) Front(ctx context.Context) (desk.Window, error) {
	answer, err := d.script(ctx, "front")
	if err != nil {
		return desk.Window{}, err
	}
	number, title, _ := strings.Cut(answer, titleEnd)
	pid, err := strconv.Atoi(number)
	if err != nil {
		return desk.Window{}, desk.ErrNoFront
	}
	return desk.Window{ID: title, Title: title, PID: pid}, nil
}

func (d macDesk) Focused(ctx context.Context, w desk.Window) (bool, error) {
	answer, err := d.script(ctx, "focused", strconv.Itoa(w.PID), w.ID)
	return answer == "yes", err
}

func (d macDesk) Activate(ctx context.Context, w desk.Window) error {
	_, err := d.script(ctx, "activate", strconv.Itoa(w.PID), w.ID)
	return err
}

// hidIdleTime is in nanoseconds. Source: Apple, IOKit, kIOHIDIdleTimeKey.
var hidIdleTime = regexp.MustCompile(`"HIDIdleTime" = (\d+)`)

func (d macDesk) Idle(ctx context.Context) (time.Duration, error) {
	out, err := d.run(ctx, "", "ioreg", "-c", "IOHIDSystem")
	if err != nil {
		return 0, err
	}
	found := hidIdleTime.FindStringSubmatch(out)
	if found == nil {
		return 0, desk.ErrUnknown
	}
	ns, err := strconv.ParseInt(found[1], 10, 64)
	return time.Duration(ns), err
}

type macClip struct {
	desk            macDesk
	line, old, lost string
}

func (d macDesk) Put(ctx context.Context, _ desk.Window, line string) (desk.Clip, error) {
	types, err := d.types(ctx)
	if err != nil {
		return nil, err
	}
	old := ""
	if !strings.Contains(types, macPassword) {
		if old, err = d.run(ctx, "", "pbpaste"); err != nil {
			return nil, err
		}
	}
	_, err = d.run(ctx, line, "pbcopy")
	return macClip{d, line, old, macLost(old, types)}, err
}

// macPassword marks a clipboard. Source: nspasteboard.org.
const macPassword = "org.nspasteboard.ConcealedType" // #nosec G101 -- the name of a kind of clipboard content

// types returns the types of what is on the clipboard, a line each.
func (d macDesk) types(ctx context.Context) (string, error) {
	return d.run(ctx, "", "osascript", "-l", "JavaScript", "-e",
		"ObjC.import('AppKit'); (ObjC.deepUnwrap($.NSPasteboard.generalPasteboard.types) || []).join('\\n')")
}

// macLost describes what pbcopy cannot put back: what is not plain text. Source of
// the types: Apple, NSPasteboard.PasteboardType.
func macLost(text, types string) string {
	rich := false
	for _, kind := range []string{"rtf", "public.html", "public.png", "public.tiff", "public.jpeg", "com.compuserve.gif", "public.file-url", "com.adobe.pdf"} {
		rich = rich || strings.Contains(types, kind)
	}
	switch {
	case strings.Contains(types, macPassword):
		return desk.PasswordLost
	case text == "" && strings.TrimSpace(types) != "" && !strings.Contains(types, "plain-text"):
		return desk.NoTextLost
	case rich:
		return desk.RichTextLost
	}
	return ""
}

// Fetched waits as long as reading takes: that cannot be observed.
func (macClip) Fetched(ctx context.Context) error { return proc.Sleep(ctx, desk.PasteWait) }

// Restore leaves alone what somebody has copied meanwhile.
func (c macClip) Restore(ctx context.Context) (lost string, err error) {
	now, err := c.desk.run(ctx, "", "pbpaste")
	if err != nil || now != c.line {
		return "", err
	}
	_, err = c.desk.run(ctx, c.old, "pbcopy")
	return c.lost, err
}
