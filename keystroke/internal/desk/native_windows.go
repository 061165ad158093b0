package desk

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/cursor-ralph/cursor-ralph/internal/proc"
)

// native is Windows's desktop without a keyboard.
func native() (Desk, error) {
	return Desk{
		Windows: func(context.Context, []string) ([]Window, error) { return topWindows(), nil },
		Front: func(context.Context) (Window, error) {
			h := windows.GetForegroundWindow()
			if h == 0 || modifierHeld() { // held it would change our key
				return Window{}, ErrNoFront
			}
			return windowOf(h), nil
		},
		Raise: func(_ context.Context, w Window) error {
			h, err := strconv.ParseUint(w.ID, 10, 64)
			if err != nil {
				return err
			}
			return toFront(windows.HWND(h))
		},
		Boards: []Board{{"clipboard", readClipboard, writeClipboard}},
		Idle:   func(context.Context) (time.Duration, error) { return sinceInput() },
	}, nil
}

// user32 calls a function of user32.dll that x/sys lacks. Its error is only
// meaningful where the result says that there is one.
//
//go:uintptrescapes
func user32(name string, args ...uintptr) (uintptr, error) { return call("user32.dll", name, args...) }

// call loads the library anew each time, which Windows answers from memory: so
// nothing is kept between calls.
//
//go:uintptrescapes
func call(dll, name string, args ...uintptr) (uintptr, error) {
	f := windows.NewLazySystemDLL(dll).NewProc(name)
	if err := f.Find(); err != nil {
		return 0, err
	}
	result, _, err := f.Call(args...)
	return result, fmt.Errorf("%s: %w", name, err)
}

// topWindows leaves out what has an owner, as dialogs and menus have, or no title.
func topWindows() (found []Window) {
	// Windows calls it back before EnumWindows returns. Go never frees a callback
	// and has room for 2000: enough for a process that types a line.
	add := syscall.NewCallback(func(h windows.HWND, _ uintptr) uintptr {
		const owner = 4
		owned, _ := user32("GetWindow", uintptr(h), owner)
		if w := windowOf(h); owned == 0 && w.Title != "" && windows.IsWindowVisible(h) {
			found = append(found, w)
		}
		return 1
	})
	_ = windows.EnumWindows(add, nil) // it fails where there is no desktop, and then there are no windows
	return found
}

// windowOf does not ask the window's program, which may hang.
func windowOf(h windows.HWND) Window {
	var title [512]uint16
	n, _ := user32("InternalGetWindowText", uintptr(h), uintptr(unsafe.Pointer(&title[0])), uintptr(len(title)))
	var class [256]uint16
	_, _ = windows.GetClassName(h, &class[0], int32(len(class))) // else it is empty
	var pid uint32
	_, _ = windows.GetWindowThreadProcessId(h, &pid) // else it is 0
	return Window{strconv.FormatUint(uint64(h), 10), windows.UTF16ToString(title[:n]), windows.UTF16ToString(class[:]), int(pid), []string{processPath(pid)}}
}

// processPath returns an empty path for a process that cannot be examined.
func processPath(pid uint32) string {
	process, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, pid)
	if err != nil {
		return ""
	}
	defer func() { _ = windows.CloseHandle(process) }() // nothing was changed through it
	buf := make([]uint16, windows.MAX_LONG_PATH)
	size := uint32(len(buf))
	if err := windows.QueryFullProcessImageName(process, 0, &buf[0], &size); err != nil {
		return ""
	}
	return windows.UTF16ToString(buf[:size])
}

// modifierHeld reports whether Shift, Ctrl, Alt or a Windows key is down.
func modifierHeld() bool {
	for _, vk := range []uintptr{0x10, 0x11, 0x12, 0x5B, 0x5C} {
		if state, _ := user32("GetAsyncKeyState", vk); state&0x8000 != 0 {
			return true
		}
	}
	return false
}

// toFront brings a window to the front. Windows grants that to the program
// that got the last input, so an empty movement of the mouse is sent first: it
// is input, and it does nothing. Source: PowerToys,
// FancyZonesWindowUtils::SwitchToWindow.
func toFront(h windows.HWND) error {
	const restore, move = 9, 1
	runtime.LockOSThread() // the rights to the focus are a thread's
	defer runtime.UnlockOSThread()
	if minimized, _ := user32("IsIconic", uintptr(h)); minimized != 0 {
		_, _ = user32("ShowWindowAsync", uintptr(h), restore) // it does not hang with the window's program; its result is not success
	}
	_, _ = user32("mouse_event", move, 0, 0, 0, 0)
	if ok, err := user32("SetForegroundWindow", uintptr(h)); ok == 0 {
		return fmt.Errorf("the window of Cursor was not let to the front: %w", err)
	}
	return nil
}

