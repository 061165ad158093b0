package keystroke

import (
	"context"
	"runtime"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// winDesk is Windows's desktop.
type winDesk struct {
	class string // what the class of the editor's windows begins with
}

// chromeClass begins the class of every window of an Electron program. Source:
// Chromium, ui/gfx/win/window_impl.cc.
const chromeClass = "Chrome_WidgetWin_"

func newWinDesk(Machine) (desk, error) { return winDesk{chromeClass}, nil }

// windows leaves out what has an owner: dialogs, menus and the like.
func (d winDesk) windows(_ context.Context, t Target) ([]window, error) {
	const owner = 4
	var found []window
	for _, h := range topWindows() {
		w := windowOf(h)
		owned, _ := user32("GetWindow", uintptr(h), owner)
		if owned == 0 && w.title != "" && windows.IsWindowVisible(h) && strings.HasPrefix(windowClass(h), d.class) && t.isEditor(pathOf(w)) {
			found = append(found, w)
		}
	}
	return found, nil
}

func windowOf(h windows.HWND) window {
	return window{id: strconv.FormatUint(uint64(h), 10), title: windowTitle(h), pid: int(windowPID(h))}
}

// front is none while the focus moves from one window to another.
func (winDesk) front(context.Context) (window, error) {
	h := windows.GetForegroundWindow()
	if h == 0 {
		return window{}, errNoFront
	}
	return windowOf(h), nil
}

// pathOf gives the empty path for a process that cannot be looked at: it is
// nobody's editor.
func pathOf(w window) string {
	path, err := processPath(uint32(w.pid))
	if err != nil {
		return ""
	}
	return path
}

func (w window) handle() (windows.HWND, error) {
	n, err := strconv.ParseUint(w.id, 10, 64)
	return windows.HWND(n), err
}

func (winDesk) focused(_ context.Context, w window) (bool, error) {
	h, err := w.handle()
	return err == nil && inFront(h, w.pid), err
}

// inFront looks at the process too: a handle may be given again.
func inFront(h windows.HWND, pid int) bool {
	return h != 0 && windows.GetForegroundWindow() == h && int(windowPID(h)) == pid
}

func (winDesk) activate(_ context.Context, w window) error {
	h, err := w.handle()
	if err != nil {
		return err
	}
	runtime.LockOSThread() // the rights to the focus are a thread's
	defer runtime.UnlockOSThread()
	return toFront(h)
}

func (winDesk) idle(context.Context) (time.Duration, error) {
	info := struct{ size, time uint32 }{size: 8}
	ok, err := user32("GetLastInputInfo", uintptr(unsafe.Pointer(&info)))
	if ok == 0 {
		return 0, err
	}
	now, _ := call("kernel32.dll", "GetTickCount")
	// Both count milliseconds in 32 bits, which pass zero every 49 days.
	return time.Duration(uint32(now)-info.time) * time.Millisecond, nil
}

// winKeyboard is SendInput.
type winKeyboard struct{}

func newWinKeyboard() keyboard { return winKeyboard{} }

// press looks at the focus right before the one call that sends all keys.
// Windows has no way to make the two one step.
func (winKeyboard) press(_ context.Context, w window, c Chord) error {
	h, err := w.handle()
	if err != nil {
		return unpressed{err}
	}
	events, err := virtualKeys(c, heldModifiers())
	if err != nil {
		return unpressed{err}
	}
	if !inFront(h, w.pid) {
		return errLostFocus
	}
	return sendKeys(events)
}

func (winDesk) put(ctx context.Context, w window, line string) (clip, error) {
	return newWinClip(ctx, w, line)
}
