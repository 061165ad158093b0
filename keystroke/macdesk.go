package keystroke

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

// macScript is what System Events is asked.
//
//go:embed osascript.applescript
var macScript string

// macDesk is macOS's desktop, through the programs that come with it.
type macDesk struct {
	m    Machine
	path map[string]string // of the programs it runs
}

// newMacDesk finds the programs; it runs none.
func newMacDesk(m Machine) (desk, error) {
	if m.OS != "darwin" {
		return nil, errors.New("this works on macOS only")
	}
	// pbcopy and pbpaste go by the locale, which a hook may be without: then what is not ASCII becomes question marks.
	m.Env = append(m.Env[:len(m.Env):len(m.Env)], "LC_ALL=en_US.UTF-8")
	d := macDesk{m, map[string]string{}}
	var errs []error
	for _, program := range []string{"osascript", "ps", "ioreg", "pbcopy", "pbpaste"} {
		path, err := m.look(program)
		d.path[program] = path
		errs = append(errs, err)
	}
	return d, errors.Join(errs...)
}

func (d macDesk) run(ctx context.Context, stdin, program string, args ...string) (string, error) {
	return d.m.run(ctx, stdin, d.path[program], args...)
}

// script asks System Events. The script comes on the standard input and what
// differs as arguments, so nothing in a title is taken for script. Source:
// Apple, osascript(1).
func (d macDesk) script(ctx context.Context, args ...string) (string, error) {
	out, err := d.run(ctx, macScript, "osascript", append([]string{"-"}, args...)...)
	return strings.TrimSuffix(out, "\n"), permission(err)
}

// permission says what to allow, where that is what an error means. No key was
// pressed before such an error. Source: Apple, errors of Apple events and of the
// accessibility API.
func permission(err error) error {
	if err == nil {
		return nil
	}
	for _, tt := range []struct{ code, words string }{
		{"-25211)", "Accessibility"},
		{"-1719)", "Accessibility"},
		{"(1002)", "Accessibility"},
		{"-1743)", "Automation, below it System Events"},
	} {
		if strings.Contains(err.Error(), tt.code) {
			return unpressed{fmt.Errorf("macOS does not let cursor-ralph press keys: allow the app that runs it, which is Cursor (or your terminal, if you call it there), under System Settings > Privacy & Security > %s: %w", tt.words, err)}
		}
	}
	return err
}

// windows asks for each process whose executable is the editor's. The title of
// the only window of a process need not stay the same, so it is not its id.
func (d macDesk) windows(ctx context.Context, t Target) ([]window, error) {
	out, err := d.run(ctx, "", "ps", "-axo", "pid=,comm=")
	if err != nil {
		return nil, err
	}
	var found []window
	for _, pid := range editorProcesses(out, t) {
		titles, err := d.script(ctx, "windows", strconv.Itoa(pid))
		if err != nil {
			return nil, err
		}
		found = append(found, macWindows(pid, titles)...)
	}
	return found, nil
}

// editorProcesses reads lines of a number and a path, which may have spaces.
func editorProcesses(list string, t Target) (pids []int) {
	for line := range strings.Lines(list) {
		number, path, _ := strings.Cut(strings.TrimSpace(line), " ")
		pid, err := strconv.Atoi(number)
		if err == nil && t.isEditor(strings.TrimSpace(path)) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// titleEnd is what the script puts after each title.
const titleEnd = "\x1e"

func macWindows(pid int, titles string) (found []window) {
	for title := range strings.SplitSeq(strings.TrimSuffix(titles, titleEnd), titleEnd) {
		if title != "" {
			found = append(found, window{id: title, title: title, pid: pid})
		}
	}
	if len(found) == 1 {
		found[0].id = ""
	}
	return found
}

func (d macDesk) front(ctx context.Context) (window, error) {
	answer, err := d.script(ctx, "front")
	if err != nil {
		return window{}, err
	}
	number, title, _ := strings.Cut(answer, titleEnd)
	pid, err := strconv.Atoi(number)
	if err != nil {
		return window{}, errNoFront
	}
	return window{id: title, title: title, pid: pid}, nil
}

func (d macDesk) focused(ctx context.Context, w window) (bool, error) {
	answer, err := d.script(ctx, "focused", strconv.Itoa(w.pid), w.id)
	return answer == "yes", err
}

func (d macDesk) activate(ctx context.Context, w window) error {
	_, err := d.script(ctx, "activate", strconv.Itoa(w.pid), w.id)
	return err
}

// hidIdleTime is in nanoseconds. Source: Apple, IOKit, kIOHIDIdleTimeKey.
var hidIdleTime = regexp.MustCompile(`"HIDIdleTime" = (\d+)`)

func (d macDesk) idle(ctx context.Context) (time.Duration, error) {
	out, err := d.run(ctx, "", "ioreg", "-c", "IOHIDSystem")
	if err != nil {
		return 0, err
	}
	found := hidIdleTime.FindStringSubmatch(out)
	if found == nil {
		return 0, errUnknown
	}
	ns, err := strconv.ParseInt(found[1], 10, 64)
	return time.Duration(ns), err
}

// macClip is the clipboard through pbcopy and pbpaste.
type macClip struct {
	desk            macDesk
	line, old, lost string
}

func (d macDesk) put(ctx context.Context, _ window, line string) (clip, error) {
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

// types gives the types of what is on the clipboard, a line each.
func (d macDesk) types(ctx context.Context) (string, error) {
	return d.run(ctx, "", "osascript", "-l", "JavaScript", "-e",
		"ObjC.import('AppKit'); (ObjC.deepUnwrap($.NSPasteboard.generalPasteboard.types) || []).join('\\n')")
}

// macLost tells what pbcopy cannot put back: what is not plain text. Source of
// the types: Apple, NSPasteboard.PasteboardType.
func macLost(text, types string) string {
	rich := false
	for _, kind := range []string{"rtf", "public.html", "public.png", "public.tiff", "public.jpeg", "com.compuserve.gif", "public.file-url", "com.adobe.pdf"} {
		rich = rich || strings.Contains(types, kind)
	}
	switch {
	case strings.Contains(types, macPassword):
		return passwordLost
	case text == "" && strings.TrimSpace(types) != "" && !strings.Contains(types, "plain-text"):
		return "what had been copied was no text and could not be put back"
	case rich:
		return "of what had been copied only the text was put back"
	}
	return ""
}

// fetched waits as long as reading takes: nobody tells.
func (macClip) fetched(ctx context.Context) error { return sleep(ctx, pasteWait) }

// restore leaves alone what somebody has copied meanwhile.
func (c macClip) restore(ctx context.Context) (lost string, err error) {
	now, err := c.desk.run(ctx, "", "pbpaste")
	if err != nil || now != c.line {
		return "", err
	}
	_, err = c.desk.run(ctx, c.old, "pbcopy")
	return c.lost, err
}
