//go:build unix

package desk_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/keystroke"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
	"github.com/cursor-ralph/cursor-ralph/platform"
	"github.com/cursor-ralph/cursor-ralph/test/faketools"
	"github.com/cursor-ralph/cursor-ralph/test/golden"
	"github.com/cursor-ralph/cursor-ralph/test/testdesk"
)

// playMac is a Mac with one window of Cursor, in front. The clipboard is a file.
func playMac(t *testing.T) faketools.Tools {
	t.Helper()
	f := faketools.New(t, map[string]string{
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
		"clipboard": "the user's äöü", "types": "public.utf8-plain-text\nNSStringPboardType\n", "front": "4711\x1emain.go — repo — Cursor\n",
		"windows": "main.go — repo — Cursor\x1e\n", "activate": "asked\n", "press": "pressed\n",
	} {
		f.Says(about, answer)
	}
	return f
}

func mac(f faketools.Tools) keystroke.Injector {
	return way(f.T, "osascript", keystroke.Machine{OS: "darwin", Env: append(f.Env(), "LC_ALL=C"), Desktop: platform.Desktop{Kind: platform.MacOS}})
}

func macTarget() keystroke.Target {
	return keystroke.Target{Line: testLine, Workspace: "/Users/u/repo", Editors: []string{"cursor"}}
}

func TestOsascriptTypes(t *testing.T) {
	t.Parallel()
	f, target := playMac(t), macTarget()
	var pasted string
	target.Step = func(words string) {
		if words == "pasted" {
			pasted = f.Read("answer-clipboard")
		}
	}
	testdesk.Must(t, mac(f).Probe(t.Context(), target))
	testdesk.Must(t, mac(f).Type(t.Context(), target))
	golden.Matches(t, "testdata/osascript.golden", f.Log())
	script, err := os.ReadFile("osascript.applescript")
	if got := f.Read("script"); got != string(script) || err != nil {
		t.Errorf("the script that ran is %q", got)
	}
	if pasted != testLine || f.Read("answer-clipboard") != "the user's äöü" {
		t.Errorf("pasted was %q, and on the clipboard is %q", pasted, f.Read("answer-clipboard"))
	}
}

// The submit key is one call, so no modifier can be left down.
func TestOsascriptPressesTheSubmitKey(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"return": "[36] []", "ctrl+enter": "[36] [control]", "cmd+enter": "[36] [command]"} {
		f, target := playMac(t), macTarget()
		var err error
		if target.Submit, err = keystroke.ParseSubmitKey(text, "darwin"); err != nil {
			t.Fatal(err)
		}
		testdesk.Must(t, mac(f).Type(t.Context(), target))
		got := f.Logged("osascript [-] [press]")
		if len(got) != 2 || !strings.HasSuffix(got[1], want) {
			t.Errorf("%s: System Events was asked for %q, want %q at the end", text, got, want)
		}
	}
}

func TestOsascriptProbe(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ about, answer, want string }{
		{"ps", "1 /sbin/launchd\n 2 /usr/bin/vi cursor\n", "no window of Cursor"},
		{"windows", "\n", "no window of Cursor"},
		{"windows", "refuse (-25211)", "Privacy & Security > Accessibility"},
		{"windows", "refuse (-1719)", "Cursor (or your terminal"},
		{"windows", "refuse (-1743)", "Automation"},
		{"windows", "flood", "printed more than"},
		{"windows", "a — repo\x1eb — repo\x1e\n", "not clear"},
		{"layout", "com.apple.keylayout.Dvorak\n", "Dvorak"},
	} {
		f := playMac(t)
		f.Says(tt.about, tt.answer)
		if err := mac(f).Probe(t.Context(), macTarget()); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s says %q: got %v, want %s", tt.about, tt.answer, err, tt.want)
		}
		for _, verb := range []string{"osascript [-] [press]", "osascript [-] [activate]", "pbcopy"} {
			if got := f.Logged(verb); got != nil {
				t.Errorf("a probe calls %s", got)
			}
		}
	}
}

