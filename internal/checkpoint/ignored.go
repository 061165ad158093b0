package checkpoint

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/internal/proc"
)

// ignored returns those of the paths that the rules of a checkpoint ignore: its
// .gitignore files and its info/exclude. Git reads the rules from a work tree, so they
// are put into a folder of our own.
func (r *repo) ignored(ctx context.Context, at Checkpoint, m memo, paths []string) (map[string]bool, error) {
	found := map[string]bool{}
	if len(paths) == 0 {
		return found, nil
	}
	dir := filepath.Join(r.dir, "rules")
	if err := r.writeRules(ctx, dir, at, m, paths); err != nil {
		return nil, err
	}
	const here = "./" // so that no name begins with a colon, which has a meaning here
	git := r.ours.With([]string{"GIT_WORK_TREE=" + dir}, "--no-literal-pathspecs")
	out, err := git.Run(ctx, here+strings.Join(paths, "\x00"+here)+"\x00", "check-ignore", "-z", "--stdin", "--no-index")
	if none := (*proc.ExitError)(nil); err != nil && (!errors.As(err, &none) || none.Code != 1) {
		return nil, err
	}
	for _, name := range names(out) {
		found[strings.TrimPrefix(name, here)] = true
	}
	return found, os.RemoveAll(dir)
}

// writeRules writes the .gitignore files of a checkpoint that matter for the paths. Its info/exclude comes first in
// the topmost one, since later rules win.
func (r *repo) writeRules(ctx context.Context, dir string, at Checkpoint, m memo, paths []string) error {
	if err := errors.Join(os.RemoveAll(dir), ownfile.Folder(dir)); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close() // nothing is written to it
	rules, err := r.ruleFiles(ctx, at, paths)
	if err != nil {
		return err
	}
	for name, object := range rules {
		content, err := r.ours.Run(ctx, "", "cat-file", "blob", object)
		if err != nil {
			return err
		}
		if name == ignoreFile {
			content = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf")) // which git skips only at the start
			content = append([]byte(m.exclude+"\n"), content...)
		}
		name = filepath.FromSlash(name)
		err = errors.Join(root.MkdirAll(filepath.Dir(name), 0o700), root.WriteFile(name, content, 0o600))
		if err != nil {
			return err
		}
	}
	if rules[ignoreFile] == "" {
		return root.WriteFile(ignoreFile, []byte(m.exclude), 0o600)
	}
	return nil
}

const ignoreFile = ".gitignore"

// ruleFiles returns the objects of the .gitignore files that git would read for the paths.
func (r *repo) ruleFiles(ctx context.Context, at Checkpoint, paths []string) (map[string]string, error) {
	above := map[string]bool{".": true}
	for _, name := range paths {
		for dir := path.Dir(name); !above[dir]; dir = path.Dir(dir) {
			above[dir] = true
		}
	}
	out, err := r.ours.Run(ctx, "", "ls-tree", "-r", "-z", at.Commit)
	if err != nil {
		return nil, err
	}
	rules := map[string]string{}
	for _, entry := range names(out) {
		about, name, _ := strings.Cut(entry, "\t")
		f := strings.Fields(about) // mode, type, object
		if path.Base(name) == ignoreFile && above[path.Dir(name)] && len(f) == 3 && f[1] == "blob" && f[0] != link && isSafe(name) {
			rules[name] = f[2]
		}
	}
	return rules, nil
}

// inPlace says what is at a path of which no checkpoint knows anything; "" is nothing, or
// a folder.
func (f files) inPlace(name string) string {
	info, err := f.root.Lstat(filepath.FromSlash(name))
	switch {
	case err != nil || info.IsDir():
		return ""
	case info.Mode().IsRegular() || info.Mode()&fs.ModeSymlink != 0:
		return "ignored"
	}
	return "something other than a file is in its place"
}
