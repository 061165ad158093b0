package windows

import (
	"errors"
	"fmt"
	"slices"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
)

// user32 calls a function of user32.dll that x/sys lacks. Its error is only
// meaningful where the result says that there is one.
//
//go:uintptrescapes
func user32(name string, args ...uintptr) (uintptr, error) {
	return call("user32.dll", name, args...)
}

// call loads the library anew each time, which Windows answers from memory: so
// nothing is kept between calls.
//
//go:uintptrescapes
func call(dll, name string, args ...uintptr) (uintptr, error) {
	proc := windows.NewLazySystemDLL(dll).NewProc(name)
	if err := proc.Find(); err != nil {
		return 0, err
	}
	result, _, err := proc.Call(args...)
	return result, fmt.Errorf("%s: %w", name, err)
}

func topWindows() []windows.HWND {
	var found []windows.HWND
	// Windows calls it back before EnumWindows returns. Go never frees a callback
	// and has room for 2000: enough for a process that types a line.
	add := syscall.NewCallback(func(h windows.HWND, _ uintptr) uintptr {
		found = append(found, h)
		return 1
	})
	// It fails where there is no desktop, and then there are no windows.
	_ = windows.EnumWindows(add, nil)
	return found
}

func windowPID(h windows.HWND) (pid uint32) {
	// A window that is gone has the process 0.
	_, _ = windows.GetWindowThreadProcessId(h, &pid)
	return pid
}

func windowClass(h windows.HWND) string {
	var buf [256]uint16
	n, err := windows.GetClassName(h, &buf[0], int32(len(buf)))
	if err != nil {
		return ""
	}
	return windows.UTF16ToString(buf[:n])
}

// windowTitle does not ask the window's program, which may hang.
func windowTitle(h windows.HWND) string {
	var buf [512]uint16
	n, _ := user32("InternalGetWindowText", uintptr(h), uintptr(unsafe.Pointer(&buf[0])), uintptr(len(buf)))
	return windows.UTF16ToString(buf[:n])
}

func processPath(pid uint32) (string, error) {
	process, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, pid)
	if err != nil {
		return "", err
	}
	// Nothing was changed through it.
	defer func() { _ = windows.CloseHandle(process) }()
	buf := make([]uint16, windows.MAX_LONG_PATH)
	size := uint32(len(buf))
	err = windows.QueryFullProcessImageName(process, 0, &buf[0], &size)
	return windows.UTF16ToString(buf[:size]), err
}

// input is Windows's INPUT for a key. The trailing bytes make it as large as
// its largest member, the mouse's.
type input struct {
	kind uint32
	key  struct {
		vk, scan    uint16
		flags, time uint32
		extra       uintptr
	}
	_ [8]byte
}

const (
	inputKeyboard = 1
	keyExtended   = 1
	keyUp         = 2
)

// pressAll hands over all events in one call: then none of the user's own keys
// can come between. Source: Microsoft, SendInput, remarks.
func pressAll(events []keyEvent) error {
	inputs := make([]input, 0, len(events))
	for _, e := range events {
		in := input{kind: inputKeyboard}
		in.key.vk = e.vk
		// Programs that go by the place of a key, as shortcuts of the editor do, need its scan code.
		scan, _ := user32("MapVirtualKeyW", uintptr(e.vk), 0)
		in.key.scan = uint16(scan)
		if extendedKey(e.vk) {
			in.key.flags |= keyExtended
		}
		if e.up {
			in.key.flags |= keyUp
		}
		inputs = append(inputs, in)
	}
	return sendInputs(inputs)
}

func sendInputs(inputs []input) error {
	n, err := user32("SendInput", uintptr(len(inputs)), uintptr(unsafe.Pointer(&inputs[0])), unsafe.Sizeof(inputs[0]))
	return allTaken(int(n), len(inputs), err)
}

func allTaken(n, of int, err error) error {
	if n == of {
		return nil
	}
	err = fmt.Errorf("only %d of %d key events were taken, another program blocks them: %w", n, of, err)
	if n == 0 {
		return desk.NotPressed(err)
	}
	return err
}

func heldModifiers() []uint16 {
	return slices.DeleteFunc(modifierKeys(), func(vk uint16) bool {
		state, _ := user32("GetAsyncKeyState", uintptr(vk))
		return state&0x8000 == 0
	})
}

// toFront brings a window to the front. Windows grants that to the program
// that got the last input, so an empty movement of the mouse is sent first: it
// is input, and it does nothing. Source: PowerToys,
// FancyZonesWindowUtils::SwitchToWindow.
func toFront(h windows.HWND) error {
	const restore = 9
	if minimized, _ := user32("IsIconic", uintptr(h)); minimized != 0 {
		// The asynchronous one does not hang with the window's program. Its result is not success.
		_, _ = user32("ShowWindowAsync", uintptr(h), restore)
	}
	if err := sendInputs(make([]input, 1)); err != nil {
		return err
	}
	if ok, _ := user32("SetForegroundWindow", uintptr(h)); ok != 0 {
		return nil
	}
	return asFront(func() error {
		if ok, err := user32("SetForegroundWindow", uintptr(h)); ok == 0 {
			return fmt.Errorf("the window of Cursor was not let to the front: %w", err)
		}
		return nil
	})
}

// asFront does something while this thread shares the input of the front
// window's thread, and so its right to hand over the focus.
func asFront(do func() error) error {
	front := windows.GetForegroundWindow()
	thread, err := windows.GetWindowThreadProcessId(front, nil)
	if front == 0 || err != nil {
		return errors.New("no window is in front: the screen may be locked")
	}
	own := uintptr(windows.GetCurrentThreadId())
	if ok, err := user32("AttachThreadInput", own, uintptr(thread), 1); ok == 0 {
		return err
	}
	// Without it the two stay attached until this thread ends, which is soon.
	defer func() { _, _ = user32("AttachThreadInput", own, uintptr(thread), 0) }()
	return do()
}