func sinceInput() (time.Duration, error) {
	info := struct{ size, time uint32 }{size: 8}
	if ok, err := user32("GetLastInputInfo", uintptr(unsafe.Pointer(&info))); ok == 0 {
		return 0, err
	}
	now, _ := call("kernel32.dll", "GetTickCount")
	// Both count milliseconds in 32 bits, which pass zero every 49 days.
	return time.Duration(uint32(now)-info.time) * time.Millisecond, nil
}

// formatNames are clipboard formats as Windows Forms calls them. Source: Microsoft,
// "Standard Clipboard Formats".
var formatNames = map[uintptr]string{1: "Text", 2: "Bitmap", 3: "MetaFilePict", 8: "DeviceIndependentBitmap", 13: "UnicodeText", 14: "EnhancedMetafile", 15: "FileDrop", 17: "Format17"}

const (
	unicodeText = 13
	// secretName marks a password. Source: Microsoft, "Cloud Clipboard and Clipboard History Formats".
	secretName = "ExcludeClipboardContentFromMonitorProcessing" // #nosec G101 -- the name of a clipboard format
)

func readClipboard(ctx context.Context) (c Content, err error) {
	err = whileOpen(ctx, func() error {
		secret, err := windows.UTF16PtrFromString(secretName)
		if err != nil {
			return err
		}
		secretFormat, _ := user32("RegisterClipboardFormatW", uintptr(unsafe.Pointer(secret)))
		for f, _ := user32("EnumClipboardFormats", 0); f != 0; f, _ = user32("EnumClipboardFormats", f) {
			switch name := formatNames[f]; {
			case f == secretFormat:
				c.Types = append(c.Types, secretName)
			case name != "":
				c.Types = append(c.Types, name)
			default:
				c.Types = append(c.Types, "format "+strconv.Itoa(int(f)))
			}
		}
		if data, _ := user32("GetClipboardData", unicodeText); data != 0 {
			c.Text, err = readGlobal(data)
		}
		return err
	})
	return c, err
}

func readGlobal(handle uintptr) (string, error) {
	p, err := call("kernel32.dll", "GlobalLock", handle)
	if p == 0 {
		return "", err
	}
	defer func() { _, _ = call("kernel32.dll", "GlobalUnlock", handle) }() // its result is the number of locks left
	return windows.UTF16PtrToString(*(**uint16)(unsafe.Pointer(&p))), nil
}

func writeClipboard(ctx context.Context, text string) error {
	data, err := windows.UTF16FromString(text)
	if err != nil {
		return err
	}
	return whileOpen(ctx, func() error {
		if ok, err := user32("EmptyClipboard"); ok == 0 || text == "" {
			return unless(ok != 0, err)
		}
		const moveable = 2
		handle, err := call("kernel32.dll", "GlobalAlloc", moveable, uintptr(len(data)*2))
		if handle == 0 {
			return err
		}
		p, err := call("kernel32.dll", "GlobalLock", handle)
		if p == 0 {
			return err
		}
		copy(unsafe.Slice(*(**uint16)(unsafe.Pointer(&p)), len(data)), data)
		_, _ = call("kernel32.dll", "GlobalUnlock", handle) // its result is the number of locks left
		set, err := user32("SetClipboardData", unicodeText, handle)
		return unless(set != 0, err)
	})
}

func unless(ok bool, err error) error {
	if ok {
		return nil
	}
	return err
}

// whileOpen tries for a while: one program at a time may have the clipboard open,
// and in it one thread.
func whileOpen(ctx context.Context, do func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for range 50 {
		if ok, _ := user32("OpenClipboard", 0); ok != 0 {
			err := do()
			closed, closing := user32("CloseClipboard")
			return errors.Join(err, unless(closed != 0, closing))
		}
		if err := proc.Sleep(ctx, 10*time.Millisecond); err != nil {
			return err
		}
	}
	return errors.New("another program keeps the clipboard open")
}
