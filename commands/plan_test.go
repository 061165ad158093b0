package commands

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

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
	install(t, typed(minimal(o)))
	install(t, o)
	uninstall(t, o)
	if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
		t.Errorf("uninstalled:\n%s", diff)
	}
	if c := uninstall(t, o); len(c.Files)+len(c.Notes) > 0 {
		t.Errorf("uninstalled twice: got %+v, want nothing", c)
	}
}

func TestUninstallLeavesEverythingAsItWas(t *testing.T) {
	for name, prepare := range map[string]func(t *testing.T, o Options){
		"no folder": func(*testing.T, Options) {},
		"an empty folder": func(t *testing.T, o Options) {
			if err := os.Mkdir(o.Folder, 0o700); err != nil {
				t.Fatal(err)
			}
		},
		"an empty commands folder": func(t *testing.T, o Options) {
			if err := os.MkdirAll(o.commandsFolder(), 0o755); err != nil {
				t.Fatal(err)
			}
		},
		"other files": func(t *testing.T, o Options) {
			write(t, filepath.Join(o.Folder, "mcp.json"), "{}", 0o600)
			write(t, filepath.Join(o.commandsFolder(), "mine.md"), "# mine", 0o644)
		},
		"a command of the same name": func(t *testing.T, o Options) {
			write(t, filepath.Join(o.commandsFolder(), "ralph-loop.md"), "# my own\r\n", 0o600)
		},
		"a private hooks.json": func(t *testing.T, o Options) { write(t, o.hooksFile(), odd()["CRLF"], 0o600) },
		"a read-only hooks.json": func(t *testing.T, o Options) {
			if runtime.GOOS == "windows" {
				t.Skip("Windows does not replace read-only files")
			}
			write(t, o.hooksFile(), odd()["tabs"], 0o444)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, o := home(t)
			prepare(t, o)
			checkIdentity(t, dir, o)
		})
	}
}

func TestTheBackupIsTheFileWithoutUs(t *testing.T) {
	_, o := home(t)
	backup := o.hooksFile() + backupSuffix
	write(t, o.hooksFile(), odd()["another stop hook"], 0o600)
	install(t, o)
	if got := read(t, backup); got != odd()["another stop hook"] {
		t.Errorf("got %s", got)
	}
	if info, err := os.Stat(backup); err != nil || info.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
		t.Errorf("got mode %v, error %v, want 0600", info.Mode(), err)
	}
	write(t, o.hooksFile(), strings.Replace(read(t, o.hooksFile()), "./mine.sh", "./new.sh", 1), 0o600)
	install(t, o)
	want := strings.Replace(odd()["another stop hook"], "./mine.sh", "./new.sh", 1)
	if got := read(t, backup); got != want {
		t.Errorf("after an edit got %s, want %s", got, want)
	}
	uninstall(t, o)
	if got := read(t, o.hooksFile()); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestABackupOfARemovedHooksFileIsKept(t *testing.T) {
	_, o := home(t)
	write(t, o.hooksFile(), odd()["tabs"], 0o644)
	install(t, o)
	if err := os.Remove(o.hooksFile()); err != nil {
		t.Fatal(err)
	}
	install(t, o)
	uninstall(t, o)
	kept, err := filepath.Glob(filepath.Join(o.Folder, "*"))
	if err != nil || len(kept) != 1 || !strings.Contains(kept[0], ".cursor-ralph-kept-") || read(t, kept[0]) != odd()["tabs"] {
		t.Errorf("got %q, error %v, want the copy alone", kept, err)
	}
}

func TestAnEditedSlashCommandIsKept(t *testing.T) {
	for name, act := range map[string]func(*testing.T, Options) Change{"install": install, "uninstall": uninstall} {
		t.Run(name, func(t *testing.T) {
			_, o := home(t)
			install(t, o)
			path := filepath.Join(o.commandsFolder(), "ralph-loop.md")
			text := strings.Replace(read(t, path), "Work on the task", "Work hard on the task", 1)
			write(t, path, text, 0o644)
			c := act(t, o)
			kept, err := filepath.Glob(path + ".cursor-ralph-kept-*")
			if err != nil || len(kept) != 1 || read(t, kept[0]) != text || len(c.Notes) != 1 {
				t.Errorf("got %q, notes %q, error %v, want one copy", kept, c.Notes, err)
			}
		})
	}
}

