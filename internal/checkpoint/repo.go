package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/internal/worktree"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// repo is the repository of a loop's workspace.
type repo struct {
	loop loop.State
	user worktree.Runner // with the repository's own configuration: for references, and to ask
	ours worktree.Runner // with our own, and with our index
	dir  string          // our git folder, without objects and references

	index    string            // the user's
	objects  string            // the folder of the repository's objects
	exclude  string            // what the repository's info/exclude says
	settings map[string]string // of the repository, by name
}

// copied are the settings that say how files are on this disk, and who may write the
// objects. Nothing else of the repository's configuration reaches our git.
var copied = []string{
	"core.filemode", "core.symlinks", "core.ignorecase", "core.precomposeunicode", "core.protecthfs", "core.protectntfs",
	"core.longpaths", "core.trustctime", "core.checkstat", "core.excludesfile", "core.sharedrepository",
}

// attributes keep each file as it is. Nothing goes before a git folder's own attributes.
const attributes = "* -text -ident -filter -working-tree-encoding\n"

// user opens a loop's repository for what needs no index.
func (p Places) user(l loop.State) (*repo, error) {
	user, err := worktree.NewRunner(l.Workspace, p.Env)
	if err != nil {
		return nil, err
	}
	return &repo{loop: l, user: user.With(nil, "-c", "core.logAllRefUpdates=false")}, nil
}

// open opens a loop's repository, and makes the folder of our own git.
func (p Places) open(ctx context.Context, l loop.State) (*repo, error) {
	r, err := p.user(l)
	if err != nil {
		return nil, err
	}
	// The first call also fails for a repository that git does not trust.
	out, err := r.user.Run(ctx, "", "rev-parse", "--git-path", "objects", "--git-path", "index", "--git-path", "info/exclude")
	if err != nil {
		return nil, err
	}
	paths := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(paths) != 3 {
		return nil, errors.New("the repository's path has a line break in it")
	}
	for i, path := range paths {
		if path = filepath.FromSlash(path); !filepath.IsAbs(path) {
			path = filepath.Join(r.user.Root(), path)
		}
		paths[i] = path
	}
	if err := r.configure(ctx); err != nil {
		return nil, err
	}
	r.dir, r.objects, r.index = p.dir(l), paths[0], paths[1]
	exclude, _ := os.ReadFile(paths[2]) // #nosec G304 -- the user's own info/exclude; most have none
	r.exclude = string(exclude)
	if err := r.furnish(); err != nil {
		return nil, err
	}
	// With core.sparseCheckout, git looks at files that are there although the index says that they are not.
	options := []string{"-c", "core.sparseCheckout=true", "-c", "core.fsmonitor=false", "-c", "core.splitIndex=false", "-c", "core.untrackedCache=false", "-c", "commit.gpgSign=false", "-c", "gc.auto=0"}
	for _, name := range copied {
		if value, ok := r.settings[name]; ok {
			options = append(options, "-c", name+"="+value)
		}
	}
	r.ours = r.user.With([]string{
		"GIT_DIR=" + r.dir, "GIT_INDEX_FILE=" + r.ourIndex(), "GIT_OBJECT_DIRECTORY=" + r.objects, "GIT_OPTIONAL_LOCKS=1",
		"GIT_AUTHOR_NAME=cursor-ralph", "GIT_AUTHOR_EMAIL=cursor-ralph@localhost",
		"GIT_COMMITTER_NAME=cursor-ralph", "GIT_COMMITTER_EMAIL=cursor-ralph@localhost",
	}, options...)
	return r, nil
}

// configure reads the settings.
func (r *repo) configure(ctx context.Context) error {
	out, err := r.user.Run(ctx, "", "config", "-z", "--get-regexp", `^(core|extensions|remote\..*)\.[a-z]*$`)
	if none := (*proc.ExitError)(nil); err != nil && (!errors.As(err, &none) || none.Code != 1) {
		return err
	}
	r.settings = map[string]string{}
	for entry := range strings.SplitSeq(string(out), "\x00") {
		name, value, given := strings.Cut(entry, "\n")
		if !given {
			value = "true"
		}
		if strings.HasPrefix(name, "remote.") && strings.HasSuffix(name, ".promisor") {
			name = "extensions.partialclone"
		}
		r.settings[name] = value
	}
	return nil
}

// has reports what a setting says about files here. Git assumes that it is true.
func (r *repo) has(setting string) bool {
	return !slices.Contains([]string{"false", "no", "off", "0"}, strings.ToLower(r.settings[setting]))
}

// furnish writes what makes a folder a git folder. What is right already stays.
func (r *repo) furnish() error {
	for _, dir := range []string{"objects", "refs", "info"} {
		if err := ownfile.Folder(filepath.Join(r.dir, dir)); err != nil {
			return err
		}
	}
	config := "[core]\n\trepositoryformatversion = 0\n"
	if format := r.settings["extensions.objectformat"]; format == "sha256" {
		config = "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectFormat = sha256\n"
	}
	for name, content := range map[string]string{"HEAD": "ref: refs/heads/none\n", "config": config, "info/attributes": attributes, "info/exclude": r.exclude, workspaceFile: r.loop.Workspace} {
		path := filepath.Join(r.dir, filepath.FromSlash(name))
		if is, _, err := ownfile.Read(path, 0); err == nil && string(is) == content {
			continue
		}
		if err := ownfile.Overwrite(path, []byte(content), 0o600); err != nil {
			return err
		}
	}
	return nil
}

func (p Places) dir(l loop.State) string { return filepath.Join(p.Folder, l.ShortID()) }

func (r *repo) ourIndex() string { return filepath.Join(r.dir, "index") }

// forgetIndex has the next checkpoint begin with the user's index again.
func (r *repo) forgetIndex() error {
	if err := ownfile.Remove(r.ourIndex()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

const lockSlots = 64

// lock keeps two processes from making checkpoints of one loop at once, and removes
// what a killed one left.
func (p Places) lock(ctx context.Context, l loop.State) (release func() error, err error) {
	for _, dir := range []string{filepath.Dir(p.Folder), p.Folder, p.dir(l)} {
		if err := ownfile.Folder(dir); err != nil {
			return nil, err
		}
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(l.ShortID())) // a hash accepts everything
	release, err = ownfile.Lock(ctx, filepath.Join(p.Folder, fmt.Sprintf(".%02d.lock", h.Sum32()%lockSlots)))
	if err != nil {
		return nil, err
	}
	for _, left := range []string{"index.lock", newIndex, newIndex + ".lock"} {
		if err := os.Remove(filepath.Join(p.dir(l), left)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, errors.Join(err, release())
		}
	}
	return release, nil
}

// tree writes the index as a tree. Where objects may be missing, as in a partial clone,
// git would try to fetch them.
func (r *repo) tree(ctx context.Context) (string, error) {
	args := []string{"write-tree"}
	if _, partial := r.settings["extensions.partialclone"]; partial {
		args = append(args, "--missing-ok")
	}
	out, err := r.ours.Run(ctx, "", args...)
	return strings.TrimSpace(string(out)), err
}

// names splits a list that git printed with -z.
func names(out []byte) []string {
	return slices.DeleteFunc(strings.Split(string(out), "\x00"), func(name string) bool { return name == "" })
}

func joined(list []string) string { return strings.Join(list, "\x00") + "\x00" }
