//go:build !windows

package platform

// defaultBase is /tmp and not $TMPDIR: the hook and the agent's shell need not
// have the same environment.
func defaultBase() string { return "/tmp" }
