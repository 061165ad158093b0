//go:build unix

package desk

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/platform"
	"github.com/cursor-ralph/cursor-ralph/test/faketools"
	"github.com/cursor-ralph/cursor-ralph/test/sources"
	"github.com/cursor-ralph/cursor-ralph/test/testdesk"
)

// A PowerShell that does not read must not hang us: more than a pipe holds is written.
func TestPowerShellThatDoesNotRead(t *testing.T) {
	t.Parallel()
	f := faketools.New(t, map[string]string{"powershell.exe": "read -r line; echo 'ralph 0 ok FullLanguage'; exec sleep 60\n"})
	s, err := startPowerShell(t.Context(), Machine{Env: f.Env()}, filepath.Join(f.Dir, "powershell.exe"))
	testdesk.Must(t, err)
	defer s.close()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if err := s.send(ctx, strings.Repeat("x", 1<<20)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
	}
}

func TestPowerShellTakesNoQuotes(t *testing.T) {
	t.Parallel()
	const script = `IFS= read -r _; echo "ralph 0 ok FullLanguage"; IFS= read -r _
n=0; while IFS= read -r line; do n=$((n+1)); echo "ralph $(echo "$line" | cut -d"'" -f2) ok 5000"; done
`
	f := faketools.New(t, map[string]string{"powershell.exe": script})
	s, err := startPowerShell(t.Context(), Machine{Env: f.Env()}, filepath.Join(f.Dir, "powershell.exe"))
	testdesk.Must(t, err)
	defer s.close()
	for _, word := range []string{"a'b", "a\u2019b", "a\u2018b", "a\u201ab", "a\u201bb", "a\nb", "a\rb"} {
		if _, err := s.request(t.Context(), programWait, "Idle", word); err == nil {
			t.Errorf("%q was given to it", word)
		}
	}
	if answer, err := s.request(t.Context(), programWait, "Idle", "$(a) `b ;|"); err != nil || answer != "5000" {
		t.Errorf("got %q, %v", answer, err)
	}
}

func TestSendKeysIsHere(t *testing.T) {
	t.Parallel()
	f := faketools.New(t, map[string]string{"powershell.exe": ""})
	broken := faketools.New(t, map[string]string{})
	testdesk.Must(t, sources.WriteProgram(filepath.Join(broken.Dir, "powershell.exe"), []byte("MZ\x90\x00"), 0o755))
	wsl := platform.Desktop{Kind: platform.WSL, WSL: 2}
	for name, tt := range map[string]struct {
		m    Machine
		want string
	}{
		"Linux":               {Machine{OS: "linux", Env: f.Env()}, "Windows and WSL only"},
		"no PowerShell":       {Machine{OS: "linux", Env: []string{"PATH=/nowhere"}, Desktop: wsl}, "neither"},
		"no Windows programs": {Machine{OS: "linux", Env: broken.Env(), Desktop: wsl}, "wsl.conf"},
	} {
		if _, err := SendKeys(t.Context(), tt.m); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %s", name, err, tt.want)
		}
	}
}

func TestUTF16Base64(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "abc", "ä漢🦊'’"} {
		if got, err := fromUTF16Base64(utf16Base64(text)); err != nil || got != text {
			t.Errorf("got %q, %v, want %q", got, err, text)
		}
	}
	if got := utf16Base64("aä"); got != "YQDkAA==" { // little-endian
		t.Errorf("got %s", got)
	}
}
