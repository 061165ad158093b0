package worktree

import (
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
		changed, staged, err := parseStatus(out)
		names := slices.Concat(changed, staged)
		if err != nil {
			if names != nil || len(err.Error()) > 1000 {
				t.Errorf("got %q and %v", names, err)
			}
			return
		}
		if !strings.HasSuffix(out, "\x00") {
			t.Errorf("got no error for %q", out)
		}
		paths := inside(root, names)
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
