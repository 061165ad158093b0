package testdesk

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"
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

// NewX starts an X server with a window manager for a test.
func NewX(t testing.TB, args ...string) *X {
	t.Helper()
	Needs(t, "Xvfb", "openbox", "setxkbmap", "xclip", "xdotool")
	x, err := StartX(Patient(t), t.TempDir(), args...)
	Must(t, err)
	t.Cleanup(func() { Must(t, x.Close()) })
	Must(t, x.StartWM(Patient(t)))
	return x
}

// EditorPage serves a page with an editor from npm for a test.
func EditorPage(t testing.TB, editor string) *Page {
	t.Helper()
	cache, err := os.UserCacheDir()
	Must(t, err)
	page, err := NewPageWith(editor, cache)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("needs editors from npm: scripts/inputs builds them")
	}
	Must(t, err)
	t.Cleanup(func() { Must(t, page.Close()) })
	return page
}

// Lasting returns a TB whose cleanups run after the last test: a desktop takes seconds to start, so the tests of a
// package share one. The package's TestMain has to call Main.
func Lasting(t testing.TB) testing.TB { return lasting{t} }

type lasting struct{ testing.TB }

var cleanups []func()

func (lasting) Cleanup(f func())         { cleanups = append(cleanups, f) }
func (lasting) Context() context.Context { return context.Background() }

func (l lasting) TempDir() string {
	l.Helper()
	dir, err := os.MkdirTemp("", "lasting")
	Must(l, err)
	l.Cleanup(func() { _ = os.RemoveAll(dir) }) // a browser that was killed may still write into it
	return dir
}

// Main runs a package's tests, and then the cleanups of Lasting.
func Main(m *testing.M) {
	code := m.Run()
	for _, f := range slices.Backward(cleanups) {
		f()
	}
	os.Exit(code)
}
