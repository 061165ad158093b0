//go:build unix

package windows_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/keystroke"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/windows"
	"github.com/cursor-ralph/cursor-ralph/platform"
	"github.com/cursor-ralph/cursor-ralph/test/faketools"
	"github.com/cursor-ralph/cursor-ralph/test/golden"
	"github.com/cursor-ralph/cursor-ralph/test/testdesk"
)

const psLine = "/ralph-loop --continue 4f1d1b0e-8d0c-4d2b-9a51-0d6f5c1e7a90"

// fakePowerShell plays the conversation: it answers a request with what
// answer-REQUEST holds. The word hang answers nothing, flood more than anybody
// reads, die ends it.
const fakePowerShell = `
echo "argv $*" >>log
echo $$ >>pids
while IFS= read -r line; do
  printf 'stdin %s\n' "$line" >>log
  case $line in
  '"ralph 0 ok '*) number=0 request=Mode ;;
  "Ralph '"*) IFS=\' read -r _ number _ request _ <<END
$line
END
  ;;
  *) continue ;;
  esac
  answer=$(cat "answer-$request")
  case $answer in
  hang) exec sleep 60 ;;
  flood) exec yes 'ralph 99 ok True' ;;
  die) exit 1 ;;
  *) echo "a line of somebody else's"; echo "PS C:\\> ralph $number $answer" ;;
  esac
done
`

// playPowerShell is a Windows with one window of Cursor, in front.
func playPowerShell(t *testing.T) faketools.Tools {
	t.Helper()
	f := faketools.New(t, map[string]string{"powershell.exe": fakePowerShell})
	for request, answer := range map[string]string{
		"Mode": "ok FullLanguage", "Load": "ok loaded", "Editors": "ok 1", "Idle": "ok 5000",
		"Windows": "ok 65620 4711 " + windows.UTF16Base64("main.go - repo [WSL: Ubuntu] - Cursor"),
		"Focused": "ok True", "Activate": "ok True", "Put": "ok all", "Restore": "ok restored",
		"Type": "ok pressed", "Press": "ok pressed",
		"Front": "ok 33 815 " + windows.UTF16Base64("notes"),
	} {
		f.Says(request, answer)
	}
	t.Cleanup(func() { gone(f, "pids") })
	return f
}

// gone makes sure that no fake lives on.
func gone(f faketools.Tools, pids string) {
	data, err := os.ReadFile(filepath.Join(f.Dir, pids))
	if err != nil {
		return // it was never started
	}
	for _, pid := range strings.Fields(string(data)) {
		if _, err := os.Stat("/proc/self"); err == nil {
			if _, err := os.Stat(filepath.Join("/proc", pid)); err == nil {
				f.T.Errorf("process %s lives on", pid)
			}
		}
	}
}

func way(t *testing.T, name string, m keystroke.Machine) keystroke.Injector {
	t.Helper()
	list, err := keystroke.Injectors(m, []string{name})
	testdesk.Must(t, err)
	return list[0]
}

func wsl(f faketools.Tools) keystroke.Injector {
	return way(f.T, "sendkeys-wsl", keystroke.Machine{OS: "linux", Env: f.Env(), Desktop: platform.Desktop{Kind: platform.WSL, WSL: 2}})
}

func psTarget() keystroke.Target {
	return keystroke.Target{Line: psLine, Workspace: "/home/u/repo", Editors: []string{"cursor", "cursor nightly"}}
}

