package windows_test

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
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/key"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/windows"
	"github.com/cursor-ralph/cursor-ralph/test/testdesk"
)

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
	d, _ := windows.User32("OpenInputDesktop", 0, 0, read)
	if d == 0 {
		t.Skip("needs a desktop with windows")
	}
	_, _ = windows.User32("CloseDesktop", d)
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

// winFront brings a window to the front and waits until it is there.
func winFront(t *testing.T, h win.HWND) {
	t.Helper()
	w := desk.Window{ID: fmt.Sprint(uint64(h)), PID: int(windows.WindowPID(h))}
	d := windows.DeskOf(windows.ChromeClass)
	testdesk.Must(t, d.Activate(t.Context(), w))
	for ok, end := false, time.Now().Add(3*time.Second); !ok; {
		var err error
		if ok, err = d.Focused(t.Context(), w); err != nil || time.Now().After(end) {
			t.Fatalf("the window did not come to the front: %v", err)
		}
		testdesk.Must(t, proc.Sleep(t.Context(), desk.Poll))
	}
}

// winCopied puts a text on the clipboard, as a user who copies it.
func winCopied(t *testing.T, text string) {
	t.Helper()
	utf16, err := win.UTF16FromString(text)
	testdesk.Must(t, err)
	onClipboard(t, windows.CFUnicodeText, utf16)
}

func onClipboard(t *testing.T, format uintptr, data []uint16) {
	t.Helper()
	err := windows.WhileOpen(t.Context(), func() error {
		if ok, err := windows.User32("EmptyClipboard"); ok == 0 {
			return err
		}
		return windows.SetClipboard(format, data)
	})
	testdesk.Must(t, err)
}

func clipboardText(t *testing.T) (text string) {
	t.Helper()
	err := windows.WhileOpen(t.Context(), func() error {
		data, err := windows.User32("GetClipboardData", windows.CFUnicodeText)
		if data == 0 {
			return err
		}
		text = win.UTF16ToString(windows.ReadGlobal(data))
		return nil
	})
	testdesk.Must(t, err)
	return text
}

func winTarget(exe string) keystroke.Target {
	return keystroke.Target{Line: winLine, Workspace: `C:\work\repo`, Editors: []string{desk.Executable(exe)}}
}

func winInjector(t *testing.T) keystroke.Injector {
	t.Helper()
	list, err := keystroke.Injectors(keystroke.Machine{OS: "windows"}, []string{"sendinput"})
	testdesk.Must(t, err)
	return list[0]
}

// typeInto types the line, as a delivery does, into a window that has the focus.
func typeInto(t *testing.T, d desk.Desk, k desk.Keyboard, w desk.Window) {
	t.Helper()
	c, err := d.Put(t.Context(), w, winLine)
	testdesk.Must(t, err)
	testdesk.Must(t, k.Press(t.Context(), w, key.Paste), c.Fetched(t.Context()), k.Press(t.Context(), w, key.Return))
	_, err = c.Restore(t.Context())
	testdesk.Must(t, err)
}

func TestSendInputTypesIntoTheEditor(t *testing.T) {
	editor := playWin(t, "cursor.exe", "main.go - repo - Cursor")
	other := playWin(t, "other.exe", "somebody else")
	target := winTarget("cursor.exe")
	testdesk.Must(t, winInjector(t).Probe(t.Context(), target))
	for try := range 5 {
		winFront(t, other.windows[0])
		winCopied(t, "what the user had: äöü 漢字 🦊")
		began := time.Now()
		target.Arrived = func(context.Context) error { editor.await(t, "message", try+1); return nil }
		testdesk.Must(t, winInjector(t).Type(t.Context(), target))
		t.Logf("%d ms", time.Since(began).Milliseconds())
		if got := clipboardText(t); got != "what the user had: äöü 漢字 🦊" {
			t.Errorf("on the clipboard is %q", got)
		}
	}
	for _, got := range editor.printed("message") {
		if got != winLine {
			t.Errorf("got %q, want %q", got, winLine)
		}
	}
	if got := editor.printed("message"); len(got) != 5 {
		t.Errorf("got %d messages, want 5", len(got))
	}
	if got := other.printed("key"); got != nil {
		t.Errorf("the other window got the keys %q", got)
	}
}

