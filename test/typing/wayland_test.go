//go:build linux

package typing_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/keystroke"
	"github.com/cursor-ralph/cursor-ralph/platform"
	"github.com/cursor-ralph/cursor-ralph/test/short"
	"github.com/cursor-ralph/cursor-ralph/test/testdesk"
)

// swayWorld is a headless sway with Cursor in it, which is Chromium with a chat
// page, or a terminal.
type swayWorld struct {
	testing.TB
	sway   *testdesk.Sway
	m      keystroke.Machine
	target keystroke.Target
}

func newSwayWorld(t testing.TB) *swayWorld {
	t.Helper()
	short.Skip(t)
	testdesk.Needs(t, "sway", "swaymsg", "foot", "wtype", "wl-copy", "chromium")
	sway, err := testdesk.StartSway(t.Context(), os.Environ())
	testdesk.Must(t, err)
	w := &swayWorld{TB: t, sway: sway}
	w.closes(sway)
	w.m = keystroke.Machine{OS: "linux", Env: sway.Env, Desktop: platform.Desktop{Kind: platform.Wayland, Compositor: "sway"}}
	w.target = keystroke.Target{Line: testLine, Workspace: "/home/me/repo", Editors: []string{"chromium"}}
	return w
}

// sharedSway is the world that most tests use, with Cursor's window in it.
var sharedSway struct {
	*swayWorld
	page *testdesk.Page
	view testdesk.View
}

// sharedWorld returns the shared world, with Cursor in front and an empty page.
func sharedWorld(t *testing.T) (w *swayWorld, page *testdesk.Page) {
	t.Helper()
	if sharedSway.swayWorld == nil {
		w := newSwayWorld(lasting.TB(t))
		page, err := testdesk.NewPage()
		w.must(err)
		w.closes(page)
		sharedSway.page, sharedSway.view = page, w.show(page, "main.go - repo - Cursor")
		sharedSway.swayWorld = w
	}
	w = sharedSway.in(t)
	w.must(errors.Join(w.sway.Focus(t.Context(), sharedSway.view), sharedSway.page.Reset(t.Context())))
	return w, sharedSway.page
}

func (w *swayWorld) closes(c interface{ Close() error }) {
	w.Helper()
	w.Cleanup(func() { w.must(c.Close()) })
}

// in is the same world for a subtest.
func (w *swayWorld) in(t testing.TB) *swayWorld { return &swayWorld{t, w.sway, w.m, w.target} }

func (w *swayWorld) must(err error) {
	w.Helper()
	testdesk.Must(w, err)
}

// show opens a page as Cursor's window. Under Wayland Chromium takes --class for an
// ordinary window only, not for one of --app.
func (w *swayWorld) show(page *testdesk.Page, title string) testdesk.View {
	w.Helper()
	editor, err := testdesk.StartEditor(w.Context(), w.TempDir(), w.sway.Env, page, testdesk.Options{
		Flags: []string{"--ozone-platform=wayland", "--app=", page.URL() + "?title=" + strings.ReplaceAll(title, " ", "%20")},
	})
	w.must(err)
	w.closes(editor)
	view, err := w.sway.Window(w.Context(), title)
	w.must(err)
	w.must(page.FocusInput(w.Context()))
	return view
}

func (w *swayWorld) terminal(appID, title string) *testdesk.Terminal {
	w.Helper()
	term, err := w.sway.StartTerminal(w.Context(), appID, title)
	w.must(err)
	w.closes(term)
	return term
}

func (w *swayWorld) keyboard(layout string) *testdesk.Keyboard {
	w.Helper()
	k, err := w.sway.NewKeyboard(layout)
	w.must(err)
	w.closes(k)
	return k
}

// run runs a program of the desktop with its stdin, and waits for none of its children.
func (w *swayWorld) run(stdin, program string, args ...string) (string, error) {
	w.Helper()
	cmd := exec.CommandContext(w.Context(), program, args...)
	cmd.Env = w.m.Env
	if program == "wl-copy" {
		cmd.Stdin = strings.NewReader(stdin)
		return "", cmd.Run()
	}
	out, err := cmd.Output()
	return string(out), err
}

// waylandCell is a condition under which a line has to arrive.
type waylandCell struct {
	name, layout string
	sees         string // what the page sees of the key between t and u
	ci, lab      int
	prepare      func(*testdesk.Keyboard) error
	after        func(*testdesk.Keyboard) error
}

