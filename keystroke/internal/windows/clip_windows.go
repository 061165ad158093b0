package windows

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
)

// The patience with Windows's clipboard.
const (
	winFetchWait = 1500 * time.Millisecond
	settleWait   = 30 * time.Millisecond
	fetchBlind   = 200 * time.Millisecond // where another program read the line first
	giveUpWait   = time.Second            // for a thread that restores the clipboard
	openTries    = 50                     // 10 ms apart: one program at a time may have it open
)

// Clipboard formats and messages of windows. Source: Microsoft, "Standard
// Clipboard Formats" and "Clipboard Notifications".
const (
	cfText         = 1
	cfOEMText      = 7
	cfUnicodeText  = 13
	cfLocale       = 16
	wmRenderFormat = 0x0305
	wmRenderAll    = 0x0306
	wmRestore      = 0x8000 // of our own: WM_APP
	hwndMessage    = ^uintptr(2)
	globalMoveable = 2
)

// winClip is the clipboard with the line only promised: Windows asks this
// process for it when a program reads it, and so shows which one does.
type winClip struct {
	editor  uint32
	line    []uint16
	hwnd    uintptr
	old     []uint16 // with its closing zero; nil if there was no text
	lost    string
	readers chan uint32
	ready   chan bool  // the line is promised, and somebody will restore
	done    chan error // the window's thread has restored and ended
}

// newWinClip starts a thread that owns the clipboard until restore. If ctx ends
// before, the thread restores the clipboard. That is waited for, but not for ever:
// the program whose text is requested may hang.
func newWinClip(ctx context.Context, w desk.Window, line string) (*winClip, error) {
	text, err := windows.UTF16FromString(line)
	if err != nil {
		return nil, err
	}
	c := &winClip{editor: uint32(w.PID), line: text, readers: make(chan uint32, 16), ready: make(chan bool), done: make(chan error, 1)}
	go func() { c.done <- c.own(ctx) }()
	select {
	case <-c.ready:
		return c, nil
	case err := <-c.done:
		return nil, err
	case <-ctx.Done():
	}
	select {
	case <-c.done:
	case <-time.After(giveUpWait):
	}
	return nil, ctx.Err()
}

