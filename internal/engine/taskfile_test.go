package engine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

func inFile(workspace string) loop.State {
	l := loop.New()
	l.Prompt, l.ID, l.Repeat, l.Workspace = "Build it.\nTest it.", "k7f2m", "file", workspace
	return l
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestTaskFile(t *testing.T) {
	for _, tt := range []struct {
		name    string
		change  func(t *testing.T, l *loop.State)
		problem string // how it begins; empty for none
		written string // what the file has then; empty if it is missing
	}{
		{"missing", nil, "", "Build it.\nTest it."},
		{"there", func(t *testing.T, l *loop.State) {
			put(t, filepath.Join(l.Workspace, ".ralph/task-k7f2m.md"), "Build it.\nTest it.\n")
		}, "", "Build it.\nTest it.\n"},
		{"changed", func(t *testing.T, l *loop.State) {
			put(t, filepath.Join(l.Workspace, ".ralph/task-k7f2m.md"), "Say that it works.")
		}, "it no longer has the task", "Say that it works."},
		{"no workspace", func(_ *testing.T, l *loop.State) { l.Workspace = "" }, "the loop has no workspace", ""},
		{"a workspace that is gone", func(_ *testing.T, l *loop.State) { l.Workspace += "/gone" }, "the loop has no workspace", ""},
		{"a folder that is a link", func(t *testing.T, l *loop.State) {
			link(t, t.TempDir(), filepath.Join(l.Workspace, ".ralph"))
		}, "*", ""},
		{"a file that is a link", func(t *testing.T, l *loop.State) {
			put(t, filepath.Join(l.Workspace, "other"), "Build it.\nTest it.")
			put(t, filepath.Join(l.Workspace, ".ralph/x"), "")
			link(t, filepath.Join(l.Workspace, "other"), filepath.Join(l.Workspace, ".ralph/task-k7f2m.md"))
		}, "*", "Build it.\nTest it."},
		{"the user's own", func(t *testing.T, l *loop.State) {
			put(t, filepath.Join(l.Workspace, "docs/t.md"), "\ufeffBuild it.\nTest it.\n")
			l.TaskFile = UserTask(l.Workspace, filepath.Join(l.Workspace, "docs/t.md"))
		}, "", ""},
		{"the user's own is gone", func(_ *testing.T, l *loop.State) {
			l.TaskFile = loop.TaskFile{Name: "t.md", User: true}
		}, "*", ""},
		{"a name that leads out of the workspace", func(_ *testing.T, l *loop.State) {
			l.TaskFile = loop.TaskFile{Name: "../../etc/passwd", User: true}
		}, "the loop has no workspace", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := inFile(t.TempDir())
			if tt.change != nil {
				tt.change(t, &l)
			}
			f := keepTask(l)
			if (f.Problem == "") != (tt.problem == "") || tt.problem != "*" && !strings.HasPrefix(f.Problem, tt.problem) {
				t.Errorf("got the problem %q", f.Problem)
			}
			path := filepath.Join(l.Workspace, ".ralph", "task-k7f2m.md")
			switch _, err := os.Stat(path); {
			case tt.written == "" && err == nil:
				t.Errorf("it was written: %q", read(t, path))
			case tt.written != "" && read(t, path) != tt.written:
				t.Errorf("got %q", read(t, path))
			}
		})
	}
}

// Git ignores our file, nobody else can read it, and other loops have none.
func TestTaskFileIsPrivate(t *testing.T) {
	l := inFile(t.TempDir())
	if f := keepTask(l); f.Problem != "" || f.Name != ".ralph/task-k7f2m.md" || f.User {
		t.Fatalf("got %+v", f)
	}
	if got := read(t, filepath.Join(l.Workspace, ".ralph", ".gitignore")); got != "*\n" {
		t.Errorf("got %q", got)
	}
	info, err := os.Stat(filepath.Join(l.Workspace, ".ralph", "task-k7f2m.md"))
	if err != nil || info.Mode().Perm()&0o077 != 0 && filepath.Separator == '/' {
		t.Errorf("got %v, %v", info.Mode(), err)
	}
	l.Repeat = "first"
	if f := keepTask(l); f != nil {
		t.Errorf("got %+v", f)
	}
}

func TestUserTask(t *testing.T) {
	w := t.TempDir()
	for file, want := range map[string]string{
		filepath.Join(w, "a", "t.md"): "a/t.md", filepath.Join(filepath.Dir(w), "t.md"): "", "-": "", filepath.Join(w, "a\nb"): "",
	} {
		if f := UserTask(w, file); f.Name != want || f.User != (want != "") {
			t.Errorf("%q: got %+v", file, f)
		}
	}
}

func link(t *testing.T, to, at string) {
	t.Helper()
	if err := os.Symlink(to, at); err != nil {
		t.Skip(err) // Windows without the right to make links
	}
}