var waylandCells = []waylandCell{
	{name: "us", layout: "us", sees: "y", ci: 5, lab: 50},
	{name: "de", layout: "de", sees: "z", ci: 5, lab: 50},
	{name: "fr", layout: "fr", sees: "y", ci: 3, lab: 50},
	{name: "ru", layout: "ru", sees: "н", ci: 5, lab: 50},
	{
		name: "caps lock", layout: "us", sees: "Y", ci: 3, lab: 20,
		prepare: func(k *testdesk.Keyboard) error { return k.CapsLock(true) },
		after:   func(k *testdesk.Keyboard) error { return k.CapsLock(false) },
	},
	{
		name: "shift held", layout: "us", sees: "Y", ci: 2, lab: 20,
		prepare: func(k *testdesk.Keyboard) error { return k.Key(42, true) },
		after:   func(k *testdesk.Keyboard) error { return k.Key(42, false) },
	},
	{
		name: "ctrl held", layout: "us", sees: "ctrl+y", ci: 2, lab: 20,
		prepare: func(k *testdesk.Keyboard) error { return k.Key(29, true) },
		after:   func(k *testdesk.Keyboard) error { return k.Key(29, false) },
	},
}

func TestWaylandTypesIntoChromium(t *testing.T) {
	w, page := sharedWorld(t)
	for _, cell := range waylandCells {
		w.into(t, "Chromium", page, cell, tries(cell.ci, cell.lab))
	}
}

func TestWaylandTypesIntoEditors(t *testing.T) {
	for _, name := range testdesk.Editors() {
		t.Run(name, func(t *testing.T) {
			page := testdesk.EditorPage(t, name, os.UserCacheDir)
			w := newSwayWorld(t)
			w.show(page, "main.go - repo - Cursor")
			for _, cell := range waylandCells[:tries(1, len(waylandCells))] {
				w.into(t, name, page, cell, tries(2, 10))
			}
		})
	}
}

// into types into a page under a condition, and prints the row of the table.
func (w *swayWorld) into(t *testing.T, name string, page *testdesk.Page, cell waylandCell, tries int) {
	t.Run(cell.name, func(t *testing.T) {
		w := w.in(t)
		k := w.keyboard(cell.layout)
		if cell.prepare != nil {
			w.must(cell.prepare(k))
			defer func() { w.must(cell.after(k)) }()
		}
		w.sees(page, k, cell.sees)
		t.Logf("lab: | wtype | %s, %s | %s |", name, cell.name, w.intoChat("wtype", page, tries))
		w.sees(page, k, cell.sees) // as it was
	})
}

// intoChat types the line that many times, each time as one message. It returns how
// often it arrived exactly, and the median time.
func (w *swayWorld) intoChat(method string, page *testdesk.Page, tries int) string {
	w.Helper()
	exact := 0
	var took []time.Duration
	for n := range tries {
		w.must(page.Reset(w.Context()))
		old := fmt.Sprintf("what was there before %d\n", n)
		_, err1 := w.run(old, "wl-copy", "--type", "text/plain")
		_, err2 := w.run("selected "+old, "wl-copy", "--primary", "--type", "text/plain")
		w.must(errors.Join(err1, err2))
		target := w.target
		var stop func() time.Duration
		target.Arrived, stop = page.Clock(w.Context())
		err := way(w, w.m, method).Type(w.Context(), target)
		arrived := stop()
		if err != nil {
			w.Errorf("%d: %v", n, err)
			continue
		}
		state, err := page.State(w.Context())
		w.must(err)
		got := page.Messages()
		if len(got) != 1 || got[0] != testLine || state.Draft != "" || state.File != "" {
			w.Errorf("%d: messages %q and draft %q, want one: %q", n, got, state.Draft, testLine)
			continue
		}
		if last := page.Keys(); last[len(last)-1].Code != "Enter" {
			w.Errorf("%d: Return has the code of %s, want Enter: VS Code goes by it", n, last[len(last)-1].Code)
		}
		if got, err := w.run("", "wl-paste", "--no-newline"); got != old || err != nil {
			w.Errorf("%d: the clipboard holds %q, %v; want %q", n, got, err, old)
		}
		if got, err := w.run("", "wl-paste", "--primary", "--no-newline"); got != "selected "+old || err != nil {
			w.Errorf("%d: the selection holds %q, %v; want %q", n, got, err, "selected "+old)
		}
		exact++
		took = append(took, arrived)
	}
	return fmt.Sprintf("%d/%d%s", exact, tries, median(took))
}

