//go:build windows

// Command winedit plays a program with a chat input on Windows: each title
// among its arguments becomes a window of Chromium's class with an edit field.
// It prints a line for every key that goes down, for every message that Return
// sends, and for every window.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

//go:uintptrescapes
func user32(name string, args ...uintptr) uintptr {
	result, _, _ := windows.NewLazySystemDLL("user32.dll").NewProc(name).Call(args...)
	return result
}

func text(s string) uintptr {
	p, err := windows.UTF16PtrFromString(s)
	if err != nil {
		panic(err)
	}
	return uintptr(unsafe.Pointer(p))
}

func main() {
	runtime.LockOSThread()
	register()
	edits := map[uintptr]uintptr{}
	for i, title := range os.Args[1:] {
		const visible, overlapped = 0x10000000, 0x00CF0000
		top := user32("CreateWindowExW", 0, text("Chrome_WidgetWin_1"), text(title), overlapped|visible, uintptr(40+60*i), uintptr(40+60*i), 500, 200, 0, 0, 0, 0)
		edit := user32("CreateWindowExW", 0, text("EDIT"), text(""), 0x40000000|visible|0x80, 5, 5, 480, 30, top, 0, 0, 0)
		edits[top] = edit
		user32("SetFocus", edit)
		fmt.Println("window", top)
	}
	var msg struct {
		hwnd           uintptr
		message        uint32
		wparam, lparam uintptr
		time           uint32
		x, y           int32
		_              uint32
	}
	for int32(user32("GetMessageW", uintptr(unsafe.Pointer(&msg)), 0, 0, 0)) > 0 {
		const keyDown, sysKeyDown = 0x100, 0x104
		if msg.message == keyDown || msg.message == sysKeyDown {
			fmt.Printf("key %02x\n", msg.wparam)
		}
		if msg.message == keyDown && msg.wparam == 0x0D {
			send(msg.hwnd)
			continue
		}
		user32("TranslateMessage", uintptr(unsafe.Pointer(&msg)))
		user32("DispatchMessageW", uintptr(unsafe.Pointer(&msg)))
	}
}

// register makes the class; its windows hand the focus on to their edit field.
func register() {
	class := struct {
		size, style                        uint32
		proc                               uintptr
		classExtra, windowExtra            int32
		instance, icon, cursor, background uintptr
		menu, name                         uintptr
		smallIcon                          uintptr
	}{name: text("Chrome_WidgetWin_1")}
	class.size = uint32(unsafe.Sizeof(class))
	class.proc = syscall.NewCallback(func(hwnd, msg, wparam, lparam uintptr) uintptr {
		const setFocus, destroy, child = 0x7, 0x2, 5
		switch msg {
		case setFocus:
			user32("SetFocus", user32("GetWindow", hwnd, child))
			return 0
		case destroy:
			os.Exit(0)
		}
		return user32("DefWindowProcW", hwnd, msg, wparam, lparam)
	})
	if user32("RegisterClassExW", uintptr(unsafe.Pointer(&class))) == 0 {
		panic("no class")
	}
}

// send takes what is in the edit field as a message.
func send(edit uintptr) {
	buf := make([]uint16, 4096)
	user32("GetWindowTextW", edit, uintptr(unsafe.Pointer(&buf[0])), uintptr(len(buf)))
	fmt.Println("message", strings.TrimRight(windows.UTF16ToString(buf), "\r\n"))
	user32("SetWindowTextW", edit, text(""))
}
