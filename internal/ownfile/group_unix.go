//go:build !windows

package ownfile

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// isOwnGroup reports whether a file's group has nobody in it but the user and
// administrators.
func isOwnGroup(info fs.FileInfo) bool {
	gid := int(info.Sys().(*syscall.Stat_t).Gid)
	return gid == 0 || gid == os.Getegid() && hasOnly(readAccounts("/etc/passwd"), readAccounts("/etc/group"), os.Geteuid(), gid)
}

// readAccounts returns nothing for a file that cannot be read: then the group counts
// as one with others in it, unless it has the user's own number.
func readAccounts(path string) []byte {
	const limit = 16 << 20
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close() // only read from
	data, _ := io.ReadAll(io.LimitReader(f, limit))
	return data
}

// hasOnly reports whether the user alone is in a group, by the files of the accounts.
// Users whom a directory service knows are not in the files; their own groups have
// their number.
func hasOnly(passwd, group []byte, uid, gid int) bool {
	user, listed := "", false
	for line := range bytes.Lines(passwd) { // name:password:uid:gid:...
		f := strings.Split(string(line), ":")
		if len(f) < 4 {
			continue
		}
		switch {
		case f[2] == strconv.Itoa(uid):
			user = f[0]
		case f[3] == strconv.Itoa(gid):
			return false
		}
	}
	for line := range bytes.Lines(group) { // name:password:gid:members
		f := strings.Split(strings.TrimSpace(string(line)), ":")
		if len(f) < 4 || f[2] != strconv.Itoa(gid) {
			continue
		}
		listed = true
		for member := range strings.SplitSeq(f[3], ",") {
			if member != "" && member != user {
				return false
			}
		}
	}
	if user == "" || !listed {
		return user == "" && !listed && uid == gid
	}
	return true
}
