package worktree

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// FuzzStatus asserts that whatever git prints, parseStatus returns only files in the
// work tree, and an error if the output is cut off.
func FuzzStatus(f *testing.F) {
	const head = "# branch.oid 4b825dc642cb6eb9a060e54bf8d69288fbee4904\x00"
	const change = "1 .M N... 100644 100644 100644 4b825dc642cb6eb9a060e54bf8d69288fbee4904 4b825dc642cb6eb9a060e54bf8d69288fbee4904 "
	for _, out := range []string{
		head, head + "# branch.head main\x00" + change + "a b\nc\x00? new\x00", "# branch.oid (initial)\x00? x\x00", head + "2 R. N... 1 2 3 4 5 R100 new\x00old\x00",
		head + "u UU N... 1 2 3 4 5 6 7 both\x00! ignored\x00", head + "? ../out\x00? /abs\x00? a/../../b\x00", head + "? cut", "# branch.oid --help\x00", "",
	} {
		f.Add(out)
	}
	root, err := filepath.Abs("work")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, out string) {
		commit, names, err := parseStatus(out)
		if err != nil {
			if commit != "" || names != nil || len(err.Error()) > 1000 {
				t.Errorf("got %q, %q and %v", commit, names, err)
			}
			return
		}
		if commit != "" && !isCommit(commit) || !strings.HasSuffix(out, "\x00") {
			t.Errorf("got the commit %q out of %q", commit, out)
		}
		paths := git{root: root}.absolute(names)
		for _, path := range paths {
			if rel, err := filepath.Rel(root, path); err != nil || !filepath.IsLocal(rel) || !slices.Contains(cleaned(names), filepath.ToSlash(rel)) {
				t.Errorf("got %q out of %q", path, names)
			}
		}
		if !slices.IsSorted(paths) || len(slices.Compact(slices.Clone(paths))) != len(paths) {
			t.Errorf("got %q, want each once and in order", paths)
		}
		if len(out) > 1 {
			if _, _, err := parseStatus(out[:len(out)-1]); err == nil && !strings.HasSuffix(out, "\x00\x00") {
				t.Errorf("%q: got no error where it is cut", out)
			}
		}
	})
}

func cleaned(names []string) (all []string) {
	for _, name := range names {
		all = append(all, filepath.ToSlash(filepath.Clean(filepath.FromSlash(name))))
	}
	return all
}

// FuzzCommit asserts that whatever is in the .git of a nested repository, commit
// returns one short line, and the same each time.
func FuzzCommit(f *testing.F) {
	id := strings.Repeat("0a", 20)
	f.Add("ref: refs/heads/main\n", "", id+" refs/heads/main\n")
	f.Add(id+"\n", "gitdir: ../elsewhere\n", "# pack-refs with: peeled\n")
	f.Add("ref: ../../secret\n", "gitdir: /dev\n", "")
	f.Add("ref: ../secret\n", "", "")
	f.Add("ref: HEAD\nmore", "", "x HEAD")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, head, link, packed string) {
		if err := laid(dir, map[string]string{".git": link, "real/HEAD": head, "real/packed-refs": packed, "secret": "no"}); err != nil {
			t.Fatal(err)
		}
		if link == "" {
			if err := os.Rename(filepath.Join(dir, "real"), filepath.Join(dir, ".git")); err != nil {
				t.Fatal(err)
			}
		}
		got := commit(dir)
		if len(got) > 4096+1<<20 || strings.ContainsAny(got, "\n") || got != commit(dir) {
			t.Errorf("got %q", got)
		}
		if link == "" && got == "no" && strings.TrimSpace(strings.Split(head, "\n")[0]) != "no" {
			t.Errorf("%q: got the content of a file outside", head)
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