func TestSendKeysTypes(t *testing.T) {
	for _, tt := range []struct {
		name string
		make func(faketools.Tools) keystroke.Injector
		keys keystroke.Chord
		send keystroke.Chord
	}{
		{"wsl", wsl, keystroke.Chord{}, keystroke.Chord{}},
		{"wsl with focus keys", wsl, keystroke.Chord{Ctrl: true, Key: "i"}, keystroke.Chord{}},
		{"windows with focus keys", func(f faketools.Tools) keystroke.Injector {
			return way(f.T, "sendkeys", keystroke.Machine{OS: "windows", Env: f.Env()})
		}, keystroke.Chord{Ctrl: true, Key: "i"}, keystroke.Chord{}},
		{"wsl with ctrl enter", wsl, keystroke.Chord{}, keystroke.Chord{Ctrl: true, Key: "return"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, target := playPowerShell(t), psTarget()
			i := tt.make(f)
			target.FocusKeys, target.Submit = tt.keys, tt.send
			testdesk.Must(t, i.Probe(t.Context(), target))
			testdesk.Must(t, i.Type(t.Context(), target))
			script := windows.UTF16Base64(windows.SendKeysScript)
			got := strings.ReplaceAll(f.Log(), script, "SENDKEYS.PS1")
			got = strings.ReplaceAll(got, windows.UTF16Base64(psLine), "THE-LINE")
			golden.Matches(t, "testdata/powershell-"+strings.ReplaceAll(tt.name, " ", "-")+".golden", strings.ReplaceAll(got, windows.UTF16Base64("cursor,cursor nightly"), "EDITORS"))
		})
	}
}

func TestSendKeysProbe(t *testing.T) {
	for _, tt := range []struct{ about, answer, want string }{
		{"Editors", "ok 0", desk.ErrNoWindow.Error()},
		{"Mode", "ok ConstrainedLanguage", "policy"},
		{"Mode", "die", "ended"},
		{"Mode", "flood", "too much"},
		{"Editors", "flood", "too much"},
		{"Editors", "no " + windows.UTF16Base64("Zugriff verweigert: ’; Restart"), `"Zugriff verweigert: ’; Restart"`},
	} {
		f := playPowerShell(t)
		f.Says(tt.about, tt.answer)
		if err := wsl(f).Probe(t.Context(), psTarget()); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s says %.20s: got %v, want %s", tt.about, tt.answer, err, tt.want)
		}
		if got := f.Logged("stdin Ralph '1' 'Load'"); got != nil {
			t.Errorf("a probe asks %s", got)
		}
	}
}

func TestSendKeysHasADeadline(t *testing.T) {
	for _, about := range []string{"Mode", "Editors"} {
		f := playPowerShell(t)
		f.Says(about, "hang")
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		began := time.Now()
		err := wsl(f).Probe(ctx, psTarget())
		if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took > 2*time.Second {
			t.Errorf("%s hangs: got %v after %s", about, err, took)
		}
	}
}

func TestSendKeysRefuses(t *testing.T) {
	pressed := func(f faketools.Tools) []string {
		return slices.DeleteFunc(f.Logged("stdin Ralph"), func(line string) bool {
			return !strings.Contains(line, " 'Type' ") && !strings.Contains(line, " 'Press' ")
		})
	}
	for _, tt := range []struct {
		name    string
		prepare func(f faketools.Tools, t *keystroke.Target)
		want    string
		keys    int // requests to press something that were answered with pressed
		sent    bool
	}{
		{"no window", func(f faketools.Tools, _ *keystroke.Target) { f.Says("Windows", "ok") }, desk.ErrNoWindow.Error(), 0, false},
		{"nonsense for a window", func(f faketools.Tools, _ *keystroke.Target) { f.Says("Windows", "ok 1;2") }, "no window", 0, false},
		{"a number with more in it", func(f faketools.Tools, _ *keystroke.Target) {
			f.Says("Windows", "ok 1';x 2 "+windows.UTF16Base64("repo"))
		}, "no window", 0, false},
		{"a word for a number", func(f faketools.Tools, _ *keystroke.Target) { f.Says("Windows", "ok x 2 "+windows.UTF16Base64("repo")) }, "invalid syntax", 0, false},
		{"no calls of user32", func(f faketools.Tools, _ *keystroke.Target) { f.Says("Load", "no "+windows.UTF16Base64("csc.exe")) }, "user32", 0, false},
		{"focus lost between check and key", func(f faketools.Tools, _ *keystroke.Target) { f.Says("Type", "ok lost") }, desk.ErrLostFocus.Error(), 0, false},
		{"a modifier is held", func(f faketools.Tools, _ *keystroke.Target) { f.Says("Type", "ok held") }, "modifier", 0, false},
		{"clipboard in use", func(f faketools.Tools, _ *keystroke.Target) {
			f.Says("Put", "no "+windows.UTF16Base64("OpenClipboard"))
		}, "OpenClipboard", 0, false},
		{"PowerShell ends at the paste", func(f faketools.Tools, _ *keystroke.Target) { f.Says("Type", "die") }, "ended", 1, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, target := playPowerShell(t), psTarget()
			tt.prepare(f, &target)
			err := wsl(f).Type(t.Context(), target)
			var sent *keystroke.SentError
			if err == nil || !strings.Contains(err.Error(), tt.want) || errors.As(err, &sent) != tt.sent {
				t.Errorf("got %v, want %s, sent %v", err, tt.want, tt.sent)
			}
			asked := pressed(f)
			if tt.keys == 1 && len(asked) != 1 || tt.keys == 0 && slices.ContainsFunc(asked, func(l string) bool { return strings.Contains(l, "ENTER") }) {
				t.Errorf("it asked %q", asked)
			}
			if put := len(f.Logged("stdin Ralph")) > 0 && strings.Contains(f.Log(), " 'Put' "); put && !strings.Contains(tt.name, "ends") && !strings.Contains(tt.name, "clipboard") && !strings.Contains(f.Log(), " 'Restore'") {
				t.Error("the clipboard was not restored")
			}
		})
	}
}

