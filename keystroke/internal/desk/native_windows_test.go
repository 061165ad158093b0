package desk_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	win "golang.org/x/sys/windows"

	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/keystroke"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
	"github.com/cursor-ralph/cursor-ralph/test/testdesk"
)

// These tests run under Wine, or on Windows, with the helper that ROBOTGO names.

const winLine = "/ralph-loop --continue 4f1d1b0e-8d0c-4d2b-9a51-0d6f5c1e7a90"

// played is a program that plays an editor, or another one with an input.
type played struct {
	windows []win.HWND
	mu      sync.Mutex
	lines   []string // what it printed
	more    chan struct{}
}

// playWin starts testdata/winedit under a name. Where Go cannot build it, as under
// wine, it lies built in the folder in WINEDIT.
func playWin(t *testing.T, exe string, titles ...string) *played {
	t.Helper()
	needsWinDesktop(t)
	cmd := exec.Command(copyAs(t, winedit(t), exe), titles...)
	out, err := cmd.StdoutPipe()
	testdesk.Must(t, err)
	testdesk.Must(t, cmd.Start())
	p := &played{more: make(chan struct{}, 1)}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	go p.read(bufio.NewScanner(out))
	for _, line := range p.await(t, "window", len(titles)) {
		n, err := strconv.ParseUint(line, 10, 64)
		testdesk.Must(t, err)
		p.windows = append(p.windows, win.HWND(n))
	}
	return p
}

// needsWinDesktop skips where no keys can go, as in a service.
func needsWinDesktop(t *testing.T) {
	t.Helper()
	const read = 0x80000000
	d, _ := desk.User32("OpenInputDesktop", 0, 0, read)
	if d == 0 {
		t.Skip("needs a desktop with windows")
	}
	_, _ = desk.User32("CloseDesktop", d)
}

func winedit(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv("WINEDIT"); dir != "" {
		return filepath.Join(dir, "winedit.exe")
	}
	path := filepath.Join(stayingFolder(t), "winedit.exe")
	if out, err := exec.Command("go", "build", "-o", path, "./testdata/winedit").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// stayingFolder is a TempDir that may stay: wine removes no program that ran just now.
func stayingFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "keystroke")
	testdesk.Must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func copyAs(t *testing.T, from, name string) string {
	t.Helper()
	data, err := os.ReadFile(from)
	testdesk.Must(t, err)
	to := filepath.Join(stayingFolder(t), name)
	testdesk.Must(t, os.WriteFile(to, data, 0o755))
	return to
}

func (p *played) read(s *bufio.Scanner) {
	for s.Scan() {
		p.mu.Lock()
		p.lines = append(p.lines, strings.TrimSpace(s.Text()))
		p.mu.Unlock()
		select {
		case p.more <- struct{}{}:
		default:
		}
	}
}

// printed returns what it has printed about something.
func (p *played) printed(about string) (found []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, line := range p.lines {
		if rest, ok := strings.CutPrefix(line, about+" "); ok {
			found = append(found, rest)
		}
	}
	return found
}

func (p *played) await(t *testing.T, about string, n int) []string {
	t.Helper()
	late := time.After(20 * time.Second)
	for {
		if found := p.printed(about); len(found) >= n {
			return found
		}
		select {
		case <-p.more:
		case <-late:
			t.Fatalf("it printed %q, want %d times %s", p.lines, n, about)
		}
	}
}

// robotgoMachine is this Windows with the helper.
func robotgoMachine(t *testing.T) desk.Machine {
	t.Helper()
	helper := os.Getenv("ROBOTGO")
	if helper == "" {
		t.Skip("needs cursor-ralph-robotgo.exe, which is built where wine is")
	}
	return desk.Machine{OS: "windows", Env: os.Environ(), Robotgo: helper}
}

func winDesk(t *testing.T) desk.Desk {
	t.Helper()
	d, err := desk.Robotgo(t.Context(), robotgoMachine(t))
	testdesk.Must(t, err)
	return d
}

// winFront brings a window to the front and waits until it is there.
func winFront(t *testing.T, h win.HWND) {
	t.Helper()
	d, w := winDesk(t), desk.Window{ID: fmt.Sprint(uint64(h))}
	testdesk.Must(t, d.Raise(t.Context(), w))
	for end := time.Now().Add(5 * time.Second); ; {
		if front, err := d.Front(t.Context()); err == nil && w.Is(front) {
			return
		}
		if time.Now().After(end) {
			t.Fatal("the window did not come to the front")
		}
		testdesk.Must(t, proc.Sleep(t.Context(), 10*time.Millisecond))
	}
}

