//go:build !windows

package platform

import (
	"io/fs"
	"os"
	"syscall"
)

// defaultBase is /tmp and not $TMPDIR: the hook and the agent's shell need not
// have the same environment.
func defaultBase(func(string) string) string { return "/tmp" }

func ours(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
