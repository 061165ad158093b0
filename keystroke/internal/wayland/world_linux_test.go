package wayland_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/keystroke"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/wayland"
	"github.com/cursor-ralph/cursor-ralph/platform"
	"github.com/cursor-ralph/cursor-ralph/test/short"
	"github.com/cursor-ralph/cursor-ralph/test/testdesk"
)

const swayLine = "/ralph-loop --continue 3f2b8c1e-9d47-4a56-b0e3-7c5a1d9e8f20"

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
	testdesk.Needs(t, "sway", "swaymsg", "foot", "wtype", "wl-copy", "chromium")
	sway, err := testdesk.StartSway(t.Context(), os.Environ())
	testdesk.Must(t, err)
	w := &swayWorld{TB: t, sway: sway}
	w.closes(sway)
	w.m = keystroke.Machine{OS: "linux", Env: sway.Env, Desktop: platform.Desktop{Kind: platform.Wayland, Compositor: "sway"}}
	w.target = keystroke.Target{Line: swayLine, Workspace: "/home/me/repo", Editors: []string{"chromium"}}
	return w
}

var lasting testdesk.Lasting

func TestMain(m *testing.M) { os.Exit(lasting.Main(m)) }

// shared is the world that most tests use, with Cursor's window in it.
var shared struct {
	*swayWorld
	page *testdesk.Page
	view testdesk.View
}

// sharedWorld returns the shared world, with Cursor in front and an empty page.
func sharedWorld(t *testing.T) (w *swayWorld, page *testdesk.Page) {
	t.Helper()
	if shared.swayWorld == nil {
		w := newSwayWorld(lasting.TB(t))
		page, err := testdesk.NewPage()
		w.must(err)
		w.closes(page)
		shared.page, shared.view = page, w.show(page, "main.go - repo - Cursor")
		shared.swayWorld = w
	}
	w = shared.in(t)
	w.must(errors.Join(w.sway.Focus(t.Context(), shared.view), shared.page.Reset(t.Context())))
	return w, shared.page
}

func (w *swayWorld) closes(c interface{ Close() error }) {
	w.Helper()
	w.Cleanup(func() { w.must(c.Close()) })
}

// in is the same world for a subtest.
func (w *swayWorld) in(t testing.TB) *swayWorld { return &swayWorld{t, w.sway, w.m, w.target} }

func (w *swayWorld) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
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

func (w *swayWorld) injector(name string) keystroke.Injector {
	w.Helper()
	list, err := keystroke.Injectors(w.m, []string{name})
	w.must(err)
	w.must(list[0].Probe(w.Context(), w.target))
	return list[0]
}

func (w *swayWorld) copied(text string, flags ...string) {
	w.Helper()
	w.must(wayland.Leave(w.Context(), desk.Machine(w.m), text, flags...))
}

func (w *swayWorld) pasted(flags ...string) string {
	w.Helper()
	text, err := w.run("wl-paste", append(flags, "--no-newline")...)
	if wayland.IsEmpty(err) {
		return ""
	}
	w.must(err)
	return text
}

func (w *swayWorld) run(program string, args ...string) (string, error) {
	w.Helper()
	path, err := desk.Machine(w.m).Look(program)
	w.must(err)
	return desk.Machine(w.m).Run(w.Context(), "", path, args...)
}

// swayTries is how often something is tried: once with -short, and most often in the lab.
func swayTries(ci, lab int) int {
	if os.Getenv("CURSOR_RALPH_LAB") != "" {
		return lab
	}
	return short.Times(1, ci)
}

// methods are the ways of typing with wtype: one of them with -short.
func methods() []string { return short.First([]string{"wl-copy", "wtype"}, 1) }

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
	if got := w.leaks(term); got != "" {
		w.Errorf("%q was typed into another window", got)
	}
}

// leaks returns what was typed into a terminal. What was sent before the mark
// comes before it.
func (w *swayWorld) leaks(term *testdesk.Terminal) string {
	w.Helper()
	w.must(w.sway.Focus(w.Context(), term.View))
	for range 20 { // it may be lost, as the first key of any new keyboard
		_, err := w.run("wtype", "-s", "100", "=")
		w.must(err)
		ctx, cancel := context.WithTimeout(w.Context(), time.Second)
		got, err := term.WaitEnd(ctx, "=")
		cancel()
		if err == nil {
			w.must(term.Forget())
			return strings.TrimRight(got, "=")
		}
	}
	w.Fatal("the mark does not arrive")
	return ""
}
