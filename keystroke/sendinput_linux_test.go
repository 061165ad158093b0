package keystroke

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestUnderWine runs this package's tests for Windows that move windows: all of
// them on a us keyboard, notepad on others too.
func TestUnderWine(t *testing.T) {
	t.Parallel()
	w := newWine(t)
	for _, tt := range []struct{ layout, run string }{
		{"us", "^Test(SendInput|WinKeyboard|WinClip|PowerShellIsHidden" + w.robotgo(t) + ")"},
		{"de", "^TestSendInputTypesIntoNotepad$"},
		{"fr", "^TestSendInputTypesIntoNotepad$"},
	} {
		t.Run(tt.layout, func(t *testing.T) {
			w.layout(t, tt.layout)
			out := w.run(t, "wine", "explorer", "/desktop=cursor-ralph,1000x700", w.dir+"/keystroke.exe", "-test.v", "-test.run", tt.run)
			if !strings.Contains(out, "\nPASS") || strings.Contains(out, "--- SKIP") || strings.Contains(out, "--- FAIL") {
				t.Error(out)
			}
			t.Logf("%d tests passed", strings.Count("\n"+out, "\n--- PASS"))
		})
	}
}

// wine is a Windows for one test: a screen, a folder with drive C, and the
// programs.
type wine struct {
	ctx context.Context
	dir string
	env []string
}

func newWine(t *testing.T) wine {
	t.Helper()
	for _, tool := range []string{"wine", "wineboot", "wineserver", "Xvfb", "setxkbmap", "x86_64-w64-mingw32-gcc"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("needs " + tool)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	t.Cleanup(cancel)
	w := wine{ctx: ctx, dir: t.TempDir()}
	w.env = append(os.Environ(), "WINEPREFIX="+w.dir+"/prefix", "WINEDEBUG=-all", "WINEDIT="+w.dir, "HOME="+w.dir, "XDG_RUNTIME_DIR="+w.dir,
		// No browser, no .NET and no menu entries for this one.
		"WINEDLLOVERRIDES=mscoree,mshtml=;winemenubuilder.exe=d", "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0")
	// Go keeps what it has built beneath the real home.
	for _, cache := range []string{"GOCACHE", "GOMODCACHE", "GOPATH"} {
		out, err := exec.Command("go", "env", cache).Output()
		if err != nil {
			t.Fatal(err)
		}
		w.env = append(w.env, cache+"="+strings.TrimSpace(string(out)))
	}
	w.screen(t)
	w.run(t, "go", "test", "-c", "-o", w.dir+"/keystroke.exe", ".")
	w.run(t, "go", "build", "-o", w.dir+"/winedit.exe", "./testdata/winedit")
	t.Cleanup(func() { _ = w.command("wineserver", "-k").Run() }) // none may be left
	w.run(t, "wineboot", "-i")
	w.randomness(t)
	return w
}

func (w wine) command(name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(w.ctx, name, args...)
	cmd.Env, cmd.WaitDelay = w.env, time.Second
	return cmd
}

// run lets a program fail the test, and gives what it said. Wine leaves
// processes behind that keep its streams, so their end is not waited for.
func (w wine) run(t *testing.T, name string, args ...string) string {
	t.Helper()
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd := w.command(name, args...)
	cmd.Stdout, cmd.Stderr = log, log
	failed := cmd.Run()
	out, err := os.ReadFile(log.Name())
	if failed != nil || err != nil {
		t.Fatalf("%s: %v, %v\n%s", name, failed, err, out)
	}
	return string(out)
}

// robotgo cross-builds the helper, where its source is, and gives the name that
// its test begins with.
func (w *wine) robotgo(t *testing.T) string {
	t.Helper()
	if _, err := os.Stat("../cmd/cursor-ralph-robotgo/robot_windows.go"); err != nil {
		return ""
	}
	w.env = append(w.env, "CGO_ENABLED=1", "CC=x86_64-w64-mingw32-gcc", "ROBOTGO="+w.dir+"/robotgo.exe")
	w.run(t, "go", "build", "-o", w.dir+"/robotgo.exe", "../cmd/cursor-ralph-robotgo")
	return "|RobotgoHelper"
}

// screen starts an X server and waits until it tells its number.
func (w *wine) screen(t *testing.T) {
	t.Helper()
	cmd := w.command("Xvfb", "-displayfd", "1", "-screen", "0", "1024x768x24", "-nolisten", "tcp")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }) // how it ends says nothing
	number, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("Xvfb: %v", err)
	}
	w.env = append(w.env, "DISPLAY=:"+strings.TrimSpace(number))
}

// layout sets the keyboard's layout, which wine looks at when it starts.
func (w wine) layout(t *testing.T, name string) {
	t.Helper()
	_ = w.command("wineserver", "-k").Run() // an error says that none runs
	w.run(t, "wineserver", "-w")
	w.run(t, "setxkbmap", name)
}

// randomness makes bcryptprimitives.dll, which Go programs need and wine 8
// lacks.
func (w wine) randomness(t *testing.T) {
	t.Helper()
	dll := filepath.Join(w.dir, "prefix/drive_c/windows/system32/bcryptprimitives.dll")
	if _, err := os.Stat(dll); err == nil {
		return
	}
	w.run(t, "x86_64-w64-mingw32-gcc", "-shared", "-o", dll, "testdata/bcryptprimitives.c", "-ladvapi32")
}
