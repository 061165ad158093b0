//go:build unix

package keystroke

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/platform"
)

// playMac is a Mac with one window of Cursor, in front. The clipboard is a file.
func playMac(t *testing.T) fakeTools {
	t.Helper()
	f := newFakeTools(t, map[string]string{
		// What the script would answer lies under its verb.
		"osascript": `
[ "$1" = -e ] && { echo "osascript -e $2" >>log; cat answer-info; exit; }
cat >script
printf 'osascript' >>log; for a in "$@"; do printf ' [%s]' "$a" >>log; done; echo >>log
case $(cat "answer-$2") in
hang) exec sleep 60 ;;
flood) exec yes ;;
refuse*) echo "8:15: execution error: System Events got an error: osascript is not allowed assistive access. $(sed 's/refuse //' "answer-$2")" >&2; exit 1 ;;
esac
cat "answer-$2"
`,
		"ps":       "echo ps \"$@\" >>log; cat answer-ps",
		"ioreg":    "echo ioreg \"$@\" >>log; cat answer-ioreg",
		"defaults": "echo defaults \"$@\" >>log; cat answer-layout",
		"pbpaste":  "echo pbpaste $LC_ALL >>log; cat answer-clipboard",
		"pbcopy":   "cat >answer-clipboard; echo pbcopy $LC_ALL >>log",
	})
	for about, answer := range map[string]string{
		"ps": "    1 /sbin/launchd\n 4711 /Applications/Cursor.app/Contents/MacOS/Cursor\n" +
			" 4712 /Applications/Cursor.app/Contents/Frameworks/Cursor Helper (Renderer).app/Contents/MacOS/Cursor Helper (Renderer)\n" +
			" 4713 /usr/local/bin/cursor-agent\n",
		"ioreg":     `    | | "HIDIdleTime" = 5000000000` + "\n",
		"layout":    "com.apple.keylayout.US\n",
		"clipboard": "the user's äöü", "info": "«class utf8», 17, string, 15\n",
		"windows": "main.go — repo — Cursor\x1e\n", "focused": "yes\n", "activate": "asked\n", "press": "pressed\n",
	} {
		f.says(about, answer)
	}
	return f
}

func (f fakeTools) mac() Injector {
	return newOsascript(Machine{OS: "darwin", Env: f.env(), Desktop: platform.Desktop{Kind: platform.MacOS}})
}

func macTarget() Target {
	return Target{Line: psLine, Workspace: "/Users/u/repo", Editors: []string{"cursor"}}
}

func TestOsascriptTypes(t *testing.T) {
	f, target := playMac(t), macTarget()
	target.FocusKeys = Chord{Super: true, Shift: true, Key: "i"}
	var pasted string
	target.Step = func(words string) {
		if words == "pasted" {
			pasted = f.read("answer-clipboard")
		}
	}
	if err := f.mac().Probe(t.Context(), target); err != nil {
		t.Fatal(err)
	}
	if err := f.mac().Type(t.Context(), target); err != nil {
		t.Fatal(err)
	}
	matchesGolden(t, "osascript.golden", f.log())
	if got := f.read("script"); got != macScript {
		t.Errorf("the script that ran is %q", got)
	}
	if pasted != psLine || f.read("answer-clipboard") != "the user's äöü" {
		t.Errorf("pasted was %q, and on the clipboard is %q", pasted, f.read("answer-clipboard"))
	}
}

func TestOsascriptProbe(t *testing.T) {
	for _, tt := range []struct{ about, answer, want string }{
		{"ps", "1 /sbin/launchd\n 2 /usr/bin/vi cursor\n", errNoWindow.Error()},
		{"windows", "\n", errNoWindow.Error()},
		{"windows", "refuse (-25211)", "Privacy & Security > Accessibility"},
		{"windows", "refuse (-1719)", "Cursor (or your terminal"},
		{"windows", "refuse (-1743)", "Automation"},
		{"windows", "flood", "says more than"},
		{"windows", "a — repo\x1eb — repo\x1e\n", "not clear"},
		{"layout", "com.apple.keylayout.Dvorak\n", "Dvorak"},
	} {
		f := playMac(t)
		f.says(tt.about, tt.answer)
		if err := f.mac().Probe(t.Context(), macTarget()); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s says %q: got %v, want %s", tt.about, tt.answer, err, tt.want)
		}
		for _, verb := range []string{"osascript [-] [press]", "osascript [-] [activate]", "pbcopy"} {
			if got := f.logged(verb); got != nil {
				t.Errorf("a probe calls %s", got)
			}
		}
	}
}

func TestOsascriptHasADeadline(t *testing.T) {
	f := playMac(t)
	f.says("windows", "hang")
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	began := time.Now()
	err := f.mac().Probe(ctx, macTarget())
	if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took > 2*time.Second {
		t.Errorf("got %v after %s", err, took)
	}
}

