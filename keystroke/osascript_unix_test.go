//go:build unix

package keystroke

import (
	"context"
	"errors"
	"slices"
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
[ "$1" = - ] || { printf 'osascript %s\n' "$*" >>log; cat answer-types; exit; }
cat >script
printf 'osascript' >>log; for a in "$@"; do printf ' [%s]' "$a" >>log; done; echo >>log
answer=answer-$2; [ -e "$answer-$3" ] && answer=$answer-$3
case $(cat "$answer") in
hang) exec sleep 60 ;;
flood) exec yes ;;
refuse*) echo "8:15: execution error: System Events got an error: osascript is not allowed assistive access. $(sed 's/refuse //' "$answer")" >&2; exit 1 ;;
esac
cat "$answer"
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
		"clipboard": "the user's äöü", "types": "public.utf8-plain-text\nNSStringPboardType\n", "front": "815\x1enotes\n",
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
		{"no permission for keys", func(f fakeTools, _ *Target) { f.says("press", "refuse (1002)") }, "Accessibility", 1, false},
		{"a key that no Mac has", func(_ fakeTools, t *Target) { t.FocusKeys = Chord{Key: "unheard of"} }, "no key", 0, false},
		{"something else goes wrong at the key", func(f fakeTools, _ *Target) { f.says("press", "refuse (-10000)") }, "(-10000)", 1, true},
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
	for _, tt := range []struct{ text, types, want string }{
		{"", "\n", ""},
		{"a", "public.utf8-plain-text\nNSStringPboardType\npublic.utf16-external-plain-text", ""},
		{"a", "public.rtf\nNeXT Rich Text Format v1.0 pasteboard type\npublic.utf8-plain-text", "only the text"},
		{"a", "public.html\npublic.utf8-plain-text", "only the text"},
		{"a", "public.file-url\npublic.utf8-plain-text", "only the text"},
		{"", "public.png\npublic.tiff", "no text"},
		{"a", "org.nspasteboard.ConcealedType\npublic.utf8-plain-text", "password"},
	} {
		if got := macLost(tt.text, tt.types); !strings.Contains(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%q, %s: got %q, want %q", tt.text, tt.types, got, tt.want)
		}
	}
}

// A password that its manager has marked is not put back without the mark.
func TestMacClipPutsNoPasswordBack(t *testing.T) {
	f, target := playMac(t), macTarget()
	f.says("clipboard", "hunter2")
	f.says("types", "public.utf8-plain-text\norg.nspasteboard.ConcealedType\n")
	var told string
	target.Step = func(words string) { told += words + "\n" }
	if err := f.mac().Type(t.Context(), target); err != nil {
		t.Fatal(err)
	}
	if got := f.read("answer-clipboard"); got != "" || !strings.Contains(told, "password") {
		t.Errorf("on the clipboard is %q, and it tells %q", got, told)
	}
}

// A test goes into whatever window has the focus, even where Cursor does not run.
func TestOsascriptTypesATest(t *testing.T) {
	f, target := playMac(t), macTarget()
	f.says("ps", "1 /sbin/launchd\n")
	target.Test = true
	if err := f.mac().Probe(t.Context(), target); err != nil {
		t.Fatal(err)
	}
	if err := f.mac().Type(t.Context(), target); err != nil {
		t.Fatal(err)
	}
	if got := f.logged("osascript [-] [press]"); !slices.Equal(got, []string{"osascript [-] [press] [815] [notes] [9] [command]"}) {
		t.Errorf("it pressed %q", got)
	}
	f.says("front", "\n")
	if err := f.mac().Type(t.Context(), target); err == nil || !strings.Contains(err.Error(), "no window") {
		t.Errorf("without a window in front: %v", err)
	}
}

// Another process of the editor's name, such as a command-line tool, need not
// be one that System Events knows.
func TestOsascriptPassesOverOtherProcesses(t *testing.T) {
	f := playMac(t)
	f.says("ps", " 4720 /opt/bin/Cursor\n"+f.read("answer-ps"))
	f.says("windows-4720", "\n")
	if err := f.mac().Type(t.Context(), macTarget()); err != nil {
		t.Error(err)
	}
}

// No Mac is here: what matters in the script is looked for in its text.
func TestAppleScriptChecksFirst(t *testing.T) {
	handler := func(name string) string {
		_, rest, _ := strings.Cut(macScript, "\non "+name+"(")
		body, _, ok := strings.Cut(rest, "\nend "+name+"\n")
		if !ok {
			t.Fatalf("there is no handler %s", name)
		}
		return body
	}
	for _, tt := range []struct{ handler, first, then string }{
		{"titlesOf", "if not (exists (first application process whose unix id is thePid)) then return", "set theEditor"},
		{"inFront", `if (subrole of theFocused) is not "AXStandardWindow" then return "no"`, `return "yes"`},
		{"pressKey", `if inFront(thePid, theTitle) is "no" then return "lost"`, "key code"},
	} {
		before, _, ok := strings.Cut(handler(tt.handler), tt.then)
		if !ok || !strings.Contains(before, tt.first) {
			t.Errorf("%s: %s is not before %s", tt.handler, tt.first, tt.then)
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
