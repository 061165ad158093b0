// Package windows types on Windows: by SendInput itself, or through PowerShell,
// which works from WSL too.
package windows

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/key"
)

// sendKeys types through Windows PowerShell, on Windows or from WSL.
type sendKeys struct {
	m       desk.Machine
	folders []string  // where powershell.exe is looked for after the PATH
	leave   key.Chord // pressed before the target's FocusKeys
}

// OpenSendKeys types through PowerShell on Windows.
func OpenSendKeys(ctx context.Context, m desk.Machine, r desk.Request) (desk.Session, error) {
	if m.OS != "windows" {
		return desk.Session{}, errors.New("this works on Windows only")
	}
	system := filepath.Join(m.Getenv("SystemRoot"), `System32\WindowsPowerShell\v1.0`)
	return sendKeys{m: m, folders: []string{system}}.open(ctx, r)
}

// OpenSendKeysWSL types through Windows's PowerShell from WSL. It looks where
// Windows's own disk is mounted too, for the PATH may lack Windows's folders:
// appendWindowsPath in /etc/wsl.conf. Source: Microsoft, "Advanced settings
// configuration in WSL".
//
// A terminal in the editor keeps most keys to itself, so with FocusKeys it is
// left first: Ctrl+1 goes to the first group of editors, opens nothing, and is
// among the shortcuts that a terminal lets through. Source: Visual Studio Code,
// workbench.action.focusFirstEditorGroup in the default of
// terminal.integrated.commandsToSkipShell. Without FocusKeys nothing is
// pressed: the focus is where the user wants it.
func OpenSendKeysWSL(ctx context.Context, m desk.Machine, r desk.Request) (desk.Session, error) {
	if m.Desktop.WSL == 0 {
		return desk.Session{}, errors.New("this works on WSL only")
	}
	return sendKeys{m: m, leave: key.Chord{Ctrl: true, Key: "1"}, folders: []string{
		"/mnt/c/Windows/System32/WindowsPowerShell/v1.0",
		"/c/Windows/System32/WindowsPowerShell/v1.0",
	}}.open(ctx, r)
}

// open starts PowerShell. A probe only asks for the editor's processes: compiling
// the calls of user32, which finding windows needs, takes too long for it.
func (i sendKeys) open(ctx context.Context, r desk.Request) (desk.Session, error) {
	s, err := i.start(ctx)
	if err != nil {
		return desk.Session{}, err
	}
	loaded := false
	load := func(ctx context.Context) error {
		if loaded {
			return nil
		}
		if _, err := s.ask(ctx, loadWait, "Load"); err != nil {
			return fmt.Errorf("PowerShell cannot make the calls of user32: %w", err)
		}
		loaded = true
		return nil
	}
	probe := func(ctx context.Context) error {
		answer, err := s.ask(ctx, desk.ProgramWait, "Editors", utf16Base64(strings.Join(r.Editors, ",")))
		if err == nil && answer == "0" && !r.Test {
			return desk.ErrNoWindow
		}
		return err
	}
	d := psDesk{session: s, load: load, focus: r.FocusKeys, leave: i.leave}
	return desk.Session{Desk: d, Keyboard: d, Probe: probe, Close: s.close}, nil
}

func (i sendKeys) start(ctx context.Context) (*powerShell, error) {
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

func (i sendKeys) find() (string, error) {
	if path, err := i.m.Look("powershell.exe"); err == nil {
		return path, nil
	}
	for _, dir := range i.folders {
		if path, err := exec.LookPath(filepath.Join(dir, "powershell.exe")); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("powershell.exe is neither on the PATH nor in %s", strings.Join(i.folders, " or "))
}