func TestSendInputFindsNoEditor(t *testing.T) {
	other := playWin(t, "other.exe", "main.go - repo - Cursor")
	winFront(t, other.windows[0])
	winCopied(t, "untouched")
	err := winInjector(t).Type(t.Context(), winTarget("cursor.exe"))
	if !errors.Is(err, desk.ErrNoWindow) {
		t.Errorf("got %v, want %v", err, desk.ErrNoWindow)
	}
	if got := other.printed("key"); got != nil || clipboardText(t) != "untouched" {
		t.Errorf("the other window got the keys %q, the clipboard %q", got, clipboardText(t))
	}
	d := windows.DeskOf("Another_Class")
	if found, err := d.Windows(t.Context(), winTarget("other.exe").Editors); err != nil || found != nil {
		t.Errorf("got %v, %v of a class that no window has", found, err)
	}
}

func TestSendInputTakesTheWindowOfTheWorkspace(t *testing.T) {
	editor := playWin(t, "cursor.exe", "a.go - other - Cursor", "b.go - repo - Cursor")
	winFront(t, editor.windows[0])
	minimize(t, editor.windows[1])
	winFront(t, editor.windows[0])
	target := winTarget("cursor.exe")
	target.Arrived = func(context.Context) error { editor.await(t, "message", 1); return nil }
	winCopied(t, "x")
	testdesk.Must(t, winInjector(t).Type(t.Context(), target))
	if got := win.GetForegroundWindow(); got != editor.windows[1] {
		t.Errorf("the front window is %v, want the second of %v", got, editor.windows)
	}
	if got := editor.printed("message"); !slices.Equal(got, []string{winLine}) {
		t.Errorf("got %q", got)
	}
}

func minimize(t *testing.T, h win.HWND) {
	t.Helper()
	const minimize = 6
	_, _ = windows.User32("ShowWindow", uintptr(h), minimize)
	if got, _ := windows.User32("IsIconic", uintptr(h)); got == 0 {
		t.Fatal("the window is not minimized")
	}
}

func TestSendInputPressesNothingElsewhere(t *testing.T) {
	for _, tt := range []struct {
		name string
		at   int // which question whether the line is still wanted
		want []string
		sent bool
	}{
		{"focus lost before the paste", 2, nil, false},
		{"focus lost before Return", 3, nil, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			editor := playWin(t, "cursor.exe", "repo - Cursor")
			other := playWin(t, "other.exe", "somebody else")
			winFront(t, editor.windows[0])
			winCopied(t, "kept")
			ctx, cancel := context.WithCancel(t.Context())
			var thieves sync.WaitGroup
			defer thieves.Wait()
			defer cancel()
			target, asked := winTarget("cursor.exe"), 0
			target.Permit = func(context.Context) error {
				if asked++; asked == tt.at {
					winFront(t, other.windows[0])
				}
				return nil
			}
			err := winInjector(t).Type(ctx, target)
			var sent *keystroke.SentError
			if !errors.Is(err, desk.ErrLostFocus) || errors.As(err, &sent) != tt.sent {
				t.Errorf("got %v, want %v, sent %v", err, desk.ErrLostFocus, tt.sent)
			}
			if got := other.printed("key"); got != nil {
				t.Errorf("the other window got the keys %q", got)
			}
			if got := editor.printed("message"); got != nil {
				t.Errorf("the editor got %q", got)
			}
			if got := clipboardText(t); got != "kept" {
				t.Errorf("on the clipboard is %q", got)
			}
		})
	}
}