func TestALaterCommandOfTheUsersOwnStays(t *testing.T) {
	_, o := home(t)
	path := filepath.Join(o.commandsFolder(), "ralph-loop.md")
	write(t, path, "first", 0o644)
	install(t, o)
	write(t, path, "second", 0o644)
	install(t, o)
	uninstall(t, o)
	if got := read(t, path); got != "second" {
		t.Errorf("got %q, want the later one", got)
	}
	kept, err := filepath.Glob(path + ".*")
	if err != nil || len(kept) != 1 || read(t, kept[0]) != "first" {
		t.Errorf("got %q, error %v, want a copy of the first", kept, err)
	}
}

func TestLinksOfTheUserAreWrittenThrough(t *testing.T) {
	dir, o := home(t)
	target := filepath.Join(dir, "dotfiles", "hooks.json")
	write(t, target, odd()["tabs"], 0o644)
	write(t, filepath.Join(dir, "dotfiles", "ralph-loop.md"), "mine", 0o644)
	link(t, o.hooksFile(), "../dotfiles/hooks.json")
	link(t, filepath.Join(o.commandsFolder(), "ralph-loop.md"), "../../dotfiles/ralph-loop.md")
	checkIdentity(t, dir, o)
	install(t, o)
	if got := read(t, target); !strings.Contains(got, hookName) {
		t.Errorf("got %s in the target of the link", got)
	}
}

