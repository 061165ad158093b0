package windows

import (
	"context"
	"runtime"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/key"
)

type winDesk struct {
	class string // what the class of the editor's windows begins with
}

// chromeClass begins the class of every window of an Electron program. Source:
// Chromium, ui/gfx/win/window_impl.cc.
const chromeClass = "Chrome_WidgetWin_"

// Desk returns Windows's desktop.
func Desk() (desk.Desk, error) { return winDesk{chromeClass}, nil }

// Windows leaves out what has an owner: dialogs, menus and the like.
func (d winDesk) Windows(_ context.Context, editors desk.Editors) ([]desk.Window, error) {
	const owner = 4
	var found []desk.Window
	for _, h := range topWindows() {
		w := windowOf(h)
		owned, _ := user32("GetWindow", uintptr(h), owner)
		if owned == 0 && w.Title != "" && windows.IsWindowVisible(h) && strings.HasPrefix(windowClass(h), d.class) && editors.Has(pathOf(w)) {
			found = append(found, w)
		}
	}
	return found, nil
}

func windowOf(h windows.HWND) desk.Window {
	return desk.Window{ID: strconv.FormatUint(uint64(h), 10), Title: windowTitle(h), PID: int(windowPID(h))}
}

// Front returns ErrNoFront while the focus moves from one window to another.
func (winDesk) Front(context.Context) (desk.Window, error) {
	h := windows.GetForegroundWindow()
	if h == 0 {
		return desk.Window{}, desk.ErrNoFront
	}
	return windowOf(h), nil
}

// pathOf returns an empty path for a process that cannot be examined.
func pathOf(w desk.Window) string {
	path, err := processPath(uint32(w.PID))
	if err != nil {
		return ""
	}
	return path
}

func handle(w desk.Window) (windows.HWND, error) {
	n, err := strconv.ParseUint(w.ID, 10, 64)
	return windows.HWND(n), err
}

func (winDesk) Focused(_ context.Context, w desk.Window) (bool, error) {
	h, err := handle(w)
	return err == nil && inFront(h, w.PID), err
}

// inFront looks at the process too: a handle may be given again.
func inFront(h windows.HWND, pid int) bool {
	return h != 0 && windows.GetForegroundWindow() == h && int(windowPID(h)) == pid
}

func (winDesk) Activate(_ context.Context, w desk.Window) error {
	h, err := handle(w)
	if err != nil {
		return err
	}
	runtime.LockOSThread() // the rights to the focus are a thread's
	defer runtime.UnlockOSThread()
	return toFront(h)
}

func (winDesk) Idle(context.Context) (time.Duration, error) {
	info := struct{ size, time uint32 }{size: 8}
	ok, err := user32("GetLastInputInfo", uintptr(unsafe.Pointer(&info)))
	if ok == 0 {
		return 0, err
	}
	now, _ := call("kernel32.dll", "GetTickCount")
	// Both count milliseconds in 32 bits, which pass zero every 49 days.
	return time.Duration(uint32(now)-info.time) * time.Millisecond, nil
}

type winKeyboard struct{}

func keyboard() desk.Keyboard { return winKeyboard{} }

// Press looks at the focus right before the one call that sends all keys.
// Windows has no way to make the two one step.
func (winKeyboard) Press(_ context.Context, w desk.Window, c key.Chord) error {
	h, err := handle(w)
	if err != nil {
		return desk.NotPressed(err)
	}
	events, err := virtualKeys(c, heldModifiers())
	if err != nil {
		return desk.NotPressed(err)
	}
	if !inFront(h, w.PID) {
		return desk.ErrLostFocus
	}
	return pressAll(events)
}

func (winDesk) Put(ctx context.Context, w desk.Window, line string) (desk.Clip, error) {
	return newWinClip(ctx, w, line)
}
