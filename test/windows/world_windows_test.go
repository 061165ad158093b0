package windows_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/test/simcursor"
)

// TestMain builds the programs, where nobody else did.
func TestMain(m *testing.M) {
	if os.Getenv("WINE_TEST_PROGRAMS") != "" {
		os.Exit(m.Run())
	}
	dir, err := os.MkdirTemp("", "cursor-ralph-programs")
	if err == nil {
		build := exec.Command("go", "build", "-o", dir+`\`, "../../cmd/cursor-ralph", "../../cmd/cursor-ralph-hook", "./testdata/agent")
		build.Stderr = os.Stderr
		err = build.Run()
	}
	if err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
	os.Setenv("WINE_TEST_PROGRAMS", dir)
	code := m.Run()
	_ = os.RemoveAll(dir) // a program that ran just now may stay
	os.Exit(code)
}

// world is a user with a home and a workspace, in folders with a space in their
// names.
type world struct {
	t   *testing.T
	dir string
	env []string
}

func newWorld(t *testing.T) world {
	t.Helper()
	dir, err := os.MkdirTemp("", "cursor ralph")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) }) // Wine 8 lacks what it calls
	w := world{t: t, dir: dir}
	for _, name := range []string{"home", "temp", "home/work/sub"} {
		if err := os.MkdirAll(w.in(name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	path := os.Getenv("WINE_TEST_PROGRAMS") + ";" + os.Getenv("PATH")
	for _, name := range []string{"SystemRoot", "SystemDrive", "windir", "ComSpec", "PATHEXT"} {
		w.env = append(w.env, name+"="+os.Getenv(name))
	}
	w.env = append(w.env, "PATH="+path, "USERPROFILE="+w.in("home"), "LOCALAPPDATA="+w.in("home/local"), "APPDATA="+w.in("home/roaming"),
		"TEMP="+w.in("temp"), "TMP="+w.in("temp"), "CURSOR_RALPH_NO_NOTIFY=1", "SSH_CONNECTION=a session without a desktop")
	t.Setenv("PATH", path) // where this process looks for programs
	return w
}

func (w world) in(name string) string { return filepath.Join(w.dir, filepath.FromSlash(name)) }

func (w world) work(name string) string { return filepath.Join(w.in("home/work"), name) }

// run returns what a command of cursor-ralph prints in a folder, and its error.
func (w world) run(folder string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(w.t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "cursor-ralph.exe", args...)
	cmd.Dir, cmd.Env = folder, w.env
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err
}

func (w world) ok(args ...string) string {
	w.t.Helper()
	out, err := w.run(w.work(""), args...)
	if err != nil {
		w.t.Fatalf("cursor-ralph %q: %v\n%s", args, err, out)
	}
	return out
}

// cursor opens the workspace. Hooks get their input as reported of Windows.
func (w world) cursor() *simcursor.Cursor {
	w.t.Helper()
	c, err := simcursor.New(simcursor.Config{
		Home: w.in("home"), Workspace: w.work(""), Env: w.env, Options: simcursor.Options{BOM: true},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		for _, violation := range c.Violations() {
			w.t.Error(violation)
		}
	})
	return c
}

// wants fails the test unless a text has all parts.
func (w world) wants(text string, parts ...string) {
	w.t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			w.t.Errorf("got no %q in\n%s", part, text)
		}
	}
}

func (w world) send(chat *simcursor.Chat, text string) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 3*time.Minute)
	defer cancel()
	if err := chat.Send(ctx, text); err != nil {
		w.t.Errorf("%s: %v", text, err)
	}
}

func (w world) shell(t *simcursor.Turn, command string) string {
	out, exit := t.Shell(command)
	if exit != 0 {
		w.t.Errorf("%s: exit %d: %s", command, exit, out)
	}
	return out
}
