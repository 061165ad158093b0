package keystroke

import (
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/windows"
)

// TestPowerShellLoads has the real PowerShell read the script and compile its
// class. It presses nothing.
func TestPowerShellLoads(t *testing.T) {
	i, ok := newSendKeys(Machine{OS: "windows", Env: os.Environ()}).(sendKeysInjector)
	if !ok {
		t.Fatal("not sendkeys")
	}
	s, err := i.start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	if answer, err := s.ask(t.Context(), 2*loadWait, "Load"); err != nil || answer != "loaded" {
		t.Fatalf("got %q, %v", answer, err)
	}
	if found, err := (psDesk{session: s}).windows(t.Context(), Target{Editors: []string{"no such editor's"}}); err != nil || found != nil {
		t.Errorf("got %v, %v", found, err)
	}
	if _, err := s.ask(t.Context(), programWait, "Nonsense"); err == nil || !strings.Contains(err.Error(), "Nonsense") {
		t.Errorf("got %v", err)
	}
}

// A console window of PowerShell would take the focus.
func TestPowerShellIsHidden(t *testing.T) {
	cmd := powerShellCommand(Machine{}, "powershell.exe")
	if a := cmd.SysProcAttr; a == nil || !a.HideWindow || a.CreationFlags&windows.CREATE_NO_WINDOW == 0 {
		t.Errorf("it is started with %+v", a)
	}
}

// What PowerShell puts back, the next delivery finds as it was.
func TestPowerShellPutsTheClipboardBack(t *testing.T) {
	needsWinDesktop(t)
	s, err := newSendKeys(Machine{OS: "windows", Env: os.Environ()}).(sendKeysInjector).start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	if _, err := s.ask(t.Context(), 2*loadWait, "Load"); err != nil {
		t.Fatal(err)
	}
	puts := func(want, after string) {
		t.Helper()
		put, err := s.ask(t.Context(), programWait, "Put", utf16Base64(winLine))
		restored, err2 := s.ask(t.Context(), programWait, "Restore")
		if err != nil || err2 != nil || put != want || restored != after {
			t.Errorf("got %q, %v, then %q, %v; want %q, %q", put, err, restored, err2, want, after)
		}
	}
	winCopied(t, "what the user had")
	puts("all", "restored")
	puts("all", "restored")
	if got := clipboardText(t); got != "what the user had" {
		t.Errorf("on the clipboard is %q", got)
	}
	if err := new(winClip).whileOpen(t.Context(), private); err != nil {
		t.Fatal(err)
	}
	puts("secret", "restored")
}
