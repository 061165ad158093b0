package desk_test

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/test/testdesk"
	"github.com/cursor-ralph/cursor-ralph/test/testwine"
)

// TestUnderWine runs this package's tests for Windows that move windows: all of
// them on a us keyboard, notepad on others too.
func TestUnderWine(t *testing.T) {
	t.Parallel()
	w := newWine(t)
	tests := []struct{ layout, run string }{{"us", "^TestRobotgoTypesIntoTheEditor$"}}
	if !testing.Short() {
		tests = []struct{ layout, run string }{
			{"us", "^Test(Robotgo|PowerShellIsHidden)"},
			{"de", "^TestRobotgoTypesIntoNotepad$"},
			{"fr", "^TestRobotgoTypesIntoNotepad$"},
		}
	}
	for _, tt := range tests {
		t.Run(tt.layout, func(t *testing.T) {
			w.layout(t, tt.layout)
			w.Tests(t, "explorer", "/desktop=cursor-ralph,1000x700", w.Dir+"/keystroke.exe", "-test.v", "-test.run", tt.run)
		})
	}
}

// wine is a Windows with a screen, and the programs.
type wine struct{ *testwine.Wine }

func newWine(t *testing.T) wine {
	t.Helper()
	for _, tool := range []string{"Xvfb", "setxkbmap", "x86_64-w64-mingw32-gcc"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("needs " + tool)
		}
	}
	w := wine{testwine.New(t, os.Environ(), 15*time.Minute)}
	w.Env = append(w.Env, "WINEDIT="+w.Dir)
	w.screen(t)
	w.Run(t, "go", "test", "-c", "-o", w.Dir+"/keystroke.exe", ".")
	w.Run(t, "go", "build", "-o", w.Dir+"/winedit.exe", "./testdata/winedit")
	w.Env = append(w.Env, "CGO_ENABLED=1", "CC=x86_64-w64-mingw32-gcc", "ROBOTGO="+w.Dir+"/robotgo.exe")
	w.Run(t, "go", "build", "-tags", "robotgo", "-o", w.Dir+"/robotgo.exe", "../../../cmd/cursor-ralph-robotgo")
	return w
}

// screen starts an X server and waits until it reports its number.
func (w wine) screen(t *testing.T) {
	t.Helper()
	cmd := w.Command("Xvfb", "-displayfd", "1", "-screen", "0", "1024x768x24", "-nolisten", "tcp")
	out, err := cmd.StdoutPipe()
	testdesk.Must(t, err)
	testdesk.Must(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }) // its status does not matter
	number, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("Xvfb: %v", err)
	}
	w.Env = append(w.Env, "DISPLAY=:"+strings.TrimSpace(number))
}

// layout sets the keyboard's layout, which wine looks at when it starts.
func (w wine) layout(t *testing.T, name string) {
	t.Helper()
	_ = w.Command("wineserver", "-k").Run() // an error says that none runs
	w.Run(t, "wineserver", "-w")
	w.Run(t, "setxkbmap", name)
}
