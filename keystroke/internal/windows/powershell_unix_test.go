//go:build unix

package windows

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
	"github.com/cursor-ralph/cursor-ralph/platform"
	"github.com/cursor-ralph/cursor-ralph/test/faketools"
	"github.com/cursor-ralph/cursor-ralph/test/testdesk"
)

// A PowerShell that does not read must not hang us: more than a pipe holds is written.
func TestPowerShellThatDoesNotRead(t *testing.T) {
	f := faketools.New(t, map[string]string{"powershell.exe": "read -r line; echo 'ralph 0 ok FullLanguage'; exec sleep 60\n"})
	s, err := startPowerShell(t.Context(), desk.Machine{Env: f.Env()}, filepath.Join(f.Dir, "powershell.exe"))
	testdesk.Must(t, err)
	defer s.close()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if err := s.send(ctx, strings.Repeat("x", 1<<20)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
	}
}

func TestPowerShellTakesNoQuotes(t *testing.T) {
	const script = `IFS= read -r _; echo "ralph 0 ok FullLanguage"; IFS= read -r _
n=0; while IFS= read -r line; do n=$((n+1)); echo "ralph $(echo "$line" | cut -d"'" -f2) ok 5000"; done
`
	f := faketools.New(t, map[string]string{"powershell.exe": script})
	s, err := startPowerShell(t.Context(), desk.Machine{Env: f.Env()}, filepath.Join(f.Dir, "powershell.exe"))
	testdesk.Must(t, err)
	defer s.close()
	for _, word := range []string{"a'b", "a\u2019b", "a\u2018b", "a\u201ab", "a\u201bb", "a\nb", "a\rb"} {
		if _, err := s.ask(t.Context(), desk.ProgramWait, "Idle", word); err == nil {
			t.Errorf("%q was given to it", word)
		}
	}
	if answer, err := s.ask(t.Context(), desk.ProgramWait, "Idle", "$(a) `b ;|"); err != nil || answer != "5000" {
		t.Errorf("got %q, %v", answer, err)
	}
}

func TestSendKeysIsHere(t *testing.T) {
	f := faketools.New(t, map[string]string{"powershell.exe": ""})
	no := faketools.New(t, map[string]string{})
	broken := faketools.New(t, map[string]string{})
	testdesk.Must(t, os.WriteFile(filepath.Join(broken.Dir, "powershell.exe"), []byte("MZ\x90\x00"), 0o755))
	wsl := platform.Desktop{Kind: platform.WSL, WSL: 2}
	for _, tt := range []struct {
		name string
		open func() (desk.Session, error)
		want string
	}{
		{"sendkeys on Linux", func() (desk.Session, error) {
			return OpenSendKeys(t.Context(), desk.Machine{OS: "linux", Env: f.Env()}, desk.Request{})
		}, "Windows only"},
		{"sendkeys-wsl on Linux", func() (desk.Session, error) {
			return OpenSendKeysWSL(t.Context(), desk.Machine{OS: "linux", Env: f.Env()}, desk.Request{})
		}, "WSL only"},
		{"no PowerShell", func() (desk.Session, error) {
			return sendKeys{m: desk.Machine{OS: "linux", Env: no.Env(), Desktop: wsl}, folders: []string{no.Dir}}.open(t.Context(), desk.Request{})
		}, "neither"},
		{"no Windows programs", func() (desk.Session, error) {
			return OpenSendKeysWSL(t.Context(), desk.Machine{OS: "linux", Env: broken.Env(), Desktop: wsl}, desk.Request{})
		}, "wsl.conf"},
	} {
		if _, err := tt.open(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
	}
	found := sendKeys{m: desk.Machine{OS: "linux", Env: []string{"PATH=/nowhere"}, Desktop: wsl}, folders: []string{no.Dir, f.Dir}}
	if path, err := found.find(); err != nil || path != filepath.Join(f.Dir, "powershell.exe") {
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
