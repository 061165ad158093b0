//go:build !windows

package config

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// notTheUsers tells why a file may have been written by somebody else. That of
// root is trusted, and so is a group, which on many systems is the user alone.
func notTheUsers(info fs.FileInfo) (why, hint string) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "", ""
	}
	if uid := int(stat.Uid); uid != os.Geteuid() && uid != 0 {
		return fmt.Sprintf("it belongs to user %d", uid), "make a file of your own"
	}
	if info.Mode().Perm()&0o002 != 0 {
		return "everybody can write it, so it may be anybody's", "look what is in it, then chmod o-w"
	}
	return "", ""
}
