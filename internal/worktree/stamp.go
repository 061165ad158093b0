package worktree

import (
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/cursor-ralph/cursor-ralph/internal/git"
)

// deleted is the stamp of a missing file.
const deleted = "deleted"

// stamp describes what is at a path without reading it: a file that has the same stamp
// as before was not written. It does not follow symbolic links.
func stamp(path string) string {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return deleted
	case err != nil:
		return "unreadable"
	case info.IsDir():
		return "folder " + git.Nested(path)
	case info.Mode()&fs.ModeSymlink != 0:
		to, err := os.Readlink(path)
		if err != nil {
			return "unreadable"
		}
		return "link " + hashed(to)
	case !info.Mode().IsRegular():
		return "special"
	}
	executable := ""
	if info.Mode()&0o100 != 0 { // git calls this a change too
		executable = " x"
	}
	return fmt.Sprintf("%d bytes at %d%s", info.Size(), info.ModTime().UnixNano(), executable)
}

func stampsOf(paths []string) map[string]string {
	stamps := map[string]string{}
	for _, path := range paths {
		stamps[path] = stamp(path)
	}
	return stamps
}

// there returns the stamps of the files that exist.
func there(stamps map[string]string, paths []string) map[string]string {
	found := map[string]string{}
	for _, path := range paths {
		if stamp, ok := stamps[path]; ok && stamp != deleted {
			found[path] = stamp
		}
	}
	return found
}

// list returns the stamps of the first files. Names become valid UTF-8, because JSON
// would change invalid ones.
func list(stamps map[string]string, groups ...[]string) map[string]string {
	files := map[string]string{}
	for _, paths := range groups {
		for _, path := range paths {
			if stamp, ok := stamps[path]; ok && len(files) < most {
				files[strings.ToValidUTF8(path, "\ufffd")] = stamp
			}
		}
	}
	return files
}

// printOf returns a fingerprint of the stamps.
func printOf(head string, stamps map[string]string) string {
	all := strings.Builder{}
	all.WriteString(head)
	for _, path := range slices.Sorted(maps.Keys(stamps)) {
		all.WriteString("\x00" + path + "\x00" + stamps[path])
	}
	return hashed(all.String())
}

// hashed returns a hash, which hides text that others wrote.
func hashed(words string) string {
	hash := fnv.New128a()
	io.WriteString(hash, words) // never fails
	return hex.EncodeToString(hash.Sum(nil))
}
