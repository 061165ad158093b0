package testdesk_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/test/short"
	"github.com/cursor-ralph/cursor-ralph/test/testdesk"
)

// A test that is killed leaves none of its programs behind.
func TestProgramsEndWithTheTest(t *testing.T) {
	if os.Getenv("TESTDESK_DIR") != "" {
		openAll(t)
		return
	}
	short.Skip(t)
	testdesk.Needs(t, "Xvfb", "openbox", "chromium", "sway", "swaymsg", "foot")
	dir, err := os.MkdirTemp("", "testdesk") // not TempDir: sway may be another user's
	testdesk.Must(t, err)
	defer os.RemoveAll(dir)
	cmd := exec.Command(os.Args[0], "-test.run=^TestProgramsEndWithTheTest$")
	cmd.Env = append(os.Environ(), "TESTDESK_DIR="+dir, "TMPDIR="+dir)
	out, err := cmd.StdoutPipe()
	testdesk.Must(t, err, os.Chmod(dir, 0o755), cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	testdesk.Must(t, err)
	if line != "open\n" {
		t.Fatalf("it said %q", line)
	}
	if found := programsIn(t, dir); len(found) < 5 {
		t.Fatalf("the programs are %v, want Xvfb, openbox, Chromium, sway and foot", found)
	}
	testdesk.Must(t, cmd.Process.Kill())
	_ = cmd.Wait() // killed
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		found := programsIn(t, dir)
		if len(found) == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%v are left", found)
		}
	}
}

// openAll opens all that there is, says so, and waits to be killed.
func openAll(t *testing.T) {
	x := testdesk.NewX(t)
	page, err := testdesk.NewPage()
	testdesk.Must(t, err)
	_, err = x.StartEditor(t.Context(), page, testdesk.Options{})
	testdesk.Must(t, err)
	sway, err := testdesk.StartSway(t.Context(), os.Environ())
	testdesk.Must(t, err)
	_, err = sway.StartTerminal(t.Context(), "foot", "terminal")
	testdesk.Must(t, err)
	fmt.Println("open")
	time.Sleep(time.Minute) // is killed
}

// programsIn returns the programs, but for this one, that have a folder in their
// environment.
func programsIn(t *testing.T, dir string) (found []string) {
	t.Helper()
	self, err := os.Executable()
	testdesk.Must(t, err)
	all, err := os.ReadDir("/proc")
	testdesk.Must(t, err)
	for _, p := range all {
		if _, err := strconv.Atoi(p.Name()); err != nil {
			continue
		}
		env, err := os.ReadFile("/proc/" + p.Name() + "/environ")
		exe, err2 := os.Readlink("/proc/" + p.Name() + "/exe")
		if err == nil && err2 == nil && exe != self && strings.Contains(string(env), dir) {
			found = append(found, filepath.Base(exe))
		}
	}
	return found
}
