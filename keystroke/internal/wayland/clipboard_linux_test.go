package wayland_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/keystroke"
	"github.com/cursor-ralph/cursor-ralph/test/testdesk"
)

func TestWaylandClipboardComesBack(t *testing.T) {
	w, page := sharedWorld(t)
	for name, run := range map[string]func(*swayWorld, *testdesk.Page){
		"empty": func(w *swayWorld, page *testdesk.Page) {
			w.copied("", "--clear")
			w.copied("", "--clear", "--primary")
			w.typeOnce(page, nil)
			w.holds("")
			if got := w.pasted("--primary"); got != "" {
				w.Errorf("the selection holds %q, want nothing", got)
			}
		},
		"a picture": func(w *swayWorld, page *testdesk.Page) {
			w.copied("no real one", "--type", "image/png")
			var words []string
			w.typeOnce(page, func(s string) { words = append(words, s) })
			if all := strings.Join(words, "\n"); !strings.Contains(all, "the clipboard held image/png, which cannot be restored") {
				w.Errorf("told %q", all)
			}
			w.holds("")
		},
		"a large text": func(w *swayWorld, page *testdesk.Page) {
			large := strings.Repeat("größer\n", 1<<17)
			w.copied(large, "--type", "text/plain")
			w.typeOnce(page, nil)
			w.holds(large)
		},
		"copied by the user meanwhile": func(w *swayWorld, page *testdesk.Page) {
			w.copied("old", "--type", "text/plain")
			w.typeOnce(page, func(words string) {
				if words == "pressed Return" {
					w.copied("new", "--type", "text/plain")
				}
			})
			w.holds("new")
		},
	} {
		t.Run(name, func(t *testing.T) { run(w.in(t), page) })
	}
}

// typeOnce types the line by wl-copy.
func (w *swayWorld) typeOnce(page *testdesk.Page, step func(words string)) {
	w.Helper()
	w.must(page.Reset(w.Context()))
	target := w.arriving(page)
	target.Step = step
	w.must(w.injector("wl-copy").Type(w.Context(), target))
}

// holds checks the clipboard.
func (w *swayWorld) holds(want string) {
	w.Helper()
	if got := w.pasted(); got != want {
		w.Errorf("the clipboard holds %.100q (%d bytes), want %.100q (%d)", got, len(got), want, len(want))
	}
}

func TestWaylandTakenClipboardIsNotSent(t *testing.T) {
	w, page := sharedWorld(t)
	target, asked := w.target, 0
	target.Permit = func(context.Context) error {
		if asked++; asked == 3 { // wtype is ready to press Shift+Insert
			w.copied("of another program", "--type", "text/plain")
		}
		return nil
	}
	err := w.injector("wl-copy").Type(t.Context(), target)
	var sent *keystroke.SentError
	if !errors.As(err, &sent) || !strings.Contains(err.Error(), "another program has taken the clipboard") {
		t.Errorf("%v, want that the clipboard was taken", err)
	}
	state, err := page.State(t.Context())
	w.must(err)
	if got := page.Messages(); len(got) != 0 || state.Draft != "of another program" {
		t.Errorf("messages %q and draft %q, want no Return", got, state.Draft)
	}
	if got := w.pasted(); got != "of another program" {
		t.Errorf("the clipboard holds %q, want what was copied since", got)
	}
}

// With the focus in no input nobody reads the line, but for a clipboard manager
// that reads all that is new: Return is not pressed.
func TestWaylandUnreadLineIsNotSent(t *testing.T) {
	w, page := sharedWorld(t)
	read := filepath.Join(t.TempDir(), "read")
	manager := exec.Command("wl-paste", "--watch", "sh", "-c", `cat >>"$1"; echo >>"$1"`, "sh", read)
	manager.Env = w.m.Env
	w.must(manager.Start())
	defer func() {
		w.must(manager.Process.Kill())
		_ = manager.Wait() // killed
	}()

	w.must(page.Blur(t.Context()))
	err := w.injector("wl-copy").Type(t.Context(), w.target)
	var sent *keystroke.SentError
	if !errors.As(err, &sent) || !strings.Contains(err.Error(), "no program has read it") {
		t.Errorf("%v, want that it was not read", err)
	}
	for _, key := range page.Keys() {
		if key.Key == "Enter" {
			t.Error("Return was pressed")
		}
	}
	w.typeOnce(page, nil) // and with the focus in the input it is
	text, err := os.ReadFile(read)
	if w.must(err); !strings.Contains(string(text), swayLine) {
		t.Errorf("the clipboard manager has read %q, not the line", text)
	}
}
