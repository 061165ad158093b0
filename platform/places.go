// Package platform knows where we run: all our paths, and which desktop there is.
// It reads and writes none of these files, and starts no program.
//
// goos is a runtime.GOOS, and getenv is usually os.Getenv: with other values a test
// asks for another system. Find returns an error if there is no place for the files.
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

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
)

// Places are the files and folders of cursor-ralph.
type Places struct {
	// Base is /tmp, literally, or the temporary folder on Windows.
	Base string
	// Archive is the state folder: the records of all loops.
	Archive string

	name string // cursor-ralph, with -<uid> where another user has the plain names
}

// Find returns the places for an environment. CURSOR_RALPH_DIR replaces /tmp,
// CURSOR_RALPH_STATE_DIR the folder of the archive.
func Find(getenv func(string) string) (Places, error) {
	base, err := override(getenv, "CURSOR_RALPH_DIR", defaultBase())
	if err != nil {
		return Places{}, err
	}
	p := Places{Base: base, name: "cursor-ralph"}
	taken, unknown := p.areTaken()
	if taken {
		p = p.withUID()
	}
	p.Archive, err = override(getenv, "CURSOR_RALPH_STATE_DIR", stateFolder(runtime.GOOS, getenv, filepath.Join(p.Pending(), "archive")))
	return p, errors.Join(unknown, err)
}

// withUID returns the names of a user who has to share the base folder.
func (p Places) withUID() Places {
	p.name = "cursor-ralph-" + strconv.Itoa(os.Geteuid())
	return p
}

