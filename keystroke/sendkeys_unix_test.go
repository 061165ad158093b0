//go:build unix

package keystroke

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/platform"
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
func playPowerShell(t *testing.T) fakeTools {
	t.Helper()
	f := newFakeTools(t, map[string]string{"powershell.exe": fakePowerShell})
	for request, answer := range map[string]string{
		"Mode": "ok FullLanguage", "Load": "ok loaded", "Editors": "ok 1", "Idle": "ok 5000",
		"Windows": "ok 65620 4711 " + utf16Base64("main.go - repo [WSL: Ubuntu] - Cursor"),
		"Focused": "ok True", "Activate": "ok True", "Put": "ok all", "Restore": "ok restored",
		"Type": "ok pressed", "Press": "ok pressed",
		"Front": "ok 33 815 " + utf16Base64("notes"),
	} {
		f.says(request, answer)
	}
	t.Cleanup(func() { f.gone("pids") })
	return f
}

// gone makes sure that no fake lives on.
func (f fakeTools) gone(pids string) {
	data, err := os.ReadFile(filepath.Join(f.dir, pids))
	if err != nil {
		return // it was never started
	}
	for _, pid := range strings.Fields(string(data)) {
		if _, err := os.Stat("/proc/self"); err == nil {
			if _, err := os.Stat(filepath.Join("/proc", pid)); err == nil {
				f.t.Errorf("process %s lives on", pid)
			}
		}
	}
}

func (f fakeTools) wsl() Injector {
	return newSendKeysWSL(Machine{OS: "linux", Env: f.env(), Desktop: platform.Desktop{Kind: platform.WSL, WSL: 2}})
}

func psTarget() Target {
	return Target{Line: psLine, Workspace: "/home/u/repo", Editors: []string{"cursor", "cursor nightly"}}
}

func TestSendKeysTypes(t *testing.T) {
	for _, tt := range []struct {
		name string
		make func(fakeTools) Injector
		keys Chord
	}{
		{"wsl", fakeTools.wsl, Chord{}},
		{"wsl with focus keys", fakeTools.wsl, Chord{Ctrl: true, Key: "i"}},
		{"windows with focus keys", func(f fakeTools) Injector { return newSendKeys(Machine{OS: "windows", Env: f.env()}) }, Chord{Ctrl: true, Key: "i"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, target := playPowerShell(t), psTarget()
			i := tt.make(f)
			target.FocusKeys = tt.keys
			if err := i.Probe(t.Context(), target); err != nil {
				t.Fatal(err)
			}
			if err := i.Type(t.Context(), target); err != nil {
				t.Fatal(err)
			}
			script := utf16Base64(sendKeysScript)
			got := strings.ReplaceAll(f.log(), script, "SENDKEYS.PS1")
			got = strings.ReplaceAll(got, utf16Base64(psLine), "THE-LINE")
			matchesGolden(t, "powershell-"+strings.ReplaceAll(tt.name, " ", "-")+".golden", strings.ReplaceAll(got, utf16Base64("cursor,cursor nightly"), "EDITORS"))
		})
	}
}

func TestSendKeysProbe(t *testing.T) {
	for _, tt := range []struct{ about, answer, want string }{
		{"Editors", "ok 0", errNoWindow.Error()},
		{"Mode", "ok ConstrainedLanguage", "policy"},
		{"Mode", "die", "ended"},
		{"Mode", "flood", "too much"},
		{"Editors", "flood", "too much"},
		{"Editors", "no " + utf16Base64("Zugriff verweigert: ’; Restart"), `"Zugriff verweigert: ’; Restart"`},
	} {
		f := playPowerShell(t)
		f.says(tt.about, tt.answer)
		if err := f.wsl().Probe(t.Context(), psTarget()); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s says %.20s: got %v, want %s", tt.about, tt.answer, err, tt.want)
		}
		if got := f.logged("stdin Ralph '1' 'Load'"); got != nil {
			t.Errorf("a probe asks %s", got)
		}
	}
}

func TestSendKeysHasADeadline(t *testing.T) {
	for _, about := range []string{"Mode", "Editors"} {
		f := playPowerShell(t)
		f.says(about, "hang")
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		began := time.Now()
		err := f.wsl().Probe(ctx, psTarget())
		if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took > 2*time.Second {
			t.Errorf("%s hangs: got %v after %s", about, err, took)
		}
	}
}

