package checkpoint

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
)

// newIndex is our index before it is complete.
const newIndex = "index.new"

// prepare makes our index from the user's, unless there is one that belongs to earlier
// checkpoints of this repository. It knows when files were last seen, so that git need
// not read them all.
func (r *repo) prepare(ctx context.Context, again bool) error {
	if _, err := os.Lstat(r.ourIndex()); err == nil && again {
		return nil
	}
	if err := r.forgetIndex(); err != nil {
		return err
	}
	tracked, err := r.user.Run(ctx, "", "ls-files", "-z", "--cached")
	if err != nil {
		return err
	}
	seed := filepath.Join(r.dir, newIndex)
	ours := r.ours
	r.ours = ours.With([]string{"GIT_INDEX_FILE=" + seed})
	err = r.seed(ctx, seed, string(tracked))
	if err == nil {
		err = r.lookEverywhere(ctx)
	}
	r.ours = ours
	if err != nil {
		return errors.Join(err, os.Remove(seed))
	}
	if err := r.noteModes(names(tracked)); err != nil {
		return err
	}
	return ownfile.Rename(seed, r.ourIndex())
}

// seed copies the user's index. The files whose bytes on disk differ from their object,
// because git converts them, are added anew: with a split index, which is in several
// files, all are.
func (r *repo) seed(ctx context.Context, seed, tracked string) error {
	anew := names([]byte(tracked))
	err := copyFile(r.index, seed)
	switch {
	case errors.Is(err, fs.ErrNotExist): // nothing was ever added
		_, err = r.ours.Run(ctx, "", "read-tree", "--empty")
		return err
	case err != nil:
		return err
	}
	if _, err := r.ours.Run(ctx, "", "ls-files", "-z", "--cached", "--", ".git"); err == nil {
		if anew, err = r.converted(ctx, tracked); err != nil || len(anew) == 0 {
			return err
		}
	} else if _, err := r.ours.Run(ctx, "", "read-tree", "--empty"); err != nil {
		return err
	}
	anew = slices.DeleteFunc(anew, r.isFolder) // submodules
	if err := r.remove(ctx, anew); err != nil {
		return err
	}
	return r.update(ctx, r.sort(anew).there)
}

// lookEverywhere has git look at the files of which the user told it to assume that they
// never change.
func (r *repo) lookEverywhere(ctx context.Context) error {
	out, err := r.ours.Run(ctx, "", "ls-files", "-z", "-v", "--cached")
	if err != nil {
		return err
	}
	var assumed []string
	for _, entry := range names(out) {
		if tag, name, _ := strings.Cut(entry, " "); tag != strings.ToUpper(tag) {
			assumed = append(assumed, name)
		}
	}
	if len(assumed) == 0 {
		return nil
	}
	_, err = r.ours.Run(ctx, joined(assumed), "update-index", "-z", "--no-assume-unchanged", "--stdin")
	return err
}

func (r *repo) isFolder(name string) bool {
	info, err := os.Lstat(filepath.Join(r.user.Root(), filepath.FromSlash(name)))
	return err == nil && info.IsDir()
}

// copyFile copies a file with its time: an entry of an index that is not older than the
// index may be out of date.
func copyFile(from, to string) error {
	in, err := os.Open(from) // #nosec G304 -- the index that git names
	if err != nil {
		return err
	}
	defer in.Close() // only read
	info, err := in.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return errors.Join(err, fs.ErrInvalid)
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // #nosec G304 -- in our private folder
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close(), os.Chtimes(to, info.ModTime(), info.ModTime()))
}

// converting are the attributes by which git converts a file.
var converting = []string{"text", "crlf", "eol", "ident", "filter", "working-tree-encoding"}

// converted returns the tracked files that git converts, as the user's configuration and
// attributes say. It asks for the attributes and runs no filter.
func (r *repo) converted(ctx context.Context, tracked string) (list []string, err error) {
	out, err := r.user.Run(ctx, tracked, slices.Concat([]string{"check-attr", "-z", "--stdin"}, converting)...)
	if err != nil {
		return nil, err
	}
	auto := slices.Contains([]string{"true", "input", "yes", "on", "1"}, strings.ToLower(r.settings["core.autocrlf"]))
	fields := strings.Split(string(out), "\x00")
	for group := range slices.Chunk(fields, 3*len(converting)) {
		if len(group) < 3*len(converting) {
			break
		}
		values := map[string]string{}
		for a := range slices.Chunk(group, 3) {
			values[a[1]] = a[2]
		}
		if converts(values, auto) {
			list = append(list, group[0])
		}
	}
	return list, nil
}

// converts decides by the attributes of a file.
func converts(values map[string]string, auto bool) bool {
	is := func(name string) bool {
		return values[name] != "unspecified" && values[name] != "unset" && values[name] != ""
	}
	switch {
	case is("filter"), is("working-tree-encoding"), is("ident"):
		return true
	case values["text"] == "unset", values["text"] == "unspecified" && values["crlf"] == "unset":
		return false
	}
	return is("text") || is("crlf") || is("eol") || auto
}
