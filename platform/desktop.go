package platform

// DesktopKind is what kind of desktop there is, as far as typing is concerned.
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
	SSH        bool   // we were called from another machine
	Why        string // what it was told by
}