func TestSettingsThatAreNotGivenAreKept(t *testing.T) {
	names := []string{"none", "f6", "ctrl+enter", "return"}
	for _, tt := range []struct {
		name        string
		before, now Options
		edit        [2]string // of hooks.json between the two installations
		want        string    // flags of the stop entry
		notes       int
	}{
		{name: "nothing installed", now: Options{KeepMinimal: true}, want: "--session-limit auto --timeout 660 --linger 100ms"},
		{name: "nothing asked for", now: Options{KeepMinimal: true}, want: "--session-limit auto --timeout 660 --linger 100ms"},
		{name: "no limit", before: Options{SessionLimit: "none"}, now: Options{KeepMinimal: true}, want: "--session-limit none --timeout 660 --linger 100ms", notes: 1},
		{name: "the limit of an older version", before: Options{SessionLimit: "5"}, want: "--session-limit 5 --timeout 660 --linger 100ms", notes: 1},
		{name: "another limit", before: Options{SessionLimit: "9"}, now: Options{SessionLimit: "5"}, want: "--session-limit 5 --timeout 660 --linger 100ms"},
		{name: "auto again", before: Options{SessionLimit: "9"}, now: Options{SessionLimit: "auto"}, want: "--session-limit auto --timeout 660 --linger 100ms"},
		{name: "no limit instead of auto", now: Options{SessionLimit: "none"}, want: "--session-limit none --timeout 660 --linger 100ms"},
		{name: "minimal", before: Options{Minimal: true}, now: Options{KeepMinimal: true}, want: "--session-limit auto --timeout 660 --linger 100ms --minimal", notes: 1},
		{name: "no longer minimal", before: Options{Minimal: true, SessionLimit: "7"}, want: "--session-limit 7 --timeout 660 --linger 100ms", notes: 1},
		{name: "another system's entry", before: typed(Options{Minimal: true, SessionLimit: "7", OS: "windows", Hook: `C:\a b\cursor-ralph-hook.exe`}),
			now:  Options{KeepMinimal: true},
			want: "--session-limit 7 --timeout 660 --linger 100ms --minimal --injectors 'wl-copy,robotgo' --focus-keys 'ctrl+shift+i' --type-unchecked", notes: 5},
		{name: "another system's entry without quotes", before: typed(Options{OS: "windows", Hook: `C:\a\cursor-ralph-hook.exe`}),
			want: "--session-limit auto --timeout 660 --linger 100ms --injectors 'wl-copy,robotgo' --focus-keys 'ctrl+shift+i' --type-unchecked", notes: 3},
		{name: "another linger", before: Options{Linger: new(time.Duration)}, want: "--session-limit auto --timeout 660 --linger 0s", notes: 1},
		{name: "the limit for Cursor edited", edit: [2]string{`"loop_limit": null`, `"loop_limit": 12`}, want: "--session-limit 12 --timeout 660 --linger 100ms", notes: 1},
		{name: "the limit for Cursor lifted", before: Options{SessionLimit: "5"}, edit: [2]string{`"loop_limit": 5`, `"loop_limit": null`},
			want: "--session-limit none --timeout 660 --linger 100ms", notes: 1},
		{name: "no limit for Cursor", before: Options{SessionLimit: "none"}, edit: [2]string{`, "loop_limit": null`, ""}, want: "--session-limit none --timeout 660 --linger 100ms", notes: 1},
		{name: "auto without one for Cursor", edit: [2]string{`, "loop_limit": null`, ""}, want: "--session-limit auto --timeout 660 --linger 100ms"},
		{name: "an invalid limit", before: Options{SessionLimit: "7"}, edit: [2]string{`"loop_limit": 7`, `"loop_limit": 0`}, want: "--session-limit 7 --timeout 660 --linger 100ms", notes: 1},
		{name: "a flag that is no limit", edit: [2]string{"--session-limit auto", "--session-limit many"}, want: "--session-limit none --timeout 660 --linger 100ms", notes: 1},

		{name: "typing", before: typed(Options{}), want: "--session-limit auto --timeout 660 --linger 100ms --injectors 'wl-copy,robotgo' --focus-keys 'ctrl+shift+i' --type-unchecked", notes: 3},
		{name: "typing written with =", before: typed(Options{}), edit: [2]string{"--injectors 'wl-copy,robotgo'", "--injectors=xtest"},
			want: "--session-limit auto --timeout 660 --linger 100ms --injectors xtest --focus-keys 'ctrl+shift+i' --type-unchecked", notes: 3},
		{name: "other injectors", before: typed(Options{}), now: Options{Injectors: &names[0]},
			want: "--session-limit auto --timeout 660 --linger 100ms --injectors none --focus-keys 'ctrl+shift+i' --type-unchecked", notes: 2},
		{name: "the usual injectors", before: typed(Options{}), now: Options{Injectors: new(string)},
			want: "--session-limit auto --timeout 660 --linger 100ms --focus-keys 'ctrl+shift+i' --type-unchecked", notes: 2},
		{name: "other keys", before: typed(Options{}), now: Options{FocusKeys: &names[1]},
			want: "--session-limit auto --timeout 660 --linger 100ms --injectors 'wl-copy,robotgo' --focus-keys f6 --type-unchecked", notes: 2},
		{name: "no keys", before: typed(Options{}), now: Options{FocusKeys: new(string)},
			want: "--session-limit auto --timeout 660 --linger 100ms --injectors 'wl-copy,robotgo' --type-unchecked", notes: 2},
		{name: "only checked typing", before: typed(Options{}), now: Options{TypeUnchecked: new(bool)},
			want: "--session-limit auto --timeout 660 --linger 100ms --injectors 'wl-copy,robotgo' --focus-keys 'ctrl+shift+i'", notes: 2},
		{name: "a submit key", before: Options{SubmitKey: &names[2]}, want: "--session-limit auto --timeout 660 --linger 100ms --submit-key 'ctrl+enter'", notes: 1},
		{name: "return again", before: Options{SubmitKey: &names[2]}, now: Options{SubmitKey: &names[3]}, want: "--session-limit auto --timeout 660 --linger 100ms"},
		{name: "injectors that are no names", before: typed(Options{}), edit: [2]string{"--injectors 'wl-copy,robotgo'", `--injectors 'a;\u001b[2J'`},
			want: "--session-limit auto --timeout 660 --linger 100ms --focus-keys 'ctrl+shift+i' --type-unchecked", notes: 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, o := home(t)
			if tt.before.OS == "" {
				tt.before.OS, tt.before.Hook = o.OS, o.Hook
			}
			tt.before.Folder, tt.now.Folder, tt.now.OS, tt.now.Hook = o.Folder, o.Folder, o.OS, o.Hook
			if tt.name != "nothing installed" {
				install(t, tt.before)
				edited := strings.Replace(read(t, o.hooksFile()), tt.edit[0], tt.edit[1], 1)
				if !strings.Contains(read(t, o.hooksFile()), tt.edit[0]) {
					t.Fatalf("%q is not in\n%s", tt.edit[0], edited)
				}
				write(t, o.hooksFile(), edited, 0o644)
			}
			c := install(t, tt.now)
			if got := read(t, o.hooksFile()); !strings.Contains(got, " "+tt.want+`"`) {
				t.Errorf("got %s\nwant %s", got, tt.want)
			}
			if len(c.Notes) != tt.notes {
				t.Errorf("got notes %q, want %d", c.Notes, tt.notes)
			}
			if got := Inspect([]byte(read(t, o.hooksFile())), o.OS, there); len(got) > 0 {
				t.Errorf("got %+v", got)
			}
		})
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
		{"session limit 0", `session limit "0"`, func(_ *testing.T, o *Options) { o.SessionLimit = "0" }},
		{"session limit 05", `session limit "05"`, func(_ *testing.T, o *Options) { o.SessionLimit = "05" }},
		{"injectors that are no names", `injectors "a b" are not names`, func(_ *testing.T, o *Options) { list := "a b"; o.Injectors = &list }},
		{"keys that are no names", `focus keys "ctrl+\x1b" are not names`, func(_ *testing.T, o *Options) { keys := "ctrl+\x1b"; o.FocusKeys = &keys }},
		{"a submit key that is no name", `submit key "ctrl enter" are not names`, func(_ *testing.T, o *Options) { key := "ctrl enter"; o.SubmitKey = &key }},
		{"a flag for keys", `focus keys "--minimal" are not names`, func(_ *testing.T, o *Options) { keys := "--minimal"; o.FocusKeys = &keys }},
		{"a negative timeout", "is negative", func(_ *testing.T, o *Options) { o.VerifyTimeout = -time.Second }},
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

func TestRemovalRefusesWhatItCannotRead(t *testing.T) {
	_, o := home(t)
	install(t, o)
	broken := strings.TrimSpace(read(t, o.hooksFile()))[1:]
	write(t, o.hooksFile(), broken, 0o644)
	if _, err := PlanRemoval(o); err == nil || !strings.Contains(err.Error(), "hooks.json: does not parse") {
		t.Errorf("got error %v", err)
	}
	write(t, o.hooksFile(), "{ not ours", 0o644)
	uninstall(t, o)
	if got := read(t, o.hooksFile()); got != "{ not ours" {
		t.Errorf("got %q", got)
	}
}

func TestAnEditBetweenPlanAndApplyStopsIt(t *testing.T) {
	_, o := home(t)
	write(t, o.hooksFile(), "{}", 0o644)
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

func TestHookPathsAreCleaned(t *testing.T) {
	for _, tt := range []struct{ goos, path, want string }{
		{"linux", "/opt//x/../cursor-ralph-hook", "/opt/cursor-ralph-hook"},
		{"darwin", "//cursor-ralph-hook", "/cursor-ralph-hook"},
		{"windows", `C:/x/cursor-ralph-hook.exe`, `C:\x\cursor-ralph-hook.exe`},
		{"windows", `//server/share/cursor-ralph-hook.exe`, `\\server\share\cursor-ralph-hook.exe`},
	} {
		if got := (Options{OS: tt.goos, Hook: tt.path}).command(); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}