func TestSendKeysTellsWhatTheClipboardLost(t *testing.T) {
	for _, tt := range []struct{ put, restore, want string }{
		{"ok all", "ok restored", ""},
		{"ok text", "ok restored", "only the text"},
		{"ok nothing", "ok restored", "not text"},
		{"ok secret", "ok restored", "password"},
		{"ok nothing", "ok kept", ""}, // somebody copied something else meanwhile
	} {
		f, target := playPowerShell(t), psTarget()
		f.Says("Put", tt.put)
		f.Says("Restore", tt.restore)
		var told string
		target.Step = func(words string) {
			if strings.HasPrefix(words, "clipboard") {
				told = words
			}
		}
		if err := wsl(f).Type(t.Context(), target); err != nil {
			t.Error(err)
		}
		if !strings.Contains(told, tt.want) || tt.want == "" && told != "" {
			t.Errorf("%s, %s: got %q, want %q", tt.put, tt.restore, told, tt.want)
		}
	}
}

// A test goes into whatever window has the focus, even where Cursor does not run.
func TestSendKeysTypesATest(t *testing.T) {
	f, target := playPowerShell(t), psTarget()
	f.Says("Editors", "ok 0")
	f.Says("Windows", "ok")
	target.Test = true
	testdesk.Must(t, wsl(f).Probe(t.Context(), target))
	testdesk.Must(t, wsl(f).Type(t.Context(), target))
	if got := f.Log(); !strings.Contains(got, "'Type' '33' '815' '+{INSERT}'") || strings.Contains(got, "ENTER") || strings.Contains(got, "'Windows'") {
		t.Errorf("it asked %s", got)
	}
}

// Once a terminal was left, keys were pressed: no answer to the second request
// may be taken for one after which to begin again.
func TestSendKeysLeavesATerminalOnce(t *testing.T) {
	for _, answer := range []string{"lost", "held"} {
		f, target := playPowerShell(t), psTarget()
		target.FocusKeys = keystroke.Chord{Ctrl: true, Key: "i"}
		f.Script("powershell.exe", strings.Replace(fakePowerShell, "  case $answer in\n", "  case $line in *,73*) answer='ok "+answer+"' ;; esac\n  case $answer in\n", 1))
		err := wsl(f).Type(t.Context(), target)
		var sent *keystroke.SentError
		if !errors.As(err, &sent) || errors.Is(err, desk.ErrLostFocus) {
			t.Errorf("%s: got %v (%T), want an error after a key", answer, err, err)
		}
		var left, focus int
		for _, line := range f.Logged("stdin Ralph") {
			left += strings.Count(line, "'162,49'")
			focus += strings.Count(line, "'162,73'")
		}
		if left != 1 || focus != 1 {
			t.Errorf("%s: the terminal was left %d times, the focus keys were asked for %d times, want both once", answer, left, focus)
		}
	}
}
