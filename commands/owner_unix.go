//go:build unix

package commands

import (
	"io/fs"
	"os"
	"syscall"
)

func othersFile(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) != os.Geteuid()
}
