package desk

import (
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/windows"

	"github.com/cursor-ralph/cursor-ralph/test/testdesk"
)

// TestPowerShellLoads has the real PowerShell read the script and compile its
// class. It presses nothing.
func TestPowerShellLoads(t *testing.T) {
	m := Machine{OS: "windows", Env: os.Environ()}
	path, err := findPowerShell(m)
	testdesk.Must(t, err)
	s, err := startPowerShell(t.Context(), m, path)
	testdesk.Must(t, err)
	defer s.close()
	if answer, err := s.request(t.Context(), 2*loadWait, "Load"); err != nil || answer != "loaded" {
		t.Fatalf("got %q, %v", answer, err)
	}
	if found, err := s.request(t.Context(), programWait, "Windows", utf16Base64("no such editor's")); err != nil || found != "" {
		t.Errorf("got %v, %v", found, err)
	}
	if _, err := s.request(t.Context(), programWait, "Nonsense"); err == nil || !strings.Contains(err.Error(), "Nonsense") {
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
