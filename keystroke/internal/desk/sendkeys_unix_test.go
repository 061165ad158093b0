//go:build unix

package desk_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
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

const testLine = "/ralph-loop --continue 4f1d1b0e-8d0c-4d2b-9a51-0d6f5c1e7a90"

// fakePowerShell plays the conversation: it answers a request with what
// answer-REQUEST holds; what was set is what it gets. The word hang answers nothing, flood more than anybody
// reads, die ends it.
const fakePowerShell = `
echo "argv $*" >>log
echo $$ >>pids
while IFS= read -r line; do
  printf 'stdin %s\n' "$line" >>log
  case $line in
  '"ralph 0 ok '*) number=0 request=Mode ;;
  "Ralph '"*) IFS=\' read -r _ number _ request _ word _ <<END
$line
END
  ;;
  *) continue ;;
  esac
  answer=$(cat "answer-$request")
  [ "$request" != Set ] || echo "ok $(cat types);$word" >answer-Get
  case $answer in
  hang) exec sleep 60 ;;
  flood) exec yes "ralph 99 ok $(printf '%04000d' 0)" ;;
  die) exit 1 ;;
  *) echo "a line of somebody else's"; echo "PS C:\\> ralph $number $answer" ;;
  esac
done
`

// playPowerShell is a Windows with one window of Cursor, in front.
func playPowerShell(t *testing.T) faketools.Tools {
	t.Helper()
	f := faketools.New(t, map[string]string{"powershell.exe": fakePowerShell})
	cursor := "ok 65620 4711 " + desk.UTF16Base64("cursor") + " " + desk.UTF16Base64("main.go - repo [WSL: Ubuntu] - Cursor")
	types := desk.UTF16Base64("UnicodeText\nText")
	for request, answer := range map[string]string{
		"Mode": "ok FullLanguage", "Load": "ok loaded", "Editors": "ok 1", "Idle": "ok 5000",
		"Windows": cursor, "Front": cursor, "Raise": "ok True", "Press": "ok pressed",
		"Set": "ok set", "Get": "ok " + types + ";" + desk.UTF16Base64("old"),
	} {
		f.Says(request, answer)
	}
	testdesk.Must(t, os.WriteFile(filepath.Join(f.Dir, "types"), []byte(types), 0o600))
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
		if _, err := os.Stat(filepath.Join("/proc", pid)); err == nil {
			f.T.Errorf("process %s lives on", pid)
		}
	}
}

func wsl(f faketools.Tools) keystroke.Injector {
	return way(f.T, "sendkeys", keystroke.Machine{OS: "linux", Env: f.Env(), Desktop: platform.Desktop{Kind: platform.WSL, WSL: 2}})
}

func psTarget() keystroke.Target {
	return keystroke.Target{Line: testLine, Workspace: "/home/u/repo", Editors: []string{"cursor", "cursor nightly"}}
}

// readable replaces what is packed, and the same each time.
func readable(log string) string {
	for _, of := range []struct{ text, name string }{
		{desk.SendKeysScript, "SENDKEYS.PS1"}, {testLine, "THE-LINE"}, {"cursor,cursor nightly", "EDITORS"}, {"old", "OLD"},
	} {
		log = strings.ReplaceAll(log, desk.UTF16Base64(of.text), of.name)
	}
	return log
}

func TestSendKeysTypes(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(faketools.Tools) keystroke.Injector{
		"wsl": wsl,
		"windows": func(f faketools.Tools) keystroke.Injector {
			return way(f.T, "sendkeys", keystroke.Machine{OS: "windows", Env: f.Env()})
		},
	} {
		t.Run(name, func(t *testing.T) {
			f, target := playPowerShell(t), psTarget()
			target.Submit = "ctrl+enter"
			testdesk.Must(t, make(f).Probe(t.Context(), target), make(f).Type(t.Context(), target))
			golden.Matches(t, "testdata/powershell.golden", readable(f.Log()))
		})
	}
}

func TestSendKeysProbe(t *testing.T) {
	for _, tt := range []struct{ about, answer, want string }{
		{"Editors", "ok 0", "no window of Cursor"},
		{"Mode", "ok ConstrainedLanguage", "policy"},
		{"Mode", "die", "ended"},
		{"Mode", "flood", "too much"},
		{"Editors", "flood", "too much"},
		{"Editors", "no " + desk.UTF16Base64("Zugriff verweigert: ’; Restart"), `"Zugriff verweigert: ’; Restart"`},
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
	t.Parallel()
	for _, about := range []string{"Mode", "Editors"} {
		f := playPowerShell(t)
		f.Says(about, "hang")
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		err := wsl(f).Probe(ctx, psTarget())
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s hangs: got %v", about, err)
		}
	}
}

func TestSendKeysRefuses(t *testing.T) {
	t.Parallel()
	window := func(id string) string {
		return "ok " + id + " " + desk.UTF16Base64("cursor") + " " + desk.UTF16Base64("repo")
	}
	for _, tt := range []struct {
		about, answer, want string
		sent                bool
	}{
		{"Windows", "ok", "no window of Cursor", false},
		{"Windows", "ok 1;2", "is no window", false},
		{"Windows", window("1';x 2"), "is no window", false},
		{"Windows", window("x 2"), "invalid syntax", false},
		{"Load", "no " + desk.UTF16Base64("csc.exe"), "user32", false},
		{"Front", "ok none", "did not come to the front", false},
		{"Front", window("65621 4711"), "did not come to the front", false},
		{"Press", "ok lost", "lost the focus", false},
		{"Press", "ok held", "modifier", false},
		{"Get", "ok " + desk.UTF16Base64("FileDrop\nText") + ";", "it holds files", false},
		{"Set", "no " + desk.UTF16Base64("OpenClipboard"), "OpenClipboard", false},
		{"Press", "die", "ended", true},
	} {
		t.Run(tt.about+" says "+tt.answer, func(t *testing.T) {
			t.Parallel()
			f := playPowerShell(t)
			f.Says(tt.about, tt.answer)
			err := wsl(f).Type(t.Context(), psTarget())
			if err == nil || !strings.Contains(err.Error(), tt.want) || errors.As(err, new(*keystroke.SentError)) != tt.sent {
				t.Errorf("got %v, want %s, sent %v", err, tt.want, tt.sent)
			}
			if strings.Contains(f.Log(), "ENTER") || len(f.Logged("stdin Ralph")) > 0 && tt.about != "Press" && strings.Contains(f.Log(), "INSERT") {
				t.Errorf("it asked %s", readable(f.Log()))
			}
			if sets := strings.Count(f.Log(), "' 'Set' '"); tt.about == "Press" && !tt.sent && sets != 2 {
				t.Errorf("the clipboard was set %d times, want that its text is back", sets)
			}
		})
	}
}
