package platform

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
)

func TestDetectDesktop(t *testing.T) {
	const wsl1, wsl2, plain = "4.4.0-19041-Microsoft\n", "5.15.90.1-microsoft-standard-WSL2\n", "6.1.0-18-amd64\n"
	const socket = "/run/user/1000/wayland-0"
	wayland := []string{"XDG_RUNTIME_DIR", "/run/user/1000", "WAYLAND_DISPLAY", "wayland-0"}
	const interop = "/proc/sys/fs/binfmt_misc/WSLInterop"
	distribution := []string{"WSL_DISTRO_NAME", "Debian"}
	with := func(env []string, more ...string) []string { return slices.Concat(env, more) }
	for _, c := range []struct {
		name, goos, kernel string
		env                []string
		files              []string
		want               Desktop
	}{
		{"X11", "linux", plain, []string{"DISPLAY", ":0"}, nil, Desktop{Kind: X11}},
		{"X11 over SSH", "linux", plain, []string{"DISPLAY", "localhost:10.0", "SSH_CONNECTION", "x"}, nil, Desktop{Kind: X11, SSH: true}},
		{"SSH alone", "linux", plain, []string{"SSH_TTY", "/dev/pts/1"}, nil, Desktop{SSH: true}},
		{"headless", "linux", plain, nil, nil, Desktop{}},
		{"Wayland alone", "linux", plain, wayland, []string{socket}, Desktop{Kind: Wayland}},
		{"Wayland with XWayland", "linux", plain, with(wayland, "DISPLAY", ":0", "SWAYSOCK", "/s"), []string{socket}, Desktop{Kind: Wayland, XWayland: true, Compositor: "sway"}},
		{"a socket by its whole path", "linux", plain, []string{"WAYLAND_DISPLAY", socket}, []string{socket}, Desktop{Kind: Wayland}},
		{"a stale WAYLAND_DISPLAY beside X11", "linux", plain, with(wayland, "DISPLAY", ":0"), nil, Desktop{Kind: X11}},
		{"a stale WAYLAND_DISPLAY alone", "linux", plain, wayland, nil, Desktop{}},
		{"WAYLAND_DISPLAY without a runtime folder", "linux", plain, []string{"WAYLAND_DISPLAY", "wayland-0"}, []string{"wayland-0"}, Desktop{}},
		{"GNOME", "linux", plain, with(wayland, "XDG_CURRENT_DESKTOP", "ubuntu:GNOME"), []string{socket}, Desktop{Kind: Wayland, Compositor: "gnome"}},
		{"KDE", "linux", plain, with(wayland, "KDE_SESSION_VERSION", "6"), []string{socket}, Desktop{Kind: Wayland, Compositor: "kde"}},
		{"Hyprland", "linux", plain, with(wayland, "HYPRLAND_INSTANCE_SIGNATURE", "x"), []string{socket}, Desktop{Kind: Wayland, Compositor: "hyprland"}},
		{"one that nobody knows", "linux", plain, with(wayland, "XDG_CURRENT_DESKTOP", "Foo"), []string{socket}, Desktop{Kind: Wayland, Compositor: "foo"}},
		{"WSL 1", "linux", wsl1, distribution, nil, Desktop{Kind: WSL, WSL: 1}},
		{"WSL 2", "linux", wsl2, nil, []string{interop}, Desktop{Kind: WSL, WSL: 2}},
		{"a container on the kernel of WSL", "linux", wsl2, []string{"DISPLAY", ":0"}, nil, Desktop{Kind: X11}},
		{"WSL 2 with WSLg", "linux", wsl2, with(wayland, "DISPLAY", ":0"), []string{socket, interop}, Desktop{Kind: WSL, WSL: 2}},
		{"a kernel that cannot be read", "linux", "", []string{"DISPLAY", ":0"}, nil, Desktop{Kind: X11}},
		{"FreeBSD", "freebsd", wsl2, []string{"DISPLAY", ":0"}, nil, Desktop{Kind: X11}},
		{"macOS", "darwin", "", []string{"DISPLAY", ":0"}, nil, Desktop{Kind: MacOS}},
		{"macOS over SSH", "darwin", "", []string{"SSH_CONNECTION", "x"}, nil, Desktop{SSH: true}},
		{"Windows", "windows", "", nil, nil, Desktop{Kind: Windows}},
		{"Windows over SSH", "windows", "", []string{"SSH_CONNECTION", "x"}, nil, Desktop{SSH: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			read := func(path string) (string, error) {
				if path != "/proc/sys/kernel/osrelease" || c.kernel == "" {
					return "", fs.ErrNotExist
				}
				return c.kernel, nil
			}
			exists := func(path string) bool { return slices.Contains(c.files, path) }
			got := DetectDesktop(c.goos, env(c.env...), read, exists)
			if c.want.Kind == "" {
				c.want.Kind = NoDesktop
			}
			if got.Why == "" || strings.Contains(got.Why, "\n") {
				t.Errorf("got the reason %q, want one line", got.Why)
			}
			got.Why = ""
			if got != c.want {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
		})
	}
}
