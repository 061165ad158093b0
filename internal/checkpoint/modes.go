package checkpoint

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
)

// modes are the permissions of files and, with a slash at the end, of folders that are
// narrower than those of a new file: a checkpoint knows one bit of them. Where it does
// not know that one (core.filemode=false), programs are here too. What is gone keeps its
// last ones, as a restore may bring it back.
type modes map[string]fs.FileMode

const modesFile = "modes"

func (r *repo) readModes() modes {
	m := modes{}
	data, _, _ := ownfile.Read(filepath.Join(r.dir, modesFile), 0) // there may be none yet
	for line := range strings.Lines(string(data)) {
		octal, quoted, _ := strings.Cut(strings.TrimSpace(line), " ")
		mode, err := strconv.ParseUint(octal, 8, 9)
		if name, bad := strconv.Unquote(quoted); err == nil && bad == nil {
			m[name] = fs.FileMode(mode)
		}
	}
	return m
}

// noteModes looks at files. A checkpoint does so with those that are new or changed: to
// look at all takes too long.
func (r *repo) noteModes(files []string) error {
	if len(files) == 0 || runtime.GOOS == "windows" { // where access lists decide
		return nil
	}
	usual, err := r.usual()
	if err != nil {
		return err
	}
	m, seen := r.readModes(), map[string]bool{".": true}
	was := maps.Clone(m)
	for _, name := range files {
		r.noteMode(m, name, usual)
		for dir := path.Dir(name); !seen[dir]; dir = path.Dir(dir) {
			seen[dir] = true
			r.noteMode(m, dir+"/", usual)
		}
	}
	if maps.Equal(was, m) {
		return nil
	}
	var b strings.Builder
	for name, mode := range m {
		fmt.Fprintf(&b, "%o %s\n", mode, strconv.QuoteToASCII(name))
	}
	return ownfile.Overwrite(filepath.Join(r.dir, modesFile), []byte(b.String()), 0o600)
}

// modesOf returns the modes for a restore, which may remove a file and bring it back.
func (r *repo) modesOf(changes []Change) (modes, error) {
	var files []string
	for _, c := range changes {
		files = append(files, c.Path)
	}
	err := r.noteModes(files)
	return r.readModes(), err
}

func (r *repo) noteMode(m modes, name string, usual fs.FileMode) {
	info, err := os.Lstat(filepath.Join(r.user.Root(), filepath.FromSlash(name)))
	if err != nil || info.IsDir() != strings.HasSuffix(name, "/") || !info.IsDir() && !info.Mode().IsRegular() {
		return
	}
	delete(m, name)
	unknown := !info.IsDir() && !r.has("core.filemode")
	if mode := info.Mode().Perm(); usual&^mode != 0 || unknown && mode&0o111 != 0 {
		m[name] = mode
	}
}

// usual returns the permissions of a new file.
func (r *repo) usual() (fs.FileMode, error) {
	name := filepath.Join(r.dir, "usual")
	if err := gone(os.Remove(name)); err != nil {
		return 0, err
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666) // #nosec G302 G304 -- empty, and only to see what the umask leaves
	if err != nil {
		return 0, err
	}
	defer os.Remove(name) // the next one does it otherwise
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	return info.Mode().Perm(), file.Close()
}

// permissions of a file are those of the one that it replaces, or else those that it had.
func (f files) permissions(path, mode string) (p fs.FileMode, known bool) {
	p, known = f.modes[filepath.ToSlash(path)]
	if info, err := f.root.Lstat(path); err == nil && info.Mode().IsRegular() {
		p, known = info.Mode().Perm(), true
	}
	switch {
	case !known:
		return withMode(0o666, mode), false
	case !f.bits:
		return p, true
	}
	return withMode(p, mode), true
}

// withMode makes a file executable, or not, for those who may read it.
func withMode(permissions fs.FileMode, mode string) fs.FileMode {
	if mode == program {
		return permissions | permissions&0o444>>2
	}
	return permissions &^ 0o111
}
