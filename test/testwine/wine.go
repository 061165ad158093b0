// Package testwine is a Windows for tests on Linux: a Wine prefix of its own,
// and programs that are built for it. For tests only.
package testwine

import (
	"context"
	_ "embed"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/test/short"
)

// Wine is a folder with a drive C, and the environment that uses it. It ends
// with its test.
type Wine struct {
	Dir string   // of Linux; for programs of Windows it is on drive Z
	Env []string // of all commands; may be added to

	ctx context.Context
}

//go:embed testdata/bcryptprimitives.c
var bcryptPrimitives []byte

// New makes a Wine that lives at most so long, for a test that is left to make test-all, and skips it
// where a tool is missing. The environment is os.Environ.
func New(t testing.TB, environ []string, limit time.Duration) *Wine {
	t.Helper()
	short.Skip(t)
	for _, tool := range []string{"wine", "wineboot", "wineserver", "x86_64-w64-mingw32-gcc"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("needs " + tool)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	t.Cleanup(cancel)
	w := &Wine{Dir: t.TempDir(), ctx: ctx}
	w.Env = append(environ, "WINEPREFIX="+w.Dir+"/prefix", "WINEDEBUG=-all", "HOME="+w.Dir, "XDG_RUNTIME_DIR="+w.Dir,
		// No browser, no .NET and no menu entries for this one.
		"WINEDLLOVERRIDES=mscoree,mshtml=;winemenubuilder.exe=d", "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0")
	// Go keeps what it has built beneath the real home.
	for _, cache := range []string{"GOCACHE", "GOMODCACHE", "GOPATH"} {
		out, err := exec.Command("go", "env", cache).Output()
		if err != nil {
			t.Fatal(err)
		}
		w.Env = append(w.Env, cache+"="+strings.TrimSpace(string(out)))
	}
	t.Cleanup(func() { // none may be left, also where the time is over; an error says that none runs
		var cancel context.CancelFunc
		w.ctx, cancel = context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		_ = w.Command("wineserver", "-k").Run()
		_ = w.Command("wineserver", "-w").Run()
	})
	w.boot(t)
	w.randomness(t)
	return w
}

// boot makes the prefix. A busy machine keeps Wine's processes from finding each other now and then, so it is tried again.
func (w *Wine) boot(t testing.TB) {
	t.Helper()
	for range 3 {
		out, err := w.Output("wineboot", "-i")
		if err == nil {
			return
		}
		t.Logf("wineboot: %v\n%s", err, out)
		_ = w.Command("wineserver", "-k").Run() // an error says that none runs
	}
	t.Fatal("Wine does not start")
}

// Windows is the path of drive C's Windows folder.
func (w *Wine) Windows() string { return filepath.Join(w.Dir, "prefix/drive_c/windows") }

// Command is a command of Linux: wine, with a program of Windows, among others.
func (w *Wine) Command(name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(w.ctx, name, args...)
	cmd.Env, cmd.WaitDelay = w.Env, time.Second
	return cmd
}

// Run returns what a command says, and fails the test if the command fails.
func (w *Wine) Run(t testing.TB, name string, args ...string) string {
	t.Helper()
	out, err := w.Output(name, args...)
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return out
}

// Tests runs a test binary with -test.v, by wine and its arguments, which must pass without skipping. Where Wine 8 could not
// start it, or PowerShell, which is rare, it is run again.
func (w *Wine) Tests(t testing.TB, args ...string) {
	t.Helper()
	var out string
	var err error
	for range 3 {
		out, err = w.Output("wine", args...)
		if strings.Contains(out, "=== RUN") && !strings.Contains(out, "powershell.exe: Internal error.") {
			break
		}
		t.Logf("wine: %v\n%s", err, out)
	}
	if err != nil || !strings.Contains(out, "\nPASS") || strings.Contains(out, "--- SKIP") || strings.Contains(out, "--- FAIL") {
		t.Errorf("%v\n%s", err, out)
	}
	t.Logf("%d tests passed", strings.Count("\n"+out, "\n--- PASS"))
}

// Output returns what a command says. Wine leaves processes behind that keep its
// streams, so their end is not waited for.
func (w *Wine) Output(name string, args ...string) (string, error) {
	log, err := os.CreateTemp(w.Dir, "log")
	if err != nil {
		return "", err
	}
	defer log.Close()
	cmd := w.Command(name, args...)
	cmd.Stdout, cmd.Stderr = log, log
	failed := cmd.Run()
	out, err := os.ReadFile(log.Name())
	return string(out), errors.Join(failed, err)
}

// randomness makes bcryptprimitives.dll, which Go programs need and wine 8
// lacks.
func (w *Wine) randomness(t testing.TB) {
	t.Helper()
	dll := filepath.Join(w.Windows(), "system32/bcryptprimitives.dll")
	if _, err := os.Stat(dll); err == nil {
		return
	}
	source := filepath.Join(w.Dir, "bcryptprimitives.c")
	if err := os.WriteFile(source, bcryptPrimitives, 0o600); err != nil {
		t.Fatal(err)
	}
	w.Run(t, "x86_64-w64-mingw32-gcc", "-shared", "-o", dll, source, "-ladvapi32")
}
