package carried

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// machine is a home folder with editors that have our extension.
type machine struct {
	*testing.T
	home, root string
}

func newMachine(t *testing.T) machine {
	home := t.TempDir()
	return machine{t, home, Root("linux", home, os.Getenv)}
}

func (m machine) must(errs ...error) {
	m.Helper()
	for _, err := range errs {
		if err != nil {
			m.Fatal(err)
		}
	}
}

func (m machine) write(path, text string) {
	m.Helper()
	m.must(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600))
}

// unpack puts a version into an editor's folder of extensions, as a .vsix has it.
func (m machine) unpack(version, editor string, more ...string) (folder string) {
	m.Helper()
	folder = filepath.Join(m.home, "."+editor, "extensions", name+"-"+version)
	var list strings.Builder
	for _, file := range append([]string{"bin/cursor-ralph", "bin/cursor-ralph-hook", "plugin/hooks/hooks.json", "plugin/commands/ralph-loop.md", "plugin/README.md"}, more...) {
		text := file + " of " + version
		if file == "plugin/hooks/hooks.json" {
			text = `{"hooks": {"stop": [{"command": "cursor-ralph-hook"}]}}`
		}
		m.write(filepath.Join(folder, file), text)
		fmt.Fprintf(&list, "%x  %s\n", sha256.Sum256([]byte(text)), file)
	}
	m.write(filepath.Join(folder, listName), list.String())
	m.write(filepath.Join(folder, "package.json"), fmt.Sprintf(`{"version": %q}`, version))
	return folder
}

func (m machine) keep(extension string) Copy {
	m.Helper()
	c, err := Keep(context.Background(), extension, m.root)
	m.must(err)
	return c
}

// holds reports whether the program of the copy is of a version.
func (m machine) holds(version string) {
	m.Helper()
	got, err := os.ReadFile(filepath.Join(m.root, "bin", "cursor-ralph"))
	if want := "bin/cursor-ralph of " + version; err != nil || string(got) != want {
		m.Errorf("got %q, %v, want %q", got, err, want)
	}
}

func TestAnUpdateReplacesWhatLoopsUse(t *testing.T) {
	m := newMachine(t)
	one := m.unpack("1.2.0", "cursor", "plugin/commands/old.md")
	before := m.keep(one)
	m.holds("1.2.0")
	m.must(os.RemoveAll(one))
	m.holds("1.2.0")
	if after := m.keep(m.unpack("1.10.0", "cursor")); after != before {
		t.Errorf("got %+v after %+v, want the same paths", after, before)
	}
	m.holds("1.10.0")
	if _, err := os.Stat(filepath.Join(m.root, "plugin/commands/old.md")); err == nil {
		t.Error("a file is left that the new version does not have")
	}
	if text, err := os.ReadFile(filepath.Join(m.root, "plugin/README.md")); err != nil || string(text) != "plugin/README.md of 1.10.0" {
		t.Errorf("got %q, %v", text, err)
	}
	hooks, err := os.ReadFile(filepath.Join(m.root, "plugin/hooks/hooks.json"))
	m.must(err)
	slash, err := os.ReadFile(filepath.Join(m.root, "plugin/commands/ralph-loop.md"))
	m.must(err)
	for _, text := range []string{string(hooks), string(slash)} {
		if !strings.Contains(filepath.ToSlash(strings.ReplaceAll(text, `\\`, `\`)), filepath.ToSlash(before.Bin)) {
			t.Errorf("got %q, want the path of a program", text)
		}
	}
}

// An older version has the copy for itself only if no editor has a newer one.
func TestWhichVersionIsKept(t *testing.T) {
	m := newMachine(t)
	old := m.unpack("1.2.0", "vscode")
	m.keep(m.unpack("1.10.0", "cursor"))
	m.keep(old)
	m.holds("1.10.0")
	m.must(os.RemoveAll(filepath.Join(m.home, ".cursor")))
	m.keep(old)
	m.holds("1.2.0")
	m.keep(m.unpack("2.0.0", "vscode"))
	m.must(os.RemoveAll(filepath.Join(m.home, ".vscode/extensions", name+"-2.0.0")))
	m.keep(old) // its user goes back to it
	m.holds("1.2.0")
}

func TestWhatIsNotWholeIsNotUsed(t *testing.T) {
	m := newMachine(t)
	one := m.unpack("1.0.0", "cursor")
	m.write(filepath.Join(one, "bin/cursor-ralph-hook"), "half")
	if _, err := Keep(t.Context(), one, m.root); err == nil || !strings.Contains(err.Error(), "is not what the extension carries") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(filepath.Join(m.root, "bin/cursor-ralph-hook")); err == nil {
		t.Error("half a program is used")
	}
	c := m.keep(m.unpack("1.0.0", "cursor"))
	m.must(os.Remove(filepath.Join(c.Bin, "cursor-ralph"))) // somebody cleans up
	m.keep(one)
	m.holds("1.0.0")
	for _, line := range []string{"bin/../../x", "/etc/x", "bin/x\n../y"} {
		m.write(filepath.Join(one, listName), fmt.Sprintf("%064x  %s\n", 1, line))
		if _, err := Keep(t.Context(), one, m.root); err == nil {
			t.Errorf("the list with %q was accepted", line)
		}
	}
	m.must(os.Remove(filepath.Join(one, listName)))
	if got := m.keep(one); got != Below(one) {
		t.Errorf("not from a .vsix: got %+v", got)
	}
}

func TestManyWindowsAtOnce(t *testing.T) {
	m := newMachine(t)
	extensions := []string{m.unpack("2.0.0", "cursor"), m.unpack("1.0.0", "vscode")}
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			if _, err := Keep(context.Background(), extensions[n%2], m.root); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	m.holds("2.0.0")
	if got := read(m.root); len(got) != 2 {
		t.Errorf("got the editors %v", got)
	}
}

func TestLeave(t *testing.T) {
	m := newMachine(t)
	one, two := m.unpack("1.0.0", "cursor"), m.unpack("1.0.0", "vscode")
	leaves := func(extension string, want bool) {
		t.Helper()
		if last, err := Leave(t.Context(), extension, m.root); err != nil || last != want {
			t.Errorf("got %v, %v, want %v", last, err, want)
		}
	}
	leaves(one, false) // nothing was kept yet
	m.keep(one)
	m.keep(two)
	update := m.unpack("1.1.0", "cursor")
	leaves(one, false)
	if got := read(m.root); len(got) != 2 {
		t.Errorf("after an update: got the editors %v", got)
	}
	m.must(os.RemoveAll(update))
	leaves(one, false) // the other editor uses it
	m.write(filepath.Join(filepath.Dir(two), ".obsolete"), fmt.Sprintf(`{"%s-1.0.0": true}`, name))
	leaves(two, true)
}

func TestRoot(t *testing.T) {
	none := func(string) string { return "" }
	for goos, want := range map[string]string{
		"linux": "/home/me/.local/share/cursor-ralph/editor", "darwin": "/home/me/Library/Application Support/cursor-ralph/editor",
		"windows": "/home/me/AppData/Local/cursor-ralph/editor",
	} {
		if got := filepath.ToSlash(Root(goos, "/home/me", none)); got != want {
			t.Errorf("%s: got %s, want %s", goos, got, want)
		}
	}
	if got := filepath.ToSlash(Root("windows", "/home/me", func(string) string { return "/local" })); got != "/local/cursor-ralph/editor" {
		t.Errorf("got %s", got)
	}
}
