package git

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzHead asserts that whatever is in a .git, its commit is one or nothing, and the same
// each time.
func FuzzHead(f *testing.F) {
	id := strings.Repeat("0a", 20)
	f.Add("ref: refs/heads/main\n", "", id+" refs/heads/main\n")
	f.Add(id+"\n", "gitdir: ../elsewhere\n", "# pack-refs with: peeled\n")
	f.Add("ref: ../../secret\n", "gitdir: /dev\n", "")
	f.Add("ref: ../secret\n", "", "")
	f.Add("ref: refs/../HEAD\n", "", "")
	f.Add("ref: HEAD\nmore", "", "x HEAD")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, head, link, packed string) {
		if err := laid(dir, map[string]string{".git": link, "real/HEAD": head, "real/packed-refs": packed, "real/objects/x": "", "secret": "no"}); err != nil {
			t.Fatal(err)
		}
		if link == "" {
			if err := os.Rename(filepath.Join(dir, "real"), filepath.Join(dir, ".git")); err != nil {
				t.Fatal(err)
			}
		}
		got := Nested(dir)
		if got != "" && !IsCommit(got) || got != Nested(dir) {
			t.Errorf("got %q", got)
		}
	})
}

// laid replaces a folder with these files, except an empty .git.
func laid(dir string, files map[string]string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if content == "" && name == ".git" {
			continue
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			return err
		}
	}
	return nil
}

func TestSettings(t *testing.T) {
	got := settings("[core]\n\trepositoryformatversion = 1\n\tFileMode = false ; here\n\tbare\n[extensions]\n\tobjectFormat = sha256\n" +
		"[remote \"origin\"]\n\tpromisor = true\n[filter \"core\"]\n\tclean = evil\n[core]\n\texcludesFile = \"C:\\\\a b\\\\x\" # there\n")
	for name, want := range map[string]string{"core.filemode": "false", "core.bare": "true", "extensions.objectformat": "sha256",
		"extensions.partialclone": "true", "core.excludesfile": `C:\a b\x`, "core.clean": "", "filter.clean": ""} {
		if got[name] != want {
			t.Errorf("%s: got %q, want %q", name, got[name], want)
		}
	}
}

// References that git gc has packed are found, replaced and removed, and the others stay.
func TestPackedRefs(t *testing.T) {
	root := t.TempDir()
	a, b := strings.Repeat("0a", 20), strings.Repeat("0b", 20)
	kept := "# pack-refs with: peeled fully-peeled sorted \n" + a + " refs/heads/main\n"
	if err := laid(root, map[string]string{".git/HEAD": "ref: refs/heads/main\n", ".git/objects/x": "",
		".git/packed-refs": kept + a + " refs/x/k/0\n^" + b + "\n" + b + " refs/x/k/1\n"}); err != nil {
		t.Fatal(err)
	}
	r := &Repo{Root: root, dir: filepath.Join(root, ".git"), common: filepath.Join(root, ".git")}
	if head, err := r.Head(); head != a || err != nil {
		t.Errorf("got the head %q, %v", head, err)
	}
	if err := r.SetRef("refs/x/k/1", a); err != nil {
		t.Fatal(err)
	}
	if err := r.SetRef("refs/x/other/0", b); err != nil {
		t.Fatal(err)
	}
	if got := r.Refs("refs/x/k/"); len(got) != 2 || got["0"] != a || got["1"] != a {
		t.Errorf("got %v", got)
	}
	if err := r.RemoveRefs("refs/x/k/"); err != nil {
		t.Fatal(err)
	}
	packed, err := os.ReadFile(filepath.Join(root, ".git", "packed-refs"))
	if got := r.Refs("refs/x/k/"); len(got) != 0 || err != nil || string(packed) != kept {
		t.Errorf("got %v, and %q", got, packed)
	}
	if got := r.Refs("refs/x/other/"); got["0"] != b {
		t.Errorf("another's: got %v", got)
	}
	if _, err := os.Stat(filepath.Join(root, ".git", "refs", "x", "k")); err == nil {
		t.Error("the folder is still there")
	}
}

// A link in a repository does not lead us out of it.
func TestRefsThroughALink(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	if err := laid(root, map[string]string{".git/HEAD": "ref: refs/heads/main\n", ".git/objects/x": "", ".git/refs/x": "", ".git/refs/y": ""}); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(root, ".git", "refs", "cursor-ralph")); err != nil {
		t.Skip(err)
	}
	r := &Repo{Root: root, dir: filepath.Join(root, ".git"), common: filepath.Join(root, ".git")}
	if err := r.SetRef("refs/cursor-ralph/k/0", strings.Repeat("0a", 20)); err == nil {
		t.Error("got no error")
	}
	if entries, _ := os.ReadDir(outside); len(entries) > 0 {
		t.Errorf("got %v outside", entries)
	}
}