// sees presses a key of the user's keyboard: the page has to see it as the
// condition says, or there is nothing that the line has to be exact under.
func (w *swayWorld) sees(page *testdesk.Page, k *testdesk.Keyboard, want string) {
	w.Helper()
	const keyY = 21
	w.must(page.Reset(w.Context()))
	ctx, cancel := context.WithTimeout(w.Context(), 10*time.Second)
	defer cancel()
	for ctx.Err() == nil { // the first keys of a new keyboard may be lost
		w.must(errors.Join(k.Key(keyY, true), k.Key(keyY, false)))
		_, err := page.State(ctx) // all that was typed before has arrived then
		w.must(err)
		for _, key := range page.Keys() {
			if key.Code != "KeyY" {
				continue
			}
			got := key.Key
			if key.Ctrl {
				got = "ctrl+" + got
			}
			if got != want {
				w.Errorf("the user's key gives %q, want %q", got, want)
			}
			return
		}
	}
	w.Error("the page does not see the user's keyboard")
}

// arriving is the target whose line arrives as a message of the page.
func (w *swayWorld) arriving(page *testdesk.Page) keystroke.Target {
	target := w.target
	target.Arrived = func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		_, err := page.Message(ctx)
		return err
	}
	return target
}

// nothingIn checks that nothing was typed into a terminal: it types a mark, by
// another way, which has to be all there is.
func (w *swayWorld) nothingIn(term *testdesk.Terminal) {
	w.Helper()
	w.must(w.sway.Focus(w.Context(), term.View))
	for range 20 { // it may be lost, as the first key of any new keyboard
		_, err := w.run("", "wtype", "-s", "100", "=")
		w.must(err)
		ctx, cancel := context.WithTimeout(w.Context(), time.Second)
		got, err := term.WaitEnd(ctx, "=")
		cancel()
		if err == nil {
			w.must(term.Forget())
			if got = strings.TrimRight(got, "="); got != "" {
				w.Errorf("%q was typed into another window", got)
			}
			return
		}
	}
	w.Fatal("the mark does not arrive")
}

func TestWaylandPressesTheSubmitKey(t *testing.T) {
	w, page := sharedWorld(t)
	w.must(page.SendByCtrlEnter(t.Context()))
	target := w.arriving(page)
	target.Submit = "ctrl+enter"
	w.must(way(t, w.m, "wtype").Type(t.Context(), target))
	if got := page.Messages(); len(got) != 1 || got[0] != testLine {
		t.Errorf("the page sent %q", got)
	}
}

func TestWaylandBringsCursorToTheFront(t *testing.T) {
	w, page := sharedWorld(t)
	other := w.terminal("foot", "another window")
	w.must(w.sway.Focus(t.Context(), other.View))
	w.must(way(t, w.m, "wtype").Type(t.Context(), w.arriving(page)))
	if got := page.Messages(); len(got) != 1 || got[0] != testLine {
		t.Errorf("messages %q, want one: %q", got, testLine)
	}
	w.nothingIn(other)
}

func TestWaylandTypesNothingWithoutCursor(t *testing.T) {
	w, _ := sharedWorld(t)
	w.target.Editors = []string{"cursor"}          // which does not run
	named := w.terminal("foot", "repo - Cursor")   // Cursor by its title alone
	classed := w.terminal("Cursor", "another one") // and by its app_id
	for _, view := range []testdesk.View{named.View, classed.View} {
		w.must(w.sway.Focus(t.Context(), view))
		i := way(t, w.m, "wtype")
		for _, err := range []error{i.Probe(t.Context(), w.target), i.Type(t.Context(), w.target)} {
			if err == nil || !strings.Contains(err.Error(), "no window of Cursor") {
				t.Errorf("got %v", err)
			}
		}
	}
	w.nothingIn(named)
	w.nothingIn(classed)
}

func TestWaylandTypesIntoTheWindowOfTheWorkspace(t *testing.T) {
	w, _ := sharedWorld(t)
	w.target.Editors = []string{"foot"}
	repo := w.terminal("cursor", "main.go - repo - Cursor") // app_ids differ in case between versions
	other := w.terminal("Cursor", "main.go - other - Cursor")
	w.must(w.sway.Focus(t.Context(), other.View))
	w.must(way(t, w.m, "wtype").Type(t.Context(), w.target))
	if got, err := repo.Wait(t.Context(), len(testLine)+1); err != nil || got != testLine+"\r" {
		t.Errorf("%q, %v; want %q", got, err, testLine+"\r")
	}
	w.must(repo.Forget())
	w.nothingIn(other)
	unclear := w.target
	unclear.Workspace = "/home/me/third"
	if err := way(t, w.m, "wtype").Type(t.Context(), unclear); err == nil || errors.As(err, new(*keystroke.SentError)) {
		t.Errorf("%v, want a refusal", err)
	}
	w.nothingIn(repo)
	w.nothingIn(other)
}