// The keys are held for a moment only: wine takes its modifiers from the X
// server's keyboard now and then, where nobody holds any.
func TestWinKeyboardPutsHeldModifiersBack(t *testing.T) {
	editor := playWin(t, "cursor.exe", "repo - Cursor")
	w := desk.Window{ID: fmt.Sprint(uint64(editor.windows[0])), PID: int(windows.WindowPID(editor.windows[0]))}
	winFront(t, editor.windows[0])
	for i, held := range [][]uint16{{0xA0}, {0xA2}, {0xA4}, {0xA2, 0xA1, 0xA5}} {
		c, err := windows.DeskOf("").Put(t.Context(), w, winLine)
		testdesk.Must(t, err)
		for _, chord := range []keystroke.Chord{key.Paste, key.Return} {
			if after, err := pressedWhileHeld(t, w, chord, held); err != nil || !slices.Equal(after, held) {
				t.Errorf("%s with %#x held: got %v, held afterwards %#x", chord, held, err, after)
			}
		}
		if err := c.Fetched(t.Context()); err != nil {
			t.Error(err)
		}
		if got := editor.await(t, "message", i+1)[i]; got != winLine {
			t.Errorf("%#x held: got %q", held, got)
		}
		if _, err := c.Restore(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

func pressedWhileHeld(t *testing.T, w desk.Window, c keystroke.Chord, held []uint16) (after []uint16, err error) {
	t.Helper()
	testdesk.Must(t, windows.PressKeys(false, held...))
	err = windows.Keyboard().Press(t.Context(), w, c)
	after = windows.HeldModifiers()
	return after, errors.Join(err, windows.PressKeys(true, held...))
}

func TestWinClipTells(t *testing.T) {
	editor := playWin(t, "cursor.exe", "repo - Cursor")
	w := desk.Window{ID: fmt.Sprint(uint64(editor.windows[0])), PID: int(windows.WindowPID(editor.windows[0]))}
	restored := func(c desk.Clip) string {
		lost, err := c.Restore(t.Context())
		if err != nil {
			t.Error(err)
		}
		return lost
	}
	const dib = 8
	onClipboard(t, dib, make([]uint16, 40))
	c, err := windows.DeskOf("").Put(t.Context(), w, winLine)
	testdesk.Must(t, err)
	if err := c.Fetched(t.Context()); err == nil {
		t.Error("nobody has read the line, but Fetched returned no error")
	}
	if lost := restored(c); !strings.Contains(lost, "not text") {
		t.Errorf("a picture was lost, and it tells %q", lost)
	}
	c, err = windows.DeskOf("").Put(t.Context(), w, winLine)
	testdesk.Must(t, err)
	winCopied(t, "copied meanwhile")
	if err := c.Fetched(t.Context()); err == nil {
		t.Error("another program owns the clipboard, but Fetched returned no error")
	}
	if lost := restored(c); lost != "" || clipboardText(t) != "copied meanwhile" {
		t.Errorf("it tells %q, and on the clipboard is %q", lost, clipboardText(t))
	}
	c, err = windows.DeskOf("").Put(t.Context(), w, winLine)
	testdesk.Must(t, err)
	if got := clipboardText(t); got != winLine { // this test is another program than the editor
		t.Errorf("got %q", got)
	}
	began := time.Now()
	if err := c.Fetched(t.Context()); err != nil || time.Since(began) < windows.FetchBlind {
		t.Errorf("another program has read the line: got %v after %s, want a longer wait", err, time.Since(began))
	}
	restored(c)
}

// Wine's notepad stands for a program that nobody here wrote.
func TestSendInputTypesIntoNotepad(t *testing.T) {
	if win.NewLazySystemDLL("ntdll.dll").NewProc("wine_get_version").Find() != nil {
		t.Skip("needs wine")
	}
	cmd := exec.Command("notepad.exe")
	testdesk.Must(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	d := windows.DeskOf("Notepad")
	w := awaitWinWindow(t, d, winTarget("notepad.exe").Editors)
	testdesk.Must(t, d.Activate(t.Context(), w))
	want := ""
	for range 5 {
		winCopied(t, "x")
		typeInto(t, d, windows.Keyboard(), w)
		want += winLine + "\r\n"
	}
	got := winChildText(t, w)
	for end := time.Now().Add(10 * time.Second); got != want && time.Now().Before(end); got = winChildText(t, w) {
		time.Sleep(10 * time.Millisecond) // the last key may still be in its queue
	}
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func awaitWinWindow(t *testing.T, d desk.Desk, editors desk.Editors) desk.Window {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); {
		if found, err := d.Windows(t.Context(), editors); err == nil && len(found) == 1 {
			return found[0]
		}
		testdesk.Must(t, proc.Sleep(t.Context(), desk.Poll))
	}
	t.Fatal("no window came")
	return desk.Window{}
}

func winChildText(t *testing.T, w desk.Window) string {
	t.Helper()
	const child, getText = 5, 0x0D
	h, err := windows.Handle(w)
	testdesk.Must(t, err)
	edit, _ := windows.User32("GetWindow", uintptr(h), child)
	buf := make([]uint16, 8192)
	_, _ = windows.User32("SendMessageW", edit, getText, uintptr(len(buf)), uintptr(unsafe.Pointer(&buf[0])))
	return win.UTF16ToString(buf)
}

// A test goes into whatever window has the focus, and Return is not pressed.
func TestSendInputTypesATest(t *testing.T) {
	other := playWin(t, "other.exe", "notes")
	winFront(t, other.windows[0])
	winCopied(t, "kept")
	target := winTarget("cursor.exe") // which does not run
	target.Test = true
	testdesk.Must(t, winInjector(t).Probe(t.Context(), target))
	testdesk.Must(t, winInjector(t).Type(t.Context(), target))
	keys := other.await(t, "key", 2)
	if slices.Contains(keys, "0d") || other.printed("message") != nil {
		t.Errorf("Return was pressed: %q", keys)
	}
	d := windows.DeskOf(windows.ChromeClass)
	w, err := d.Front(t.Context())
	if err != nil || w.Title != "notes" || clipboardText(t) != "kept" {
		t.Errorf("in front is %+v, %v; on the clipboard is %q", w, err, clipboardText(t))
	}
	testdesk.Must(t, windows.Keyboard().Press(t.Context(), w, key.Return))
	if got := other.await(t, "message", 1); got[0] != winLine {
		t.Errorf("got %q, want %q", got, winLine)
	}
}

func TestWinKeyboardTellsThatNothingWasPressed(t *testing.T) {
	for name, press := range map[string]func() error{
		"no window": func() error { return windows.Keyboard().Press(t.Context(), desk.Window{ID: "x"}, key.Return) },
		"no key": func() error {
			return windows.Keyboard().Press(t.Context(), desk.Window{ID: "1"}, keystroke.Chord{Key: "unheard of"})
		},
		"none taken": func() error { return windows.AllTaken(0, 2, errors.New("refused")) },
	} {
		if err := press(); !desk.IsNotPressed(err) {
			t.Errorf("%s: got %v (%T), want an error before any key", name, err, err)
		}
	}
	if err := windows.AllTaken(1, 2, errors.New("refused")); err == nil || desk.IsNotPressed(err) {
		t.Errorf("one of two taken: got %v (%T)", err, err)
	}
}

// winPut puts the line and restores, as a delivery does, and returns what that lost.
func winPut(t *testing.T) (lost string) {
	t.Helper()
	c, err := windows.DeskOf("").Put(t.Context(), desk.Window{}, winLine)
	testdesk.Must(t, err)
	lost, err = c.Restore(t.Context())
	testdesk.Must(t, err)
	return lost
}

func TestWinClipPutsNoPasswordBack(t *testing.T) {
	for _, tt := range []struct {
		format string
		value  uint16
		secret bool
	}{
		{"ExcludeClipboardContentFromMonitorProcessing", 1, true},
		{"CanIncludeInClipboardHistory", 0, true},
		{"CanUploadToCloudClipboard", 0, true},
		{"CanIncludeInClipboardHistory", 1, false},
	} {
		winCopied(t, "hunter2")
		err := windows.WhileOpen(t.Context(), func() error {
			return windows.SetClipboard(windows.ClipboardFormat(tt.format), []uint16{tt.value, 0})
		})
		testdesk.Must(t, err)
		lost, after := winPut(t), ""
		if ok, _ := windows.User32("IsClipboardFormatAvailable", windows.CFUnicodeText); ok != 0 {
			after = clipboardText(t)
		}
		if tt.secret != (after == "") || tt.secret != strings.Contains(lost, "password") || !tt.secret && lost != "" {
			t.Errorf("%s %d: it tells %q, and on the clipboard is %q", tt.format, tt.value, lost, after)
		}
	}
}

// While another program keeps the clipboard open the caller may lose patience:
// then nothing is taken any more.
func TestWinClipGivesUp(t *testing.T) {
	winCopied(t, "kept")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	opened, closed := make(chan bool), make(chan error)
	go func() {
		closed <- windows.WhileOpen(t.Context(), func() error { opened <- true; <-ctx.Done(); return nil })
	}()
	<-opened
	if _, err := windows.DeskOf("").Put(ctx, desk.Window{}, winLine); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
	}
	testdesk.Must(t, <-closed)
	if err := proc.Sleep(t.Context(), 10*desk.Poll); err != nil { // the time of several tries
		t.Fatal(err)
	}
	if owner, _ := windows.User32("GetClipboardOwner"); owner != 0 || clipboardText(t) != "kept" {
		t.Errorf("the clipboard is taken by the window %d", owner)
	}
}

// What PowerShell puts back, the next delivery finds as it was.
func TestPowerShellPutsTheClipboardBack(t *testing.T) {
	needsWinDesktop(t)
	ask, end, err := windows.AskPowerShell(t.Context(), os.Environ())
	testdesk.Must(t, err)
	defer end()
	puts := func(want, after string) {
		t.Helper()
		put, err := ask("Put", windows.UTF16Base64(winLine))
		restored, err2 := ask("Restore")
		if err != nil || err2 != nil || put != want || restored != after {
			t.Errorf("got %q, %v, then %q, %v; want %q, %q", put, err, restored, err2, want, after)
		}
	}
	winCopied(t, "what the user had")
	puts("all", "restored")
	puts("all", "restored")
	if got := clipboardText(t); got != "what the user had" {
		t.Errorf("on the clipboard is %q", got)
	}
	testdesk.Must(t, windows.WhileOpen(t.Context(), windows.Private))
	puts("secret", "restored")
}
