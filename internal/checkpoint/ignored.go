package checkpoint

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/internal/worktree"
)

// ignored returns those of the paths that the rules of a checkpoint ignore: its
// .gitignore files and its info/exclude. Git reads the rules from a work tree, so they
// are put into a folder of our own.
func (r *repo) ignored(ctx context.Context, at Checkpoint, m memo, paths []string) (map[string]bool, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	dir := filepath.Join(r.dir, "rules")
	if err := r.writeRules(ctx, dir, at, m, paths); err != nil {
		return nil, err
	}
	found, err := checkIgnore(ctx, r.ours.With([]string{"GIT_WORK_TREE=" + dir}), paths, "--no-index")
	return found, errors.Join(err, os.RemoveAll(dir))
}

// checkIgnore returns those of the paths that git ignores.
func checkIgnore(ctx context.Context, git worktree.Runner, paths []string, options ...string) (map[string]bool, error) {
	const here = "./" // so that no name begins with a colon, which has a meaning here
	found := map[string]bool{}
	if len(paths) == 0 {
		return found, nil
	}
	git = git.With(nil, "--no-literal-pathspecs")
	out, err := git.Run(ctx, here+strings.Join(paths, "\x00"+here)+"\x00", append([]string{"check-ignore", "-z", "--stdin"}, options...)...)
	if none := (*proc.ExitError)(nil); err != nil && (!errors.As(err, &none) || none.Code != 1) {
		return nil, err
	}
	for _, name := range names(out) {
		found[strings.TrimPrefix(name, here)] = true
	}
	return found, nil
}

// takeRules takes the ignored .gitignore files, as a Python environment has one that
// ignores itself, out of a list of files. No tree has their rules.
func (r *repo) takeRules(ctx context.Context, list []string) (rest []string, rules map[string]string, err error) {
	links, rules := map[string]bool{}, map[string]string{}
	var asked []string
	for _, name := range list {
		if strings.Contains(name, ignoreFile) && !r.isLinked(path.Dir(name), links) {
			asked = append(asked, name)
		}
	}
	ignored, err := checkIgnore(ctx, r.ours, asked)
	if err != nil {
		return nil, nil, err
	}
	for name := range ignored {
		file := filepath.Join(r.user.Root(), filepath.FromSlash(name))
		info, err := os.Lstat(file)
		if isRules(name) && err == nil && info.Mode().IsRegular() && info.Size() <= largestRules {
			content, _ := os.ReadFile(file) // #nosec G304 -- rules that git reads too; without them it is as before
			rules[name] = string(content)
		}
	}
	return slices.DeleteFunc(list, func(name string) bool { return ignored[name] }), rules, nil
}

// largestRules is the size of rules that are noted.
const largestRules = 64 << 10

// isRules reports whether a path is that of a .gitignore file.
func isRules(name string) bool {
	return path.Base(name) == ignoreFile && !strings.Contains(path.Dir(name), ignoreFile) && isSafe(name)
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
	rules, err := r.rules(ctx, at, m, paths)
	if err != nil {
		return err
	}
	top := strings.TrimPrefix(rules[ignoreFile], "\xef\xbb\xbf") // which git skips only at the start
	rules[ignoreFile] = m.exclude + "\n" + top
	for name, content := range rules {
		name = filepath.FromSlash(name)
		err = errors.Join(root.MkdirAll(filepath.Dir(name), 0o700), root.WriteFile(name, []byte(content), 0o600))
		if err != nil {
			return err
		}
	}
	return nil
}

// rules returns the .gitignore files of a checkpoint: those of its tree that git would
// read for the paths, and those that were ignored.
func (r *repo) rules(ctx context.Context, at Checkpoint, m memo, paths []string) (map[string]string, error) {
	rules := map[string]string{}
	for name, content := range m.rules {
		if isRules(name) {
			rules[name] = content
		}
	}
	tracked, err := r.ruleFiles(ctx, at, paths)
	if err != nil {
		return nil, err
	}
	for name, object := range tracked {
		content, err := r.ours.Run(ctx, "", "cat-file", "blob", object)
		if err != nil {
			return nil, err
		}
		rules[name] = string(content)
	}
	return rules, nil
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
		if isRules(name) && above[path.Dir(name)] && len(f) == 3 && f[1] == "blob" && f[0] != link {
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