func TestOsascriptHasADeadline(t *testing.T) {
	t.Parallel()
	f := playMac(t)
	f.Says("windows", "hang")
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	err := mac(f).Probe(ctx, macTarget())
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestOsascriptRefuses(t *testing.T) {
	t.Parallel()
	const hostile = `x" & (do shell script "id") & " — repo — Cursor`
	for name, tt := range map[string]struct {
		about, answer, want string
		pasted, sent        bool
	}{
		"the focus is lost between check and key": {"press", "lost\n", "lost the focus", true, false},
		"no permission for keys":                  {"press", "refuse (1002)", "Accessibility", true, false},
		"something else goes wrong at the key":    {"press", "refuse (-10000)", "(-10000)", true, true},
		"two windows and a hostile title":         {"windows", hostile + "\x1eb — other — Cursor\x1e\n", "did not come to the front", false, false},
		"a dialog is in front":                    {"front", "\n", "did not come to the front", false, false},
		"an image on the clipboard":               {"types", "public.png\n", "else than text", false, false},
		"a password on the clipboard":             {"types", "public.utf8-plain-text\norg.nspasteboard.ConcealedType\n", "a password", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := playMac(t)
			f.Says(tt.about, tt.answer)
			err := mac(f).Type(t.Context(), macTarget())
			if err == nil || !strings.Contains(err.Error(), tt.want) || errors.As(err, new(*keystroke.SentError)) != tt.sent {
				t.Errorf("got %v, want %s, sent %v", err, tt.want, tt.sent)
			}
			if got := f.Logged("osascript [-] [press] [4711] [] [9]"); len(got) > 1 || (len(got) == 1) != tt.pasted {
				t.Errorf("pasted %d times", len(got))
			}
			if got := f.Logged("osascript [-] [press] [4711] [] [36]"); got != nil {
				t.Errorf("Return was pressed: %s", got)
			}
			if got := f.Read("answer-clipboard"); got != "the user's äöü" {
				t.Errorf("on the clipboard is %q", got)
			}
			if got := f.Logged("osascript [-] [activate]"); strings.Contains(name, "hostile title") && (len(got) != 1 || got[0] != "osascript [-] [activate] [4711] ["+hostile+"]") {
				t.Errorf("the hostile title travelled as %q", got)
			}
		})
	}
}

// Another process of the editor's name, such as a command-line tool, need not
// be one that System Events knows.
func TestOsascriptPassesOverOtherProcesses(t *testing.T) {
	t.Parallel()
	f := playMac(t)
	f.Says("ps", " 4720 /opt/bin/Cursor\n"+f.Read("answer-ps"))
	f.Says("windows-4720", "\n")
	testdesk.Must(t, mac(f).Type(t.Context(), macTarget()))
}

// No Mac is here: what matters in the script is looked for in its text.
func TestAppleScriptChecksFirst(t *testing.T) {
	t.Parallel()
	handler := func(name string) string {
		_, rest, _ := strings.Cut(desk.MacScript, "\non "+name+"(")
		body, _, ok := strings.Cut(rest, "\nend "+name+"\n")
		if !ok {
			t.Fatalf("there is no handler %s", name)
		}
		return body
	}
	const standard = `if (subrole of theFocused) is not "AXStandardWindow" then return `
	for _, tt := range []struct{ handler, first, then string }{
		{"titlesOf", "if not (exists (first application process whose unix id is thePid)) then return", "set theEditor"},
		{"frontWindow", standard + `""`, "set theName"},
		{"inFront", standard + `"no"`, `return "yes"`},
		{"pressKey", `if inFront(thePid, theTitle) is "no" then return "lost"`, "key code"},
	} {
		before, _, ok := strings.Cut(handler(tt.handler), tt.then)
		if !ok || !strings.Contains(before, tt.first) {
			t.Errorf("%s: %s is not before %s", tt.handler, tt.first, tt.then)
		}
	}
}
