package windows_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/keystroke"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/windows"
)

// robotgoKeys presses by the program cursor-ralph-robotgo alone.
type robotgoKeys struct{ path string }

func (k robotgoKeys) Press(ctx context.Context, _ desk.Window, c keystroke.Chord) error {
	if out, err := exec.CommandContext(ctx, k.path, "press", c.String()).CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// TestRobotgoHelperTypes runs the program that TestUnderWine has built.
func TestRobotgoHelperTypes(t *testing.T) {
	helper := os.Getenv("ROBOTGO")
	if helper == "" {
		t.Skip("needs cursor-ralph-robotgo.exe, which is built where wine is")
	}
	editor := playWin(t, "cursor.exe", "repo - Cursor")
	var want []string
	d := windows.DeskOf(windows.ChromeClass)
	w := awaitWinWindow(t, d, winTarget("cursor.exe").Editors)
	winFront(t, editor.windows[0])
	for try := range 3 {
		typeInto(t, d, robotgoKeys{helper}, w)
		editor.await(t, "message", try+1)
		want = append(want, winLine)
	}
	if got := editor.printed("message"); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}
