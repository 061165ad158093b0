package wayland_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/keystroke"
	"github.com/cursor-ralph/cursor-ralph/test/short"
	"github.com/cursor-ralph/cursor-ralph/test/testdesk"
)

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
	for _, method := range []string{"wl-copy", "wtype"} {
		for _, cell := range short.First(waylandCells, 1) {
			w.into(t, method, "Chromium", page, cell, swayTries(cell.ci, cell.lab))
		}
	}
}

// into types into a page under a condition, and prints the row of the table.
func (w *swayWorld) into(t *testing.T, method, name string, page *testdesk.Page, cell waylandCell, tries int) {
	t.Run(method+", "+cell.name, func(t *testing.T) {
		w := w.in(t)
		k := w.keyboard(cell.layout)
		if cell.prepare != nil {
			w.must(cell.prepare(k))
			defer func() { w.must(cell.after(k)) }()
		}
		w.sees(page, k, cell.sees)
		t.Logf("lab: | %s | %s, %s | %s |", method, name, cell.name, w.intoChat(method, page, tries))
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
		w.copied(old, "--type", "text/plain")
		w.copied("selected "+old, "--primary", "--type", "text/plain")
		target := w.target
		var stop func() time.Duration
		target.Arrived, stop = page.Clock(w.Context())
		err := w.injector(method).Type(w.Context(), target)
		arrived := stop()
		if err != nil {
			w.Errorf("%d: %v", n, err)
			continue
		}
		state, err := page.State(w.Context())
		w.must(err)
		got := page.Messages()
		if len(got) != 1 || got[0] != swayLine || state.Draft != "" || state.File != "" {
			w.Errorf("%d: messages %q and draft %q, want one: %q", n, got, state.Draft, swayLine)
			continue
		}
		if last := page.Keys(); last[len(last)-1].Code != "Enter" {
			w.Errorf("%d: Return has the code of %s, want Enter: VS Code goes by it", n, last[len(last)-1].Code)
		}
		if got := w.pasted(); got != old {
			w.Errorf("%d: the clipboard holds %q, want %q", n, got, old)
		}
		if got := w.pasted("--primary"); got != "selected "+old {
			w.Errorf("%d: the selection holds %q, want %q", n, got, "selected "+old)
		}
		exact++
		took = append(took, arrived)
	}
	return fmt.Sprintf("%d/%d | %d ms", exact, tries, middle(took).Milliseconds())
}

func middle(d []time.Duration) time.Duration {
	if len(d) == 0 {
		return 0
	}
	slices.Sort(d)
	return d[len(d)/2].Round(time.Millisecond)
}

func TestWaylandTypesIntoATerminal(t *testing.T) {
	w, _ := sharedWorld(t)
	w.target.Editors = []string{"foot"}
	term := w.terminal("Cursor", "repo - Cursor")
	for _, method := range methods() {
		exact, tries := 0, swayTries(5, 50)
		for n := range tries {
			w.must(term.Forget())
			w.must(w.injector(method).Type(t.Context(), w.target))
			got, err := term.Wait(t.Context(), len(swayLine)+1)
			if err != nil || got != swayLine+"\r" {
				t.Errorf("%s %d: %q, %v; want %q", method, n, got, err, swayLine+"\r")
				continue
			}
			exact++
		}
		t.Logf("lab: | %s | a terminal, us | %d/%d | |", method, exact, tries)
	}
}

func TestWaylandFocusKeysHaveTheirCodes(t *testing.T) {
	w, page := sharedWorld(t)
	for _, method := range methods() {
		w.must(page.Reset(t.Context()))
		target := w.arriving(page)
		var err error
		target.FocusKeys, err = keystroke.ParseChord("ctrl+alt+shift+i")
		w.must(err)
		w.must(w.injector(method).Type(t.Context(), target))
		var got []testdesk.Key
		for _, key := range page.Keys() {
			if key.Ctrl {
				got = append(got, key)
			}
		}
		if len(got) != 1 || got[0].Code != "KeyI" || !got[0].Alt || !got[0].Shift || got[0].Meta {
			t.Errorf("%s: the page saw %+v, want one ctrl+alt+shift+i", method, got)
		}
	}
}

func TestWaylandPressesTheSubmitKey(t *testing.T) {
	w, page := sharedWorld(t)
	for _, method := range methods() {
		w.must(page.Reset(t.Context()))
		w.must(page.SendByCtrlEnter(t.Context()))
		target := w.arriving(page)
		target.Submit = keystroke.Chord{Ctrl: true, Key: "return"}
		if err := w.injector(method).Type(t.Context(), target); err != nil {
			t.Errorf("%s: %v", method, err)
		}
		if got := page.Messages(); len(got) != 1 || got[0] != swayLine {
			t.Errorf("%s: the page sent %q", method, got)
		}
	}
}
