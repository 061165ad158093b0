//go:build unix

package macos_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/keystroke"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/macos"
	"github.com/cursor-ralph/cursor-ralph/platform"
	"github.com/cursor-ralph/cursor-ralph/test/faketools"
	"github.com/cursor-ralph/cursor-ralph/test/golden"
	"github.com/cursor-ralph/cursor-ralph/test/testdesk"
)

const macLine = "/ralph-loop --continue 4f1d1b0e-8d0c-4d2b-9a51-0d6f5c1e7a90"

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
		"clipboard": "the user's äöü", "types": "public.utf8-plain-text\nNSStringPboardType\n", "front": "815\x1enotes\n",
		"windows": "main.go — repo — Cursor\x1e\n", "focused": "yes\n", "activate": "asked\n", "press": "pressed\n",
	} {
		f.Says(about, answer)
	}
	return f
}

func mac(f faketools.Tools) keystroke.Injector {
	return osascript(f.T, keystroke.Machine{OS: "darwin", Env: append(f.Env(), "LC_ALL=C"), Desktop: platform.Desktop{Kind: platform.MacOS}})
}

func osascript(t *testing.T, m keystroke.Machine) keystroke.Injector {
	t.Helper()
	list, err := keystroke.Injectors(m, []string{"osascript"})
	testdesk.Must(t, err)
	return list[0]
}

func macTarget() keystroke.Target {
	return keystroke.Target{Line: macLine, Workspace: "/Users/u/repo", Editors: []string{"cursor"}}
}

func TestOsascriptTypes(t *testing.T) {
	f, target := playMac(t), macTarget()
	target.FocusKeys = keystroke.Chord{Super: true, Shift: true, Key: "i"}
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
	if pasted != macLine || f.Read("answer-clipboard") != "the user's äöü" {
		t.Errorf("pasted was %q, and on the clipboard is %q", pasted, f.Read("answer-clipboard"))
	}
}

// The submit key is one call, so no modifier can be left down.
func TestOsascriptPressesTheSubmitKey(t *testing.T) {
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
	for _, tt := range []struct{ about, answer, want string }{
		{"ps", "1 /sbin/launchd\n 2 /usr/bin/vi cursor\n", desk.ErrNoWindow.Error()},
		{"windows", "\n", desk.ErrNoWindow.Error()},
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
	f := playMac(t)
	f.Says("windows", "hang")
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	began := time.Now()
	err := mac(f).Probe(ctx, macTarget())
	if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took > 2*time.Second {
		t.Errorf("got %v after %s", err, took)
	}
}

func TestOsascriptRefuses(t *testing.T) {
	const hostile = `x" & (do shell script "id") & " — repo — Cursor`
	for _, tt := range []struct {
		name    string
		prepare func(f faketools.Tools, t *keystroke.Target)
		want    string
		presses int
		sent    bool
	}{
		{"the focus is lost between check and key", func(f faketools.Tools, _ *keystroke.Target) { f.Says("press", "lost\n") }, desk.ErrLostFocus.Error(), 0, false},
		{"no permission for keys", func(f faketools.Tools, _ *keystroke.Target) { f.Says("press", "refuse (1002)") }, "Accessibility", 1, false},
		{"a key that no Mac has", func(_ faketools.Tools, t *keystroke.Target) { t.FocusKeys = keystroke.Chord{Key: "unheard of"} }, "no key", 0, false},
		{"something else goes wrong at the key", func(f faketools.Tools, _ *keystroke.Target) { f.Says("press", "refuse (-10000)") }, "(-10000)", 1, true},
		{"two windows and a hostile title", func(f faketools.Tools, _ *keystroke.Target) {
			f.Says("windows", hostile+"\x1eb — other — Cursor\x1e\n")
			f.Says("focused", "no\n")
		}, "front", 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, target := playMac(t), macTarget()
			tt.prepare(f, &target)
			err := mac(f).Type(t.Context(), target)
			var sent *keystroke.SentError
			if err == nil || !strings.Contains(err.Error(), tt.want) || errors.As(err, &sent) != tt.sent {
				t.Errorf("got %v, want %s, sent %v", err, tt.want, tt.sent)
			}
			if got := f.Logged("osascript [-] [press] [4711] [] [9]"); tt.presses == 1 && len(got) != 1 {
				t.Errorf("pasted %d times", len(got))
			}
			if got := f.Logged("osascript [-] [press] [4711] [] [36]"); got != nil {
				t.Errorf("Return was pressed: %s", got)
			}
			if got := f.Read("answer-clipboard"); got != "the user's äöü" {
				t.Errorf("on the clipboard is %q", got)
			}
			if got := f.Logged("osascript [-] [activate]"); strings.Contains(tt.name, "hostile title") && (len(got) != 1 || got[0] != "osascript [-] [activate] [4711] ["+hostile+"]") {
				t.Errorf("the hostile title travelled as %q", got)
			}
		})
	}
}

