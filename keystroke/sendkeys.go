package keystroke

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// pasteWait is how long an editor has to read the line where nobody can tell
// when it has.
const pasteWait = 250 * time.Millisecond

// sendKeysInjector types through Windows PowerShell, on Windows or from WSL.
type sendKeysInjector struct {
	m    Machine
	name string
	// folders are where powershell.exe is looked for after the PATH.
	folders []string
	// leave is pressed before the target's FocusKeys.
	leave Chord
}

func newSendKeys(m Machine) Injector {
	root := m.getenv("SystemRoot")
	return sendKeysInjector{m: m, name: "sendkeys", folders: []string{filepath.Join(root, `System32\WindowsPowerShell\v1.0`)}}
}

// newSendKeysWSL looks where Windows's own disk is mounted, for the PATH may
// lack Windows's folders: appendWindowsPath in /etc/wsl.conf. Source: Microsoft,
// "Advanced settings configuration in WSL".
//
// A terminal in the editor keeps most keys to itself, so with FocusKeys it is
// left first: Ctrl+1 goes to the first group of editors, opens nothing, and is
// among the shortcuts that a terminal lets through. Source: Visual Studio Code,
// workbench.action.focusFirstEditorGroup in the default of
// terminal.integrated.commandsToSkipShell. Without FocusKeys nothing is
// pressed: the focus is where the user wants it.
func newSendKeysWSL(m Machine) Injector {
	return sendKeysInjector{m: m, name: "sendkeys-wsl", leave: Chord{Ctrl: true, Key: "1"}, folders: []string{
		"/mnt/c/Windows/System32/WindowsPowerShell/v1.0",
		"/c/Windows/System32/WindowsPowerShell/v1.0",
	}}
}

// Name is sendkeys or sendkeys-wsl.
func (i sendKeysInjector) Name() string { return i.name }

// Probe starts PowerShell and asks for the editor's processes; the calls of
// user32 are not compiled for it.
func (i sendKeysInjector) Probe(ctx context.Context, t Target) error {
	s, err := i.start(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	answer, err := s.ask(ctx, programWait, "Editors", utf16Base64(strings.Join(t.Editors, ",")))
	if err == nil && answer == "0" && !t.Test {
		return errNoWindow
	}
	return err
}

// Type delivers the line with clipboard and Shift+Insert.
func (i sendKeysInjector) Type(ctx context.Context, t Target) error {
	if err := t.Check(); err != nil {
		return err
	}
	s, err := i.start(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	if _, err := s.ask(ctx, loadWait, "Load"); err != nil {
		return fmt.Errorf("PowerShell cannot make the calls of user32: %w", err)
	}
	d := psDesk{session: s, focus: t.FocusKeys, leave: i.leave}
	return deliver(ctx, t, d, d)
}

// start finds PowerShell and starts a session.
func (i sendKeysInjector) start(ctx context.Context) (*powerShell, error) {
	if err := i.here(); err != nil {
		return nil, err
	}
	path, err := i.find()
	if err != nil {
		return nil, err
	}
	s, err := startPowerShell(ctx, i.m, path)
	if errors.Is(err, syscall.ENOEXEC) {
		return nil, errors.New("this WSL cannot start Windows programs: set enabled = true under [interop] in /etc/wsl.conf, then run wsl --shutdown on Windows")
	}
	return s, err
}

func (i sendKeysInjector) here() error {
	wsl := i.m.Desktop.WSL != 0
	switch {
	case i.name == "sendkeys" && i.m.OS != "windows":
		return errors.New("this works on Windows only")
	case i.name == "sendkeys-wsl" && !wsl:
		return errors.New("this works on WSL only")
	}
	return nil
}

func (i sendKeysInjector) find() (string, error) {
	if path, err := i.m.look("powershell.exe"); err == nil {
		return path, nil
	}
	for _, dir := range i.folders {
		if path, err := exec.LookPath(filepath.Join(dir, "powershell.exe")); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("powershell.exe is neither on the PATH nor in %s", strings.Join(i.folders, " or "))
}
