package platform

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
)

// DesktopKind is a kind of desktop: each needs another way of typing.
type DesktopKind string

// The kinds of desktops.
const (
	NoDesktop DesktopKind = "none"
	X11       DesktopKind = "x11"
	Wayland   DesktopKind = "wayland"
	MacOS     DesktopKind = "macos"
	Windows   DesktopKind = "windows"
	WSL       DesktopKind = "wsl"
)

// Desktop is where windows are shown and keys are typed.
type Desktop struct {
	Kind       DesktopKind
	Compositor string // of Wayland, if known: sway, gnome, kde, hyprland, ...
	XWayland   bool   // of Wayland: X11 programs run too
	WSL        int    // 1 or 2 on WSL, else 0
	SSH        bool   // this is a session from another machine
	Why        string // what decided about Kind, for people
}

// FindDesktop is DetectDesktop on this machine.
func FindDesktop(goos string, getenv func(string) string) Desktop {
	read := func(path string) (string, error) {
		data, err := os.ReadFile(path)
		return string(data), err
	}
	exists := func(path string) bool {
		_, err := os.Stat(path)
		return err == nil
	}
	return DetectDesktop(goos, getenv, read, exists)
}

// DetectDesktop returns the desktop of an environment. It reads files by read
// and looks for sockets by exists.
func DetectDesktop(goos string, getenv func(string) string, read func(path string) (string, error), exists func(path string) bool) Desktop {
	d := Desktop{SSH: getenv("SSH_CONNECTION") != "" || getenv("SSH_TTY") != ""}
	d.WSL = wslGeneration(goos, getenv, read, exists)
	d.XWayland = getenv("DISPLAY") != ""
	d.Compositor = compositor(getenv)
	d.Kind, d.Why = kindOfDesktop(goos, d, getenv, exists)
	if d.Kind != Wayland {
		d.XWayland, d.Compositor = false, ""
	}
	return d
}

// kindOfDesktop has the order in which things decide.
func kindOfDesktop(goos string, d Desktop, getenv func(string) string, exists func(string) bool) (DesktopKind, string) {
	wayland := waylandSocket(getenv)
	switch {
	case goos == "windows" && d.SSH:
		return NoDesktop, "this is a session over SSH, which has no desktop"
	case goos == "windows":
		return Windows, "this is Windows"
	case goos == "darwin" && d.SSH:
		return NoDesktop, "this is a session over SSH, which has no desktop"
	case goos == "darwin":
		return MacOS, "this is macOS"
	case d.WSL > 0:
		return WSL, "this is a WSL kernel: Cursor runs on Windows"
	case wayland != "" && exists(wayland):
		return Wayland, "WAYLAND_DISPLAY names an existing socket"
	case getenv("DISPLAY") != "":
		return X11, "DISPLAY is " + getenv("DISPLAY")
	case wayland != "":
		return NoDesktop, "WAYLAND_DISPLAY names a missing socket, and DISPLAY is not set"
	case d.SSH:
		return NoDesktop, "this is a session over SSH without a display"
	}
	return NoDesktop, "neither WAYLAND_DISPLAY nor DISPLAY is set"
}

// waylandSocket is the path of the compositor's socket, or empty. Source: wl_display_connect in libwayland.
func waylandSocket(getenv func(string) string) string {
	name := getenv("WAYLAND_DISPLAY")
	if name == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(cmp.Or(getenv("XDG_RUNTIME_DIR"), "/nonexistent"), name)
}

// compositor goes by a compositor's own variables, else by the desktop's name.
func compositor(getenv func(string) string) string {
	for _, mark := range []struct{ variable, name string }{
		{"SWAYSOCK", "sway"}, {"HYPRLAND_INSTANCE_SIGNATURE", "hyprland"}, {"NIRI_SOCKET", "niri"}, {"LABWC_PID", "labwc"},
		{"WAYFIRE_SOCKET", "wayfire"}, {"KDE_SESSION_VERSION", "kde"},
	} {
		if getenv(mark.variable) != "" {
			return mark.name
		}
	}
	names := strings.Split(strings.ToLower(getenv("XDG_CURRENT_DESKTOP")), ":")
	for _, name := range names {
		if name == "gnome" || name == "sway" || name == "kde" || name == "hyprland" || name == "cosmic" {
			return name
		}
	}
	return names[0]
}

// wslGeneration distinguishes WSL 1 (kernel 4.4.0-19041-Microsoft) from WSL 2
// (5.15.90.1-microsoft-standard-WSL2); source: Microsoft's wsl repository, issue
// 4555. A container on such a kernel cannot run Windows programs and does not
// count.
func wslGeneration(goos string, getenv func(string) string, read func(string) (string, error), exists func(string) bool) int {
	if goos != "linux" {
		return 0
	}
	release, err := read("/proc/sys/kernel/osrelease")
	release = strings.TrimSpace(release)
	switch {
	case err != nil || !strings.Contains(strings.ToLower(release), "microsoft"):
		return 0
	case getenv("WSL_DISTRO_NAME") == "" && !exists("/proc/sys/fs/binfmt_misc/WSLInterop"):
		return 0
	case strings.HasSuffix(release, "-Microsoft"):
		return 1
	}
	return 2
}

// HasDesktop reports whether there may be a desktop that shows notifications.
func HasDesktop(goos string, getenv func(string) string) bool {
	if goos == "windows" || goos == "darwin" {
		return true
	}
	return getenv("DISPLAY") != "" || getenv("WAYLAND_DISPLAY") != "" || getenv("DBUS_SESSION_BUS_ADDRESS") != ""
}