func TestMacClipLeavesWhatWasCopiedMeanwhile(t *testing.T) {
	f, target := playMac(t), macTarget()
	target.Step = func(words string) {
		if words == "pasted" {
			f.Says("clipboard", "copied meanwhile")
		}
	}
	testdesk.Must(t, mac(f).Type(t.Context(), target))
	if got := f.Read("answer-clipboard"); got != "copied meanwhile" {
		t.Errorf("on the clipboard is %q", got)
	}
}

// A password that its manager has marked is not put back without the mark.
func TestMacClipPutsNoPasswordBack(t *testing.T) {
	f, target := playMac(t), macTarget()
	f.Says("clipboard", "hunter2")
	f.Says("types", "public.utf8-plain-text\norg.nspasteboard.ConcealedType\n")
	var told string
	target.Step = func(words string) { told += words + "\n" }
	testdesk.Must(t, mac(f).Type(t.Context(), target))
	if got := f.Read("answer-clipboard"); got != "" || !strings.Contains(told, "password") {
		t.Errorf("on the clipboard is %q, and it tells %q", got, told)
	}
}

// A test goes into whatever window has the focus, even where Cursor does not run.
func TestOsascriptTypesATest(t *testing.T) {
	f, target := playMac(t), macTarget()
	f.Says("ps", "1 /sbin/launchd\n")
	target.Test = true
	testdesk.Must(t, mac(f).Probe(t.Context(), target))
	testdesk.Must(t, mac(f).Type(t.Context(), target))
	if got := f.Logged("osascript [-] [press]"); !slices.Equal(got, []string{"osascript [-] [press] [815] [notes] [9] [command]"}) {
		t.Errorf("it pressed %q", got)
	}
	f.Says("front", "\n")
	if err := mac(f).Type(t.Context(), target); err == nil || !strings.Contains(err.Error(), "no window") {
		t.Errorf("without a window in front: %v", err)
	}
}

// Another process of the editor's name, such as a command-line tool, need not
// be one that System Events knows.
func TestOsascriptPassesOverOtherProcesses(t *testing.T) {
	f := playMac(t)
	f.Says("ps", " 4720 /opt/bin/Cursor\n"+f.Read("answer-ps"))
	f.Says("windows-4720", "\n")
	if err := mac(f).Type(t.Context(), macTarget()); err != nil {
		t.Error(err)
	}
}

func TestMacIdle(t *testing.T) {
	f := playMac(t)
	d, err := macos.Desk(desk.Machine{OS: "darwin", Env: f.Env()})
	testdesk.Must(t, err)
	if got, err := d.Idle(t.Context()); err != nil || got != 5*time.Second {
		t.Errorf("got %s, %v", got, err)
	}
	f.Says("ioreg", "nothing of the kind")
	if _, err := d.Idle(t.Context()); !errors.Is(err, desk.ErrUnknown) {
		t.Errorf("got %v, want %v", err, desk.ErrUnknown)
	}
}
