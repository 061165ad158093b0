package testdesk

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/test/short"
)

// Needs skips a test where a program is not installed.
func Needs(t testing.TB, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Skip("needs " + p)
		}
	}
}

// Must ends a test at the first error.
func Must(t testing.TB, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Patient returns a context for what a test waits for.
func Patient(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// NewX starts an X server with a window manager for a test, which is left to make test-all.
func NewX(t testing.TB, args ...string) *X {
	t.Helper()
	short.Skip(t)
	Needs(t, "Xvfb", "openbox", "setxkbmap", "xclip", "xdotool")
	x, err := StartX(Patient(t), t.TempDir(), args...)
	Must(t, err)
	t.Cleanup(func() { Must(t, x.Close()) })
	Must(t, x.StartWM(Patient(t)))
	return x
}

// EditorPage serves a chat page for a test whose chat input is an editor that scripts/inputs built into the user's
// cache folder, and skips the test where it did not.
func EditorPage(t testing.TB, editor string, cacheDir func() (string, error)) *Page {
	t.Helper()
	cache, err := cacheDir()
	Must(t, err)
	script, err := built(editor, cache)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("needs editors from npm: scripts/inputs builds them")
	}
	Must(t, err)
	page, err := serve(script)
	Must(t, err)
	t.Cleanup(func() { Must(t, page.Close()) })
	return page
}

// BuildRobotgo builds the program that robotgo is in and returns its path.
func BuildRobotgo(t testing.TB) string {
	t.Helper()
	Needs(t, "go", "gcc")
	path := filepath.Join(t.TempDir(), "cursor-ralph-robotgo")
	out, err := exec.CommandContext(Patient(t), "go", "build", "-tags", "robotgo", "-o", path, "github.com/cursor-ralph/cursor-ralph/cmd/cursor-ralph-robotgo").CombinedOutput()
	if strings.Contains(string(out), "No such file or directory") {
		t.Skip("needs the headers of libX11 and libXtst")
	}
	if err != nil {
		t.Fatalf("go build: %v: %s", err, out)
	}
	return path
}

// Lasting has what lives until the last test of a package has ended: a desktop takes seconds to start, so tests share
// one.
type Lasting struct{ cleanups []func() }

// TB returns a test's TB whose cleanups run after the last test.
func (l *Lasting) TB(t testing.TB) testing.TB { return lasting{t, l} }

// Main runs the package's tests, then the cleanups, and returns the exit code.
func (l *Lasting) Main(m *testing.M) (code int) {
	code = m.Run()
	for _, f := range slices.Backward(l.cleanups) {
		f()
	}
	return code
}

type lasting struct {
	testing.TB
	all *Lasting
}

func (l lasting) Cleanup(f func())         { l.all.cleanups = append(l.all.cleanups, f) }
func (l lasting) Context() context.Context { return context.Background() }

func (l lasting) TempDir() string {
	l.Helper()
	dir, err := os.MkdirTemp("", "lasting")
	Must(l, err)
	l.Cleanup(func() { _ = os.RemoveAll(dir) }) // a browser that was killed may still write into it
	return dir
}