func TestOsascriptRefuses(t *testing.T) {
	const hostile = `x" & (do shell script "id") & " — repo — Cursor`
	for _, tt := range []struct {
		name    string
		prepare func(f fakeTools, t *Target)
		want    string
		presses int
		sent    bool
	}{
		{"a hostile line", func(_ fakeTools, t *Target) { t.Line = "a\nb" }, "not typed", 0, false},
		{"another program stays in front", func(f fakeTools, _ *Target) { f.says("focused", "no\n") }, "front", 0, false},
		{"the focus is lost between check and key", func(f fakeTools, _ *Target) { f.says("press", "lost\n") }, errLostFocus.Error(), 0, false},
		{"the focus is lost before Return", func(f fakeTools, t *Target) {
			t.Step = func(words string) {
				if words == "pasted" {
					f.says("focused", "no\n")
				}
			}
		}, errLostFocus.Error(), 1, true},
		{"no permission for keys", func(f fakeTools, _ *Target) { f.says("press", "refuse (1002)") }, "Accessibility", 1, true},
		{"two windows and a hostile title", func(f fakeTools, _ *Target) {
			f.says("windows", hostile+"\x1eb — other — Cursor\x1e\n")
			f.says("focused", "no\n")
		}, "front", 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, target := playMac(t), macTarget()
			tt.prepare(f, &target)
			err := f.mac().Type(t.Context(), target)
			var sent *SentError
			if err == nil || !strings.Contains(err.Error(), tt.want) || errors.As(err, &sent) != tt.sent {
				t.Errorf("got %v, want %s, sent %v", err, tt.want, tt.sent)
			}
			if got := f.logged("osascript [-] [press] [4711] [] [9]"); tt.presses == 1 && len(got) != 1 {
				t.Errorf("pasted %d times", len(got))
			}
			if got := f.logged("osascript [-] [press] [4711] [] [36]"); got != nil {
				t.Errorf("Return was pressed: %s", got)
			}
			if got := f.read("answer-clipboard"); got != "the user's äöü" {
				t.Errorf("on the clipboard is %q", got)
			}
			if got := f.logged("osascript [-] [activate]"); strings.Contains(tt.name, "hostile title") && (len(got) != 1 || got[0] != "osascript [-] [activate] [4711] ["+hostile+"]") {
				t.Errorf("the hostile title travelled as %q", got)
			}
		})
	}
}

func TestMacClipLeavesWhatWasCopiedMeanwhile(t *testing.T) {
	f, target := playMac(t), macTarget()
	target.Step = func(words string) {
		if words == "pasted" {
			f.says("clipboard", "copied meanwhile")
		}
	}
	if err := f.mac().Type(t.Context(), target); err != nil {
		t.Fatal(err)
	}
	if got := f.read("answer-clipboard"); got != "copied meanwhile" {
		t.Errorf("on the clipboard is %q", got)
	}
}

func TestMacLost(t *testing.T) {
	for _, tt := range []struct{ text, kinds, want string }{
		{"", "\n", ""},
		{"a", "«class utf8», 1, «class ut16», 4, string, 1, Unicode text, 2", ""},
		{"a", "«class RTF », 300, «class utf8», 1", "only the text"},
		{"a", "«class HTML», 300, «class utf8», 1", "only the text"},
		{"", "«class PNGf», 3000, TIFF picture, 90000", "no text"},
	} {
		if got := macLost(tt.text, tt.kinds); !strings.Contains(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%q, %s: got %q, want %q", tt.text, tt.kinds, got, tt.want)
		}
	}
}

func TestPastesByPlace(t *testing.T) {
	for layout, want := range map[string]bool{
		"": true, "com.apple.keylayout.US": true, "com.apple.keylayout.German": true, "com.apple.keylayout.Russian": true,
		"com.apple.keylayout.Dvorak": false, "com.apple.keylayout.Dvorak-Left": false, "com.apple.keylayout.DVORAK-QWERTYCMD": true,
		"com.apple.keylayout.Colemak": true,
	} {
		if err := pastesByPlace(layout); (err == nil) != want {
			t.Errorf("%s: got %v, want %v", layout, err, want)
		}
	}
}

func TestMacIdle(t *testing.T) {
	f := playMac(t)
	d, err := newMacDesk(Machine{OS: "darwin", Env: f.env()})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := d.idle(t.Context()); err != nil || got != 5*time.Second {
		t.Errorf("got %s, %v", got, err)
	}
	f.says("ioreg", "nothing of the kind")
	if _, err := d.idle(t.Context()); !errors.Is(err, errUnknown) {
		t.Errorf("got %v, want %v", err, errUnknown)
	}
}

func TestMacDeskElsewhere(t *testing.T) {
	f := playMac(t)
	if _, err := newMacDesk(Machine{OS: "linux", Env: f.env()}); err == nil {
		t.Error("a Mac's desktop on Linux")
	}
	none := newFakeTools(t, nil)
	if _, err := newMacDesk(Machine{OS: "darwin", Env: []string{"PATH=" + none.dir}}); err == nil || !strings.Contains(err.Error(), "osascript is not installed") {
		t.Errorf("got %v", err)
	}
}