// own is the life of the thread. A window's messages come to the thread that
// made it.
func (c *winClip) own(ctx context.Context) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := c.window(); err != nil {
		return err
	}
	defer func() { _, _ = user32("DestroyWindow", c.hwnd) }() // it ends with the process too
	err := c.promise(ctx)
	if err == nil {
		select {
		case c.ready <- true:
			return c.serve()
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	return errors.Join(err, c.giveBack())
}

// window makes a window that is never shown, with a class of its own.
func (c *winClip) window() error {
	name, err := windows.UTF16PtrFromString(fmt.Sprintf("cursor-ralph clipboard %p", c))
	if err != nil {
		return err
	}
	class := struct {
		size, style                        uint32
		proc                               uintptr
		classExtra, windowExtra            int32
		instance, icon, cursor, background uintptr
		menu, name                         *uint16
		smallIcon                          uintptr
	}{proc: syscall.NewCallback(c.message), name: name}
	class.size = uint32(unsafe.Sizeof(class))
	if ok, err := user32("RegisterClassExW", uintptr(unsafe.Pointer(&class))); ok == 0 {
		return err
	}
	c.hwnd, err = user32("CreateWindowExW", 0, uintptr(unsafe.Pointer(name)), 0, 0, 0, 0, 0, 0, hwndMessage, 0, 0, 0)
	if c.hwnd == 0 {
		return err
	}
	return nil
}

func (c *winClip) message(hwnd, msg, wparam, lparam uintptr) uintptr {
	switch {
	case msg == wmRenderFormat && wparam == cfUnicodeText:
		reader, _ := user32("GetOpenClipboardWindow")
		pid := windowPID(windows.HWND(reader))
		if setClipboard(cfUnicodeText, c.line) == nil {
			select {
			case c.readers <- pid:
			default: // enough is known
			}
		}
		return 0
	case msg == wmRenderAll: // only if the window ends before restore: then nothing is promised any more
		return 0
	}
	result, _ := user32("DefWindowProcW", hwnd, msg, wparam, lparam)
	return result
}

func (c *winClip) serve() error {
	var msg struct {
		hwnd           uintptr
		message        uint32
		wparam, lparam uintptr
		time           uint32
		x, y           int32
		_              uint32
	}
	for {
		got, err := user32("GetMessageW", uintptr(unsafe.Pointer(&msg)), 0, 0, 0)
		if int32(got) <= 0 {
			return err
		}
		if msg.message == wmRestore {
			return c.giveBack()
		}
		_, _ = user32("DispatchMessageW", uintptr(unsafe.Pointer(&msg)))
	}
}

func (c *winClip) promise(ctx context.Context) error {
	return c.whileOpen(ctx, func() error {
		c.keep()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if ok, err := user32("EmptyClipboard"); ok == 0 {
			return err
		}
		// Without data it means: ask when it is read. Its result is that nothing.
		_, _ = user32("SetClipboardData", cfUnicodeText, 0)
		return private()
	})
}

func (c *winClip) keep() {
	formats := clipboardFormats()
	if isPassword(formats) {
		c.lost = desk.PasswordLost
		return
	}
	if data, _ := user32("GetClipboardData", cfUnicodeText); data != 0 && slices.Contains(formats, cfUnicodeText) {
		c.old = readGlobal(data)
	}
	known := append(privateFormats(), cfText, cfOEMText, cfUnicodeText, cfLocale)
	rest := slices.DeleteFunc(formats, func(f uintptr) bool { return slices.Contains(known, f) })
	switch {
	case c.old == nil && len(rest) > 0:
		c.lost = desk.NoTextLost
	case len(rest) > 0:
		c.lost = desk.RichTextLost
	}
}

// Fetched waits until the editor has asked for the line.
func (c *winClip) Fetched(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, winFetchWait)
	defer cancel()
	select {
	case <-ctx.Done():
		return fmt.Errorf("the editor did not ask the clipboard for it: %w", ctx.Err())
	case reader := <-c.readers:
		if !c.owned() {
			return errors.New("another program took the clipboard")
		}
		if reader == c.editor {
			return proc.Sleep(ctx, settleWait)
		}
		// A program that watches the clipboard was first; later readers cannot be observed.
		return proc.Sleep(ctx, fetchBlind)
	}
}

// Restore has the thread put the old text back, and waits for its end.
func (c *winClip) Restore(ctx context.Context) (lost string, err error) {
	if ok, err := user32("PostMessageW", c.hwnd, wmRestore, 0, 0); ok == 0 {
		return "", err
	}
	select {
	case err := <-c.done:
		return c.lost, err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// giveBack leaves alone what somebody has copied meanwhile.
func (c *winClip) giveBack() error {
	if !c.owned() {
		c.lost = ""
		return nil
	}
	return c.whileOpen(context.Background(), func() error { // openTries bound it
		if !c.owned() {
			c.lost = ""
			return nil
		}
		if ok, err := user32("EmptyClipboard"); ok == 0 || c.old == nil {
			return unless(ok != 0, err)
		}
		return setClipboard(cfUnicodeText, c.old)
	})
}

func (c *winClip) owned() bool {
	owner, _ := user32("GetClipboardOwner")
	return owner == c.hwnd
}

// whileOpen tries for a while: one program at a time may have it open, and in
// it one thread.
func (c *winClip) whileOpen(ctx context.Context, do func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for try := range openTries {
		if try > 0 {
			if err := proc.Sleep(ctx, desk.Poll); err != nil {
				return err
			}
		}
		if ok, _ := user32("OpenClipboard", c.hwnd); ok != 0 {
			err := do()
			ok, closing := user32("CloseClipboard")
			return errors.Join(err, unless(ok != 0, closing))
		}
	}
	return errors.New("another program keeps the clipboard open")
}