func winCopied(t *testing.T, text string) {
	t.Helper()
	testdesk.Must(t, winDesk(t).Boards[0].Set(t.Context(), text))
}

func clipboardText(t *testing.T) string {
	t.Helper()
	c, err := winDesk(t).Boards[0].Get(t.Context())
	testdesk.Must(t, err)
	return c.Text
}

func winTarget(exe string) keystroke.Target {
	return keystroke.Target{Line: winLine, Workspace: `C:\work\repo`, Editors: []string{desk.Executable(exe)}}
}

func winWay(t *testing.T) keystroke.Injector {
	t.Helper()
	return way(t, "robotgo", keystroke.Machine(robotgoMachine(t)))
}

const winOld = "what the user had: äöü 漢字 🦊"

// errInternal is how Wine may refuse to start a program on a busy machine, before anything was typed.
const errInternal = win.ERROR_INTERNAL_ERROR

func TestRobotgoTypesIntoTheEditor(t *testing.T) {
	editor := playWin(t, "cursor.exe", "main.go - repo - Cursor")
	other := playWin(t, "other.exe", "somebody else")
	target := winTarget("cursor.exe")
	testdesk.Must(t, winWay(t).Probe(t.Context(), target))
	const tries = 20
	for try := range tries {
		winFront(t, other.windows[0])
		winCopied(t, winOld)
		began := time.Now()
		target.Arrived = func(context.Context) error { editor.await(t, "message", try+1); return nil }
		typed := winWay(t).Type(t.Context(), target)
		for again := 0; errors.Is(typed, errInternal) && again < 3; again++ {
			typed = winWay(t).Type(t.Context(), target)
		}
		testdesk.Must(t, typed)
		t.Logf("%d ms", time.Since(began).Milliseconds())
		if got := clipboardText(t); got != winOld {
			t.Errorf("on the clipboard is %q", got)
		}
	}
	if got := editor.printed("message"); !slices.Equal(got, slices.Repeat([]string{winLine}, tries)) {
		t.Errorf("got %q, want %d times %q", got, tries, winLine)
	}
	if got := other.printed("key"); got != nil {
		t.Errorf("the other window got the keys %q", got)
	}
}

func TestRobotgoFindsNoEditor(t *testing.T) {
	other := playWin(t, "other.exe", "main.go - repo - Cursor")
	winFront(t, other.windows[0])
	winCopied(t, "untouched")
	if err := winWay(t).Type(t.Context(), winTarget("cursor.exe")); err == nil || !strings.Contains(err.Error(), "no window of Cursor") {
		t.Errorf("got %v", err)
	}
	if got := other.printed("key"); got != nil || clipboardText(t) != "untouched" {
		t.Errorf("the other window got the keys %q, the clipboard %q", got, clipboardText(t))
	}
}

func TestRobotgoTakesTheWindowOfTheWorkspace(t *testing.T) {
	editor := playWin(t, "cursor.exe", "a.go - other - Cursor", "b.go - repo - Cursor")
	winFront(t, editor.windows[0])
	const minimize = 6
	_, _ = desk.User32("ShowWindow", uintptr(editor.windows[1]), minimize)
	winFront(t, editor.windows[0])
	target := winTarget("cursor.exe")
	target.Arrived = func(context.Context) error { editor.await(t, "message", 1); return nil }
	winCopied(t, "x")
	testdesk.Must(t, winWay(t).Type(t.Context(), target))
	if got := win.GetForegroundWindow(); got != editor.windows[1] {
		t.Errorf("the front window is %v, want the second of %v", got, editor.windows)
	}
	if got := editor.printed("message"); !slices.Equal(got, []string{winLine}) {
		t.Errorf("got %q", got)
	}
}

