package platform

import (
	"path/filepath"
	"testing"
)

// env is an environment with the given variables and no others.
func env(pairs ...string) func(string) string {
	vars := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		vars[pairs[i]] = pairs[i+1]
	}
	return func(name string) string { return vars[name] }
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	state, home := filepath.Join(dir, "state"), filepath.Join(dir, "home")
	ofHome := filepath.Join(home, ".local", "state", "cursor-ralph")
	for _, c := range []struct {
		name          string
		env           []string
		base, archive string
	}{
		{"both are given", []string{"CURSOR_RALPH_DIR", dir, "CURSOR_RALPH_STATE_DIR", state, "XDG_STATE_HOME", "/xdg", "HOME", home}, dir, state},
		{"they need not be tidy", []string{"CURSOR_RALPH_DIR", dir + "/x/.././/", "CURSOR_RALPH_STATE_DIR", state + "/"}, dir, state},
		{"the XDG folder", []string{"CURSOR_RALPH_DIR", dir, "XDG_STATE_HOME", state, "HOME", home}, dir, filepath.Join(state, "cursor-ralph")},
		{"a relative XDG folder is ignored", []string{"CURSOR_RALPH_DIR", dir, "XDG_STATE_HOME", "state", "HOME", home}, dir, ofHome},
		{"no XDG folder", []string{"CURSOR_RALPH_DIR", dir, "HOME", home}, dir, ofHome},
		{"no home", []string{"CURSOR_RALPH_DIR", dir}, dir, filepath.Join(dir, "cursor-ralph-pending", "archive")},
		{"a relative home", []string{"CURSOR_RALPH_DIR", dir, "HOME", "home"}, dir, filepath.Join(dir, "cursor-ralph-pending", "archive")},
		{"the temporary folder of the environment is not asked", []string{"TMPDIR", dir, "CURSOR_RALPH_STATE_DIR", state}, defaultBase(), state},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := Find(env(c.env...))
			if err != nil {
				t.Fatal(err)
			}
			if p.Base != c.base || p.Archive != c.archive {
				t.Errorf("got  %s and %s\nwant %s and %s", p.Base, p.Archive, c.base, c.archive)
			}
		})
	}
}

func TestNames(t *testing.T) {
	dir := t.TempDir()
	p, err := Find(env("CURSOR_RALPH_DIR", dir))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ what, got, want string }{
		{"pending folder", p.Pending(), "cursor-ralph-pending"},
		{"live state", p.Live("a-1"), "cursor-ralph-loop-a-1.json"},
		{"journal", p.Journal("a-1"), "cursor-ralph-loop-a-1.journal"},
		{"log", p.Log(), "cursor-ralph-stop-hook.log"},
	} {
		if want := filepath.Join(dir, c.want); c.got != want {
			t.Errorf("%s: got %s, want %s", c.what, c.got, want)
		}
	}
	if prefix, suffix := p.LivePattern(); filepath.Join(dir, prefix+"a-1"+suffix) != p.Live("a-1") {
		t.Errorf("got the pattern %q, %q, want that of %s", prefix, suffix, p.Live("a-1"))
	}
	if filepath.Dir(p.Scratch()) != p.Pending() {
		t.Errorf("got %s, want a folder in %s", p.Scratch(), p.Pending())
	}
}

func TestStateFolder(t *testing.T) {
	root := t.TempDir() // absolute on the system that runs the test
	for _, c := range []struct {
		name, goos string
		env        []string
		want       string
	}{
		{"Windows", "windows", []string{"LOCALAPPDATA", root, "HOME", "/home/me"}, filepath.Join(root, "cursor-ralph")},
		{"Windows with XDG", "windows", []string{"LOCALAPPDATA", `C:\Local`, "XDG_STATE_HOME", root}, filepath.Join(root, "cursor-ralph")},
		{"Windows without a profile", "windows", nil, "fallback"},
		{"not on Windows", "linux", []string{"LOCALAPPDATA", root}, "fallback"},
		{"macOS", "darwin", []string{"HOME", root}, filepath.Join(root, ".local", "state", "cursor-ralph")},
	} {
		if got := stateFolder(c.goos, env(c.env...), "fallback"); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestSameFolder(t *testing.T) {
	for _, c := range []struct {
		goos, a, b string
		want       bool
	}{
		{"linux", "/home/me/work", "/home/me/work", true},
		{"linux", "/home/me/work", "/home/me/work/", true},
		{"linux", "/home/me/x/../work", "/home/me//work", true},
		{"linux", "/home/me/work", "/home/me/Work", false},
		{"linux", "/home/me/work", "/home/me/work2", false},
		{"linux", "/home/me/work", "/home/me", false},
		{"linux", `/home/me\work`, "/home/me/work", false},
		{"darwin", "/Users/me/work", "/Users/me/work/", true},
		{"windows", `C:\Users\me\work`, "/c:/Users/me/work", true},
		{"windows", `c:\users\me\WORK\`, `C:\Users\me\work`, true},
		{"windows", "C:/Users/me/work", `C:\Users\me\x\..\work`, true},
		{"windows", "/c:/work", "/d:/work", false},
		{"windows", `C:\work`, `C:\work2`, false},
		{"windows", `C:\my work`, "/c%3A/my%20work", true},
		{"windows", `C:\`, "/c:", true},
		{"windows", `\\server\share\work`, "//SERVER/share/work/", true},
		{"windows", `\\server\share`, `C:\server\share`, false},
		{"windows", `C:\Kassel`, "/c:/\u212aaſſel", true}, // letters that strings.ToLower tells apart
	} {
		for _, pair := range [][2]string{{c.a, c.b}, {c.b, c.a}} {
			if got := SameFolder(c.goos, pair[0], pair[1]); got != c.want {
				t.Errorf("%s: %s and %s: got %v, want %v", c.goos, pair[0], pair[1], got, c.want)
			}
		}
		if got := folderKey(c.goos, c.a) == folderKey(c.goos, c.b); got != c.want {
			t.Errorf("%s: the keys of %s and %s: got the same: %v, want %v", c.goos, c.a, c.b, got, c.want)
		}
	}
}

func TestFolder(t *testing.T) {
	for _, c := range []struct{ goos, named, want string }{
		{"windows", "/c:/Users/me/work", `C:\Users\me\work`},
		{"windows", "/C:/", `C:\`},
		{"windows", "/c:", `C:\`},
		{"windows", "/c%3A/my%20work", `C:\my work`},
		{"windows", "/c%3a/100%25/%zz/50%", `C:\100%\%zz\50%`},
		{"windows", "/c:/100%25", `C:\100%25`}, // may be its name
		{"windows", `C:\work`, `C:\work`},
		{"windows", "//wsl$/Debian/home/me", "//wsl$/Debian/home/me"},
		{"windows", `\\server\share`, `\\server\share`},
		{"windows", "/home/me/work", "/home/me/work"},
		{"windows", "/c", "/c"},
		{"windows", "", ""},
		{"linux", "/c:/work", "/c:/work"},
		{"darwin", "/c%3A/work", "/c%3A/work"},
	} {
		if got := Folder(c.goos, c.named); got != c.want {
			t.Errorf("%s: %s: got %s, want %s", c.goos, c.named, got, c.want)
		}
	}
}