// A PowerShell that does not read must not hang us: more than a pipe holds is written.
func TestPowerShellThatDoesNotRead(t *testing.T) {
	f := newFakeTools(t, map[string]string{"powershell.exe": "read -r line; echo 'ralph 0 ok FullLanguage'; exec sleep 60\n"})
	s, err := startPowerShell(t.Context(), Machine{Env: f.env()}, filepath.Join(f.dir, "powershell.exe"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if err := s.send(ctx, strings.Repeat("x", 1<<20)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
	}
}

func TestSendKeysRefuses(t *testing.T) {
	pressed := func(f fakeTools) []string {
		return slices.DeleteFunc(f.logged("stdin Ralph"), func(line string) bool {
			return !strings.Contains(line, " 'Type' ") && !strings.Contains(line, " 'Press' ")
		})
	}
	for _, tt := range []struct {
		name    string
		prepare func(f fakeTools, t *Target)
		want    string
		keys    int // requests to press something that were answered with pressed
		sent    bool
	}{
		{"no window", func(f fakeTools, _ *Target) { f.says("Windows", "ok") }, errNoWindow.Error(), 0, false},
		{"two windows of the workspace", func(f fakeTools, _ *Target) {
			w := " 4711 " + utf16Base64("repo - Cursor")
			f.says("Windows", "ok 1"+w+";2"+w)
		}, "not clear", 0, false},
		{"windows of other workspaces", func(f fakeTools, _ *Target) {
			w := " 4711 " + utf16Base64("'; Restart-Computer; ' - other - Cursor")
			f.says("Windows", "ok 1"+w+";2"+w)
		}, "not clear", 0, false},
		{"nonsense for a window", func(f fakeTools, _ *Target) { f.says("Windows", "ok 1;2") }, "no window", 0, false},
		{"a number with more in it", func(f fakeTools, _ *Target) { f.says("Windows", "ok 1';x 2 "+utf16Base64("repo")) }, "no window", 0, false},
		{"a word for a number", func(f fakeTools, _ *Target) { f.says("Windows", "ok x 2 "+utf16Base64("repo")) }, "invalid syntax", 0, false},
		{"a hostile line", func(_ fakeTools, t *Target) { t.Line = "x\r\nshutdown" }, "not typed", 0, false},
		{"no calls of user32", func(f fakeTools, _ *Target) { f.says("Load", "no "+utf16Base64("csc.exe")) }, "user32", 0, false},
		{"the line is no longer wanted", func(_ fakeTools, t *Target) {
			t.Permit = func(context.Context) error { return errors.New("stopped") }
		}, "stopped", 0, false},
		{"focus never comes", func(f fakeTools, _ *Target) { f.says("Focused", "ok False") }, "front", 0, false},
		{"focus lost between check and key", func(f fakeTools, _ *Target) { f.says("Type", "ok lost") }, errLostFocus.Error(), 0, false},
		{"a modifier is held", func(f fakeTools, _ *Target) { f.says("Type", "ok held") }, "modifier", 0, false},
		{"clipboard in use", func(f fakeTools, _ *Target) { f.says("Put", "no "+utf16Base64("OpenClipboard")) }, "OpenClipboard", 0, false},
		{"focus lost before Return", func(f fakeTools, t *Target) {
			t.Step = func(words string) {
				if words == "pasted" {
					f.says("Focused", "ok False")
				}
			}
		}, errLostFocus.Error(), 1, true},
		{"stopped before Return", func(f fakeTools, t *Target) {
			pasted := false
			t.Step = func(words string) { pasted = pasted || words == "pasted" }
			t.Permit = func(context.Context) error {
				if pasted {
					return errors.New("stopped")
				}
				return nil
			}
		}, "stopped", 1, true},
		{"PowerShell ends at the paste", func(f fakeTools, _ *Target) { f.says("Type", "die") }, "ended", 1, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, target := playPowerShell(t), psTarget()
			tt.prepare(f, &target)
			err := f.wsl().Type(t.Context(), target)
			var sent *SentError
			if err == nil || !strings.Contains(err.Error(), tt.want) || errors.As(err, &sent) != tt.sent {
				t.Errorf("got %v, want %s, sent %v", err, tt.want, tt.sent)
			}
			asked := pressed(f)
			if tt.keys == 1 && len(asked) != 1 || tt.keys == 0 && slices.ContainsFunc(asked, func(l string) bool { return strings.Contains(l, "ENTER") }) {
				t.Errorf("it asked %q", asked)
			}
			if put := len(f.logged("stdin Ralph")) > 0 && strings.Contains(f.log(), " 'Put' "); put && !strings.Contains(tt.name, "ends") && !strings.Contains(tt.name, "clipboard") && !strings.Contains(f.log(), " 'Restore'") {
				t.Error("the clipboard was not restored")
			}
		})
	}
}

func TestSendKeysTellsWhatTheClipboardLost(t *testing.T) {
	for _, tt := range []struct{ put, restore, want string }{
		{"ok all", "ok restored", ""},
		{"ok text", "ok restored", "only the text"},
		{"ok nothing", "ok restored", "no text"},
		{"ok secret", "ok restored", "password"},
		{"ok nothing", "ok kept", ""}, // somebody copied something else meanwhile
	} {
		f, target := playPowerShell(t), psTarget()
		f.says("Put", tt.put)
		f.says("Restore", tt.restore)
		var told string
		target.Step = func(words string) {
			if strings.HasPrefix(words, "clipboard") {
				told = words
			}
		}
		if err := f.wsl().Type(t.Context(), target); err != nil {
			t.Error(err)
		}
		if !strings.Contains(told, tt.want) || tt.want == "" && told != "" {
			t.Errorf("%s, %s: got %q, want %q", tt.put, tt.restore, told, tt.want)
		}
	}
}

func TestPowerShellTakesNoQuotes(t *testing.T) {
	f := playPowerShell(t)
	s, err := startPowerShell(t.Context(), Machine{Env: f.env()}, filepath.Join(f.dir, "powershell.exe"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	for _, word := range []string{"a'b", "a\u2019b", "a\u2018b", "a\u201ab", "a\u201bb", "a\nb", "a\rb"} {
		if _, err := s.ask(t.Context(), programWait, "Idle", word); err == nil {
			t.Errorf("%q was given to it", word)
		}
	}
	if answer, err := s.ask(t.Context(), programWait, "Idle", "$(a) `b ;|"); err != nil || answer != "5000" {
		t.Errorf("got %q, %v", answer, err)
	}
}

func TestSendKeysIsHere(t *testing.T) {
	f := playPowerShell(t)
	no := newFakeTools(t, map[string]string{})
	broken := newFakeTools(t, map[string]string{})
	if err := os.WriteFile(filepath.Join(broken.dir, "powershell.exe"), []byte("MZ\x90\x00"), 0o755); err != nil {
		t.Fatal(err)
	}
	wsl := platform.Desktop{Kind: platform.WSL, WSL: 2}
	for _, tt := range []struct {
		name string
		i    Injector
		want string
	}{
		{"sendkeys on Linux", newSendKeys(Machine{OS: "linux", Env: f.env()}), "Windows only"},
		{"sendkeys-wsl on Linux", newSendKeysWSL(Machine{OS: "linux", Env: f.env()}), "WSL only"},
		{"no PowerShell", sendKeysInjector{m: Machine{OS: "linux", Env: no.env(), Desktop: wsl}, name: "sendkeys-wsl", folders: []string{no.dir}}, "neither"},
		{"no Windows programs", newSendKeysWSL(Machine{OS: "linux", Env: broken.env(), Desktop: wsl}), "wsl.conf"},
	} {
		if err := tt.i.Probe(t.Context(), psTarget()); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
	}
	found := sendKeysInjector{m: Machine{OS: "linux", Env: []string{"PATH=/nowhere"}, Desktop: wsl}, name: "sendkeys-wsl", folders: []string{no.dir, f.dir}}
	if path, err := found.find(); err != nil || path != filepath.Join(f.dir, "powershell.exe") {
		t.Errorf("beside the PATH: got %q, %v", path, err)
	}
}

func TestUTF16Base64(t *testing.T) {
	for _, text := range []string{"", "abc", "ä漢🦊'’"} {
		if got, err := fromUTF16Base64(utf16Base64(text)); err != nil || got != text {
			t.Errorf("got %q, %v, want %q", got, err, text)
		}
	}
	if got := utf16Base64("aä"); got != "YQDkAA==" { // little-endian
		t.Errorf("got %s", got)
	}
}

// A test goes into whatever window has the focus, even where Cursor does not run.
func TestSendKeysTypesATest(t *testing.T) {
	f, target := playPowerShell(t), psTarget()
	f.says("Editors", "ok 0")
	f.says("Windows", "ok")
	target.Test = true
	if err := f.wsl().Probe(t.Context(), target); err != nil {
		t.Fatal(err)
	}
	if err := f.wsl().Type(t.Context(), target); err != nil {
		t.Fatal(err)
	}
	if got := f.log(); !strings.Contains(got, "'Type' '33' '815' '+{INSERT}'") || strings.Contains(got, "ENTER") || strings.Contains(got, "'Windows'") {
		t.Errorf("it asked %s", got)
	}
}

// Once a terminal was left, keys were pressed: no answer to the second request
// may be taken for one after which to begin again.
func TestSendKeysLeavesATerminalOnce(t *testing.T) {
	for _, answer := range []string{"lost", "held"} {
		f, target := playPowerShell(t), psTarget()
		target.FocusKeys = Chord{Ctrl: true, Key: "i"}
		f.script("powershell.exe", strings.Replace(fakePowerShell, "  case $answer in\n", "  case $line in *,73*) answer='ok "+answer+"' ;; esac\n  case $answer in\n", 1))
		err := f.wsl().Type(t.Context(), target)
		var sent *SentError
		if !errors.As(err, &sent) || errors.Is(err, errLostFocus) {
			t.Errorf("%s: got %v (%T), want an error after a key", answer, err, err)
		}
		var left, focus int
		for _, line := range f.logged("stdin Ralph") {
			left += strings.Count(line, "'162,49'")
			focus += strings.Count(line, "'162,73'")
		}
		if left != 1 || focus != 1 {
			t.Errorf("%s: the terminal was left %d times, the focus keys were asked for %d times, want both once", answer, left, focus)
		}
	}
}
