//go:build !linux

package wayland

import "os/exec"

// diesWithUs does nothing: Wayland desktops outside Linux are rare.
func diesWithUs(*exec.Cmd) {}