// areTaken reports whether another user has our names in the base folder. Our
// own files decide first, so that adding files cannot make us change names. An
// error is no reason to change them: the next event would look for the loop under
// the other names.
func (p Places) areTaken() (bool, error) {
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

func override(getenv func(string) string, name, byDefault string) (string, error) {
	v := getenv(name)
	if v == "" {
		return byDefault, nil
	}
	if !filepath.IsAbs(v) {
		return "", errors.New(name + " is not an absolute path: " + strconv.Quote(v))
	}
	return filepath.Clean(v), nil
}

// stateFolder follows the XDG base directory specification, which ignores
// relative paths. Without a home folder it is fallback.
func stateFolder(goos string, getenv func(string) string, fallback string) string {
	if v := getenv("XDG_STATE_HOME"); filepath.IsAbs(v) {
		return filepath.Join(v, "cursor-ralph")
	}
	if v := getenv("LOCALAPPDATA"); goos == "windows" && v != "" {
		return filepath.Join(v, "cursor-ralph")
	}
	if v := Home(goos, getenv); filepath.IsAbs(v) {
		return filepath.Join(v, ".local", "state", "cursor-ralph")
	}
	return fallback
}

// ConfigFile is the user's file of settings, or empty without a home folder. It
// follows the XDG base directory specification, also on macOS.
func ConfigFile(goos string, getenv func(string) string) string {
	for _, dir := range []string{getenv("XDG_CONFIG_HOME"), appData(goos, getenv)} {
		if filepath.IsAbs(dir) {
			return filepath.Join(dir, "cursor-ralph", "config.toml")
		}
	}
	if home := Home(goos, getenv); filepath.IsAbs(home) {
		return filepath.Join(home, ".config", "cursor-ralph", "config.toml")
	}
	return ""
}

// CursorLogs is the folder of Cursor's own logs, or empty without a home folder.
// Users reported where it is.
func CursorLogs(goos string, getenv func(string) string) string {
	const logs = "Cursor/logs"
	home := getenv("HOME")
	switch config := getenv("XDG_CONFIG_HOME"); {
	case goos == "windows":
		home = appData(goos, getenv)
	case goos == "darwin" && home != "":
		home = filepath.Join(home, "Library", "Application Support")
	case filepath.IsAbs(config):
		home = config
	case home != "":
		home = filepath.Join(home, ".config")
	}
	if !filepath.IsAbs(home) {
		return ""
	}
	return filepath.Join(home, filepath.FromSlash(logs))
}

func appData(goos string, getenv func(string) string) string {
	if goos != "windows" {
		return ""
	}
	return getenv("APPDATA")
}

// Home is the user's home folder, or empty if the environment names none.
func Home(goos string, getenv func(string) string) string {
	if goos == "windows" {
		return getenv("USERPROFILE")
	}
	return getenv("HOME")
}

// Pending is the folder for requested loops. It is private, so the locks lie in
// it too.
func (p Places) Pending() string { return p.in("-pending") }

// Scratch is where files are written before they get their names. It is not the
// pending folder itself, whose time is that of the newest request.
func (p Places) Scratch() string { return filepath.Join(p.Pending(), ".new") }

// WatcherLock is held by the user's watcher process.
func (p Places) WatcherLock() string { return filepath.Join(p.Pending(), ".watcher.lock") }

// Undecided is touched when the user is told that a stop could not be decided.
func (p Places) Undecided() string { return filepath.Join(p.Pending(), ".undecided") }

// Live is the state file of a conversation. The caller has checked the id.
func (p Places) Live(id string) string { return p.in("-loop-" + id + ".json") }

// Records is the folder of the records of loops.
func (p Places) Records() string { return filepath.Join(p.Archive, "loops") }

// Record is the record of a loop, by the loop's own id.
func (p Places) Record(id string) string { return filepath.Join(p.Records(), id+".json") }

// Looks is the folder of git folders that exist only while git looks at a work tree.
// Like the copies, they are no files for /tmp, where an agent in a sandbox can write.
func (p Places) Looks() string { return filepath.Join(p.Archive, "looks") }

// Copies is the folder of the copies of work trees that reviewers get.
func (p Places) Copies() string { return filepath.Join(p.Archive, "copies") }

// Events is where hooks note which events they decide.
func (p Places) Events() string { return filepath.Join(p.Archive, "events") }

// Chat is the file that names the loop of a conversation that has not ended.
func (p Places) Chat(id string) string { return filepath.Join(p.Archive, "chats", id) }

// Checkpoints is the folder of what git needs for the checkpoints of loops.
func (p Places) Checkpoints() string { return filepath.Join(p.Archive, "checkpoints") }

// LivePattern matches the state files of all conversations. The id stands
// between the two parts.
func (p Places) LivePattern() (prefix, suffix string) { return p.name + "-loop-", ".json" }

// Journal is where the hooks record events of a conversation with a loop.
func (p Places) Journal(id string) string { return p.in("-loop-" + id + ".journal") }

// RunLock is held by the process that drives a loop outside of Cursor. It does
// not lie in the workspace, where an agent or git clean may remove it.
func (p Places) RunLock(id string) string { return filepath.Join(p.Pending(), ".run-"+id+".lock") }

// LoopMode is the file with a workspace's loop mode. It cannot be a record of
// the archive: an id does not begin with a dot.
func (p Places) LoopMode(workspace string) string {
	prefix, suffix := p.LoopModePattern()
	h := fnv.New64a()
	h.Write([]byte(folderKey(runtime.GOOS, workspace)))
	return filepath.Join(p.Archive, fmt.Sprintf("%s%016x%s", prefix, h.Sum64(), suffix))
}

// LoopModePattern matches the loop mode files of all workspaces.
func (p Places) LoopModePattern() (prefix, suffix string) { return ".loop-mode-", ".json" }

const logName = "-stop-hook.log"

// Log has a line for each decision. It has another name where another user has
// its name, or one that its rotation needs: the log would grow for ever.
func (p Places) Log() string {
	for _, name := range []string{logName, logName + ".lock", logName + ".1"} {
		if whose, _ := owner(p.in(name)); whose == other { // after an error the log cannot be written, which is reported
			return p.withUID().in(logName)
		}
	}
	return p.in(logName)
}

func (p Places) in(rest string) string { return filepath.Join(p.Base, p.name+rest) }

// ownership of a path.
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
	case !ownfile.IsOurs(info):
		return other, nil
	}
	return mine, nil
}
