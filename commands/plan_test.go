package commands

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cursor-ralph/cursor-ralph/internal/hint"
)

// home is an empty home folder with the options for it.
func home(t *testing.T) (string, Options) {
	t.Helper()
	dir := t.TempDir()
	o := linux()
	o.Folder = filepath.Join(dir, ".cursor")
	return dir, o
}

func write(t *testing.T, path, content string, mode fs.FileMode) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), mode), os.Chmod(path, mode)); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, path, target string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.Symlink(target, path)); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// tree is every file and folder with its mode and content.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		found[path] = info.Mode().String()
		if info.Mode().IsRegular() {
			found[path] += " " + read(t, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func install(t *testing.T, o Options) Change {
	t.Helper()
	c, err := Plan(o)
	if err == nil {
		err = c.Apply()
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func uninstall(t *testing.T, o Options) Change {
	t.Helper()
	c, err := PlanRemoval(Options{Folder: o.Folder, Project: o.Project})
	if err == nil {
		err = c.Apply()
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// checkIdentity installs, installs again with the same and with other options, and uninstalls.
func checkIdentity(t *testing.T, dir string, o Options) {
	t.Helper()
	before := tree(t, dir)
	install(t, o)
	installed := tree(t, dir)
	if c := install(t, o); len(c.Files)+len(c.Notes) > 0 {
		t.Errorf("installed twice: got %+v, want nothing", c)
	}
	if diff := cmp.Diff(installed, tree(t, dir)); diff != "" {
		t.Errorf("installed twice:\n%s", diff)
	}
	uninstall(t, o)
	if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
		t.Errorf("uninstalled:\n%s", diff)
	}
	if c := uninstall(t, o); len(c.Files)+len(c.Notes) > 0 {
		t.Errorf("uninstalled twice: got %+v, want nothing", c)
	}
}

func TestNoCopyOfTheUsersFilesIsMade(t *testing.T) {
	dir, o := home(t)
	write(t, o.hooksFile(), odd()["another stop hook"], 0o600)
	install(t, o)
	write(t, o.hooksFile(), strings.Replace(read(t, o.hooksFile()), "./mine.sh", "./new.sh", 1), 0o600)
	install(t, o)
	for path, content := range tree(t, dir) {
		if path != o.hooksFile() && (strings.Contains(content, "mine.sh") || strings.Contains(content, "new.sh")) {
			t.Errorf("got a copy, %s", path)
		}
	}
	uninstall(t, o)
	if got, want := read(t, o.hooksFile()), strings.Replace(odd()["another stop hook"], "./mine.sh", "./new.sh", 1); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAnEditedSlashCommandStays(t *testing.T) {
	_, o := home(t)
	install(t, o)
	path := filepath.Join(o.commandsFolder(), "ralph-loop.md")
	text := read(t, path)
	write(t, path, strings.Replace(text, "work on the task", "work hard on the task", 1), 0o644)
	if c := uninstall(t, o); len(c.Notes) != 1 || !strings.Contains(read(t, path), "work hard") {
		t.Errorf("got the notes %q", c.Notes)
	}
	install(t, o)
	if read(t, path) != text {
		t.Error("installing again kept the change, which that file says is lost")
	}
}

func TestLinksOfTheUserAreWrittenThrough(t *testing.T) {
	dir, o := home(t)
	target := filepath.Join(dir, "dotfiles", "hooks.json")
	write(t, target, odd()["tabs"], 0o644)
	link(t, o.hooksFile(), "../dotfiles/hooks.json")
	checkIdentity(t, dir, o)
	install(t, o)
	if got := read(t, target); !strings.Contains(got, hookName) {
		t.Errorf("got %s in the target of the link", got)
	}
}

func TestPlanRefuses(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		prepare    func(t *testing.T, o *Options)
	}{
		{"a file that does not parse", "hooks.json: does not parse: line 1, column 2", func(t *testing.T, o *Options) { write(t, o.hooksFile(), "{x", 0o644) }},
		{"a folder in its place", "is not a file", func(t *testing.T, o *Options) { write(t, filepath.Join(o.hooksFile(), "x"), "", 0o644) }},
		{"a file for the folder", "is not a folder", func(t *testing.T, o *Options) { write(t, o.Folder, "", 0o644) }},
		{"no parent", "folder for", func(t *testing.T, o *Options) { o.Folder = filepath.Join(o.Folder, "x", ".cursor") }},
		{"a broken link", "is a broken link", func(t *testing.T, o *Options) { link(t, o.hooksFile(), "nowhere") }},
		{"a link in a project", "is a symbolic link", func(t *testing.T, o *Options) {
			o.Project = true
			write(t, filepath.Join(o.Folder, "x"), "{}", 0o644)
			link(t, o.hooksFile(), "x")
		}},
		{"a linked folder in a project", "is a symbolic link", func(t *testing.T, o *Options) {
			o.Project = true
			link(t, o.Folder, t.TempDir())
		}},
		{"a huge file", "is too big", func(t *testing.T, o *Options) { write(t, o.hooksFile(), strings.Repeat(" ", maxSize+1), 0o644) }},
		{"somebody else's file", "belongs to another user", func(t *testing.T, o *Options) {
			write(t, o.hooksFile(), "{}", 0o644)
			giveAway(t, o.hooksFile())
		}},
		{"somebody else's folder", "belongs to another user", func(t *testing.T, o *Options) {
			write(t, o.hooksFile(), "{}", 0o644)
			giveAway(t, o.Folder)
		}},
		{"a relative folder", "is not an absolute path", func(_ *testing.T, o *Options) { o.Folder = ".cursor" }},
		{"a relative hook", "is not an absolute path", func(_ *testing.T, o *Options) { o.Hook = "cursor-ralph-hook" }},
		{"a relative hook on Windows", "is not an absolute path", func(_ *testing.T, o *Options) { o.OS, o.Hook = "windows", `\x\cursor-ralph-hook.exe` }},
		{"a renamed hook", "is not named cursor-ralph-hook", func(_ *testing.T, o *Options) { o.Hook = "/opt/hook" }},
		{"a newline in the path", "cannot be written", func(_ *testing.T, o *Options) { o.Hook = "/a\nb/cursor-ralph-hook" }},
		{"bytes that are no text", "cannot be written", func(_ *testing.T, o *Options) { o.Hook = "/a\xff/cursor-ralph-hook" }},
		{"a newline in the program", "cannot be written", func(_ *testing.T, o *Options) { o.Program = "a\nb" }},
		{"a command of the user's with our name", "is a command of your own", func(t *testing.T, o *Options) {
			write(t, filepath.Join(o.commandsFolder(), "ralph-loop.md"), "# my own\n", 0o600)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir, o := home(t)
			tt.prepare(t, &o)
			before := tree(t, dir)
			c, err := Plan(o)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got error %v, want %q in it", err, tt.want)
			}
			if hint.Of(err) == "" {
				t.Errorf("%v has no hint", err)
			}
			if err := c.Apply(); err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func giveAway(t *testing.T, path string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	if err := os.Chown(path, 12345, 12345); err != nil {
		t.Fatal(err)
	}
}

func TestAnEditBetweenPlanAndApplyStopsIt(t *testing.T) {
	_, o := home(t)
	write(t, o.hooksFile(), `{"version": 1, "hooks": {}}`, 0o644)
	c, err := Plan(o)
	if err != nil {
		t.Fatal(err)
	}
	write(t, o.hooksFile(), `{"mine": 1}`, 0o644)
	if err := c.Apply(); err == nil || !strings.Contains(err.Error(), "was changed") {
		t.Errorf("got error %v", err)
	}
	if got := read(t, o.hooksFile()); got != `{"mine": 1}` {
		t.Errorf("got %s", got)
	}
	if _, err := os.Stat(o.commandsFolder()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got error %v, want nothing written", err)
	}
}