// The focus is taken right before a key, when wtype is ready to press it: it is
// not pressed.
func TestWaylandFocusIsCheckedRightBeforeTheKey(t *testing.T) {
	w, page := sharedWorld(t)
	other := w.terminal("foot", "another window")
	for at, sent := range map[int]bool{2: false, 3: true} { // the times it is asked: before the paste, and before Return
		w.must(page.Reset(t.Context()))
		w.must(w.sway.Focus(t.Context(), sharedSway.view))
		target, asked := w.target, 0
		target.Permit = func(ctx context.Context) error {
			if asked++; asked == at {
				return w.sway.Focus(ctx, other.View)
			}
			return nil
		}
		err := way(t, w.m, "wtype").Type(t.Context(), target)
		if err == nil || errors.As(err, new(*keystroke.SentError)) != sent {
			t.Errorf("taken at %d: %v (%T)", at, err, err)
		}
		if got := page.Messages(); len(got) != 0 {
			t.Errorf("taken at %d: messages %q", at, got)
		}
		w.nothingIn(other)
	}
}

// ydotoold stands for ydotool's daemon: what the client sends goes to a
// keyboard of sway instead of one of the kernel. The daemon of 0.1.x takes a
// stream of events of 8 bytes, that of 1.x the kernel's struct input_event,
// one a datagram. Sources: ydotool v0.1.8, Daemon/ydotoold.cpp; v1.0.4,
// Client/ydotool.c.
type ydotoold struct {
	k    *testdesk.Keyboard
	fail func(format string, args ...any)
}

func (d ydotoold) event(kind, code uint16, value uint32) {
	const evKey = 1
	if kind != evKey {
		return
	}
	if err := d.k.Key(code, value == 1); err != nil {
		d.fail("ydotoold: %v", err)
	}
}

func (d ydotoold) stream(l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer conn.Close()
			for event := make([]byte, 8); ; {
				if _, err := io.ReadFull(conn, event); err != nil {
					return
				}
				d.event(binary.NativeEndian.Uint16(event), binary.NativeEndian.Uint16(event[2:]), binary.NativeEndian.Uint32(event[4:]))
			}
		}()
	}
}

func (d ydotoold) datagrams(conn *net.UnixConn) {
	for event := make([]byte, 64); ; {
		n, err := conn.Read(event)
		if err != nil {
			return
		}
		tail := event[n-8 : n] // after the time
		d.event(binary.NativeEndian.Uint16(tail), binary.NativeEndian.Uint16(tail[2:]), binary.NativeEndian.Uint32(tail[4:]))
	}
}

// TestYdotoolTypesIntoChromium uses the ydotool of the PATH, and the one that
// CURSOR_RALPH_YDOTOOL names, which may be of the other generation.
func TestYdotoolTypesIntoChromium(t *testing.T) {
	testdesk.Needs(t, "ydotool")
	path, err := exec.LookPath("ydotool")
	testdesk.Must(t, err)
	const socket = "/tmp/.ydotool_socket" // built into 0.1.x
	if _, err := os.Stat(socket); err == nil {
		t.Skip("needs " + socket + " to be free: a ydotoold is running")
	}
	w, page := sharedWorld(t)
	for _, cell := range waylandCells[:4] {
		k := w.keyboard(cell.layout)
		w.sees(page, k, cell.sees) // its first keys may be lost, and a daemon's keyboard is not new
		d := ydotoold{k, t.Errorf}
		stream, err := net.Listen("unix", socket)
		w.must(err)
		go d.stream(stream)
		own := filepath.Join(t.TempDir(), "socket")
		datagrams, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: own, Net: "unixgram"})
		w.must(err)
		go d.datagrams(datagrams)
		for _, client := range []string{path, os.Getenv("CURSOR_RALPH_YDOTOOL")} {
			if client == "" {
				continue
			}
			w := w.in(t)
			w.m.Env = append(slices.Clone(w.m.Env), "YDOTOOL_SOCKET="+own, "PATH="+filepath.Dir(client)+":/usr/bin:/bin")
			t.Logf("lab: | ydotool | Chromium, %s | %s |", cell.name, w.intoChat("ydotool", page, tries(5, 50)))
		}
		w.must(errors.Join(stream.Close(), datagrams.Close()))
	}
}