func TestRobotgoPressesNothingElsewhere(t *testing.T) {
	for _, tt := range []struct {
		name string
		at   int // which question whether the line is still wanted
		sent bool
	}{
		{"focus lost before the paste", 2, false},
		{"focus lost before Return", 3, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			editor := playWin(t, "cursor.exe", "repo - Cursor")
			other := playWin(t, "other.exe", "somebody else")
			winFront(t, editor.windows[0])
			winCopied(t, "kept")
			target, asked := winTarget("cursor.exe"), 0
			target.Permit = func(context.Context) error {
				if asked++; asked == tt.at {
					winFront(t, other.windows[0])
				}
				return nil
			}
			err := winWay(t).Type(t.Context(), target)
			if !errors.Is(err, desk.ErrLostFocus) || errors.As(err, new(*keystroke.SentError)) != tt.sent {
				t.Errorf("got %v, want %v, sent %v", err, desk.ErrLostFocus, tt.sent)
			}
			if got := other.printed("key"); got != nil || editor.printed("message") != nil {
				t.Errorf("the other window got the keys %q, the editor %q", got, editor.printed("message"))
			}
			if got := clipboardText(t); got != "kept" {
				t.Errorf("on the clipboard is %q", got)
			}
		})
	}
}

// A modifier that is held would change the key: it is waited for.
func TestRobotgoWaitsForHeldModifiers(t *testing.T) {
	editor := playWin(t, "cursor.exe", "repo - Cursor")
	winFront(t, editor.windows[0])
	winCopied(t, "kept")
	for i, vk := range []uintptr{0xA0, 0xA2} {
		const up = 2
		_, _ = desk.User32("keybd_event", vk, 0, 0, 0)
		released := make(chan time.Time, 1)
		time.AfterFunc(500*time.Millisecond, func() {
			_, _ = desk.User32("keybd_event", vk, 0, up, 0)
			released <- time.Now()
		})
		target := winTarget("cursor.exe")
		target.Arrived = func(context.Context) error { editor.await(t, "message", i+1); return nil }
		testdesk.Must(t, winWay(t).Type(t.Context(), target))
		if ended := time.Now(); ended.Before(<-released) {
			t.Errorf("%#x: it was typed while the key was held", vk)
		}
		if got := editor.printed("message")[i]; got != winLine {
			t.Errorf("%#x held: got %q", vk, got)
		}
	}
}

// Wine's notepad stands for a program that nobody here wrote.
func TestRobotgoTypesIntoNotepad(t *testing.T) {
	if win.NewLazySystemDLL("ntdll.dll").NewProc("wine_get_version").Find() != nil {
		t.Skip("needs wine")
	}
	cmd := exec.Command("notepad.exe")
	testdesk.Must(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	d := winDesk(t)
	w := awaitWinWindow(t, d, "notepad")
	h, err := strconv.ParseUint(w.ID, 10, 64)
	testdesk.Must(t, err)
	winFront(t, win.HWND(h))
	want := ""
	for range 5 {
		winCopied(t, winLine)
		testdesk.Must(t, d.Press(t.Context(), w, desk.Paste, func() error { return nil }), proc.Sleep(t.Context(), 250*time.Millisecond),
			d.Press(t.Context(), w, desk.Return, func() error { return nil }))
		want += winLine + "\r\n"
	}
	got := winChildText(win.HWND(h))
	for end := time.Now().Add(10 * time.Second); got != want && time.Now().Before(end); got = winChildText(win.HWND(h)) {
		time.Sleep(10 * time.Millisecond) // the last key may still be in its queue
	}
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func awaitWinWindow(t *testing.T, d desk.Desk, exe string) desk.Window {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); {
		found, err := d.Windows(t.Context(), nil)
		testdesk.Must(t, err)
		for _, w := range found {
			if desk.Executable(w.Programs[0]) == exe {
				return w
			}
		}
		testdesk.Must(t, proc.Sleep(t.Context(), 10*time.Millisecond))
	}
	t.Fatal("no window came")
	return desk.Window{}
}

func winChildText(h win.HWND) string {
	const child, getText = 5, 0x0D
	edit, _ := desk.User32("GetWindow", uintptr(h), child)
	buf := make([]uint16, 8192)
	_, _ = desk.User32("SendMessageW", edit, getText, uintptr(len(buf)), uintptr(unsafe.Pointer(&buf[0])))
	return win.UTF16ToString(buf)
}

func TestRobotgoClipboard(t *testing.T) {
	d := winDesk(t)
	for _, text := range []string{"", "a", winOld, strings.Repeat("x", 1<<16)} {
		winCopied(t, text)
		c, err := d.Boards[0].Get(t.Context())
		testdesk.Must(t, err)
		if c.Text != text || (text != "") != slices.ContainsFunc(c.Types, desk.IsText) {
			t.Errorf("got %.20q of the types %q, want %.20q", c.Text, c.Types, text)
		}
	}
}
