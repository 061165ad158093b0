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
