package checkpoint

import (
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/git"
	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/internal/proc"
)

// What was ignored when the loop began stays out of its checkpoints, whatever the rules
// say later: an agent that empties .gitignore must not bring the user's secrets into
// them, or before a reviewer. So the rules of the beginning are kept in a folder of
// their own, where git reads them as those of another work tree.
const (
	rulesFolder = "rules"
	thenFolder  = "then" // a git folder that knows nothing of the repository's rules of now
	ignoreFile  = ".gitignore"
	mostRules   = 1 << 20 // bytes of one file
)

// keepRules copies the rules, if that has not been done.
func (r *repo) keepRules(ctx context.Context) error {
	if _, err := os.Lstat(r.in(rulesFolder)); err == nil {
		return nil
	}
	rules, err := r.rules(ctx)
	if err != nil {
		return err
	}
	unfinished := r.in(rulesFolder + ".new")
	if err := ownfile.Folder(unfinished); err != nil {
		return err
	}
	root, err := os.OpenRoot(unfinished)
	if err != nil {
		return err
	}
	defer root.Close() // nothing is written to it
	for name, content := range rules {
		name = filepath.FromSlash(name)
		if err := errors.Join(root.MkdirAll(filepath.Dir(name), 0o700), root.WriteFile(name, content, 0o600)); err != nil {
			return err
		}
	}
	return ownfile.Rename(unfinished, r.in(rulesFolder))
}

// rules returns all .gitignore files, also those that ignore themselves, as a Python
// environment has one. The repository's other rules come first in the topmost one, since
// later rules win.
func (r *repo) rules(ctx context.Context) (map[string][]byte, error) {
	out, err := r.git.With(nil, "--no-literal-pathspecs").Run(ctx, "", "ls-files", "-z", "--cached", "--others",
		"--exclude-standard", "--exclude=!"+ignoreFile, "--", ":(glob)**/"+ignoreFile)
	if err != nil {
		return nil, err
	}
	rules, links := map[string][]byte{}, map[string]string{}
	for _, name := range git.Names(out) {
		if path.Base(name) == ignoreFile && isSafe(name) && r.linkAbove(name, links) == "" {
			rules[name] = readSmall(filepath.Join(r.user.Root, filepath.FromSlash(name)))
		}
	}
	first := readSmall(r.user.Setting("core.excludesfile"))              // the user's own is not the agent's to change
	top := strings.TrimPrefix(string(rules[ignoreFile]), "\xef\xbb\xbf") // which git skips only at the start
	rules[ignoreFile] = []byte(string(first) + "\n" + r.user.Exclude() + "\n" + top)
	return rules, nil
}

func readSmall(file string) []byte {
	f, err := git.OpenFile(file)
	if err != nil {
		return nil
	}
	defer f.Close() // only read
	content := make([]byte, mostRules)
	n, _ := f.Read(content) // what cannot be read has no rules for git either
	return content[:n]
}

// ignoredAtBeginning returns those of the paths that the rules of the beginning ignore.
func (r *repo) ignoredAtBeginning(ctx context.Context, paths []string) (map[string]bool, error) {
	const here = "./" // so that no name begins with a colon, which has a meaning here
	found := map[string]bool{}
	if len(paths) == 0 {
		return found, nil
	}
	then, err := r.user.Without("core.excludesfile").In(r.in(thenFolder), "", "")
	if err != nil {
		return nil, err
	}
	out, err := then.With([]string{"GIT_WORK_TREE=" + r.in(rulesFolder)}, "--no-literal-pathspecs").Run(ctx, here+strings.Join(paths, "\x00"+here)+"\x00", "check-ignore", "-z", "--stdin", "--no-index")
	if none := (*proc.ExitError)(nil); err != nil && (!errors.As(err, &none) || none.Code != 1) {
		return nil, err
	}
	for _, name := range git.Names(out) {
		found[strings.TrimPrefix(name, here)] = true
	}
	return found, nil
}
