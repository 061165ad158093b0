// Package platform knows where we run: every path of ours, and what differs
// between operating systems. It reads and writes no file of ours.
package platform

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
)

// Places are the files and folders of cursor-ralph.
type Places struct {
	// Base is /tmp, literally, or the temporary folder on Windows.
	Base string
	// Archive holds a copy of every loop and the record of every ended one.
	Archive string

	name string // cursor-ralph, with -<uid> where another user has the plain names
}

// Find tells the places for an environment. CURSOR_RALPH_DIR replaces /tmp,
// CURSOR_RALPH_STATE_DIR the folder of the archive.
func Find(getenv func(string) string) (Places, error) {
	base, err := override(getenv, "CURSOR_RALPH_DIR", defaultBase)
	if err != nil {
		return Places{}, err
	}
	p := Places{Base: base, name: "cursor-ralph"}
	taken, unknown := p.taken()
	if taken {
		p = p.withUID()
	}
	p.Archive, err = override(getenv, "CURSOR_RALPH_STATE_DIR", func(getenv func(string) string) string {
		return stateFolder(runtime.GOOS, getenv, filepath.Join(p.Pending(), "archive"))
	})
	return p, errors.Join(unknown, err)
}

// withUID gives the names of a user who has to share the base folder.
func (p Places) withUID() Places {
	p.name = "cursor-ralph-" + strconv.Itoa(os.Geteuid())
	return p
}

// taken tells whether another user has our names in the base folder. What we
// have decides first, so that nobody can make us change names by adding files.
// What cannot be looked at is nobody's guess: a loop would begin under names
// that the next event does not look for.
func (p Places) taken() (bool, error) {
	plain, err := owner(p.Pending())
	if err != nil || plain != absent {
		return plain == other, err
	}
	private, err := owner(p.withUID().Pending())
	if err != nil || private == mine {
		return private == mine, err
	}
	log, err := owner(p.in(logName))
	return log == other, err
}

func override(getenv func(string) string, name string, byDefault func(func(string) string) string) (string, error) {
	v := getenv(name)
	if v == "" {
		return byDefault(getenv), nil
	}
	if !filepath.IsAbs(v) {
		return "", errors.New(name + " is not an absolute path: " + strconv.Quote(v))
	}
	return filepath.Clean(v), nil
}

// stateFolder follows the XDG base directory specification, which tells to
// ignore a relative path. Without a home folder the archive lies in fallback.
func stateFolder(goos string, getenv func(string) string, fallback string) string {
	if v := getenv("XDG_STATE_HOME"); filepath.IsAbs(v) {
		return filepath.Join(v, "cursor-ralph")
	}
	if v := getenv("LOCALAPPDATA"); goos == "windows" && v != "" {
		return filepath.Join(v, "cursor-ralph")
	}
	if v := getenv("HOME"); filepath.IsAbs(v) {
		return filepath.Join(v, ".local", "state", "cursor-ralph")
	}
	return fallback
}

// Pending is the folder for loops that were asked for. It is ours alone, so
// the locks lie in it too.
func (p Places) Pending() string { return p.in("-pending") }

// Scratch is where files are written before they get their names. It is not
// the pending folder itself, whose time then tells when a loop was asked for.
func (p Places) Scratch() string { return filepath.Join(p.Pending(), ".new") }

// Legacy is the one pending file of older tools.
func (p Places) Legacy() string { return p.in("-pending.json") }

// Live is the state file of a conversation, whose id was checked.
func (p Places) Live(id string) string { return p.in("-loop-" + id + ".json") }

// LivePattern matches the state files of all conversations. The id is what
// stands between the two parts.
func (p Places) LivePattern() (prefix, suffix string) { return p.name + "-loop-", ".json" }

// Journal is where hooks leave what they saw in a conversation with a loop.
func (p Places) Journal(id string) string { return p.in("-loop-" + id + ".journal") }

// LoopMode is the file that tells whether loop mode is on in a workspace. It
// cannot be a record of the archive: an id does not begin with a dot.
func (p Places) LoopMode(workspace string) string {
	prefix, suffix := p.LoopModePattern()
	h := fnv.New64a()
	h.Write([]byte(folderKey(runtime.GOOS, workspace)))
	return filepath.Join(p.Archive, fmt.Sprintf("%s%016x%s", prefix, h.Sum64(), suffix))
}

// LoopModePattern matches the names of these files of all workspaces.
func (p Places) LoopModePattern() (prefix, suffix string) { return ".loop-mode-", ".json" }

const logName = "-stop-hook.log"

// Log has a line for each decision. It goes by another name where somebody
// else put a file of its name after we had begun to use our names.
func (p Places) Log() string {
	if whose, _ := owner(p.in(logName)); whose == other { // one that cannot be looked at cannot be written, and that is told
		return p.withUID().in(logName)
	}
	return p.in(logName)
}

func (p Places) in(rest string) string { return filepath.Join(p.Base, p.name+rest) }

// ownership of a path: nobody's, ours or another user's.
type ownership int

const (
	absent ownership = iota
	mine
	other
)

func owner(path string) (ownership, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return absent, nil
	case err != nil:
		return absent, err
	case !ours(info):
		return other, nil
	}
	return mine, nil
}
