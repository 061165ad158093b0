package windows

import (
	"slices"
	"unsafe"

	"golang.org/x/sys/windows"
)

func clipboardFormats() (formats []uintptr) {
	for f, _ := user32("EnumClipboardFormats", 0); f != 0; f, _ = user32("EnumClipboardFormats", f) {
		formats = append(formats, f)
	}
	return formats
}

// privateFormats keep a clipboard out of its history and the cloud. The last two
// hold a number, where 0 means no. Source: Microsoft, "Clipboard Formats", cloud
// clipboard and clipboard history formats.
func privateFormats() (formats []uintptr) {
	for _, name := range []string{"ExcludeClipboardContentFromMonitorProcessing", "CanIncludeInClipboardHistory", "CanUploadToCloudClipboard"} {
		formats = append(formats, clipboardFormat(name))
	}
	return formats
}

// clipboardFormat returns 0, which is not a format, if Windows has no room for another.
func clipboardFormat(name string) uintptr {
	p, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return 0
	}
	format, _ := user32("RegisterClipboardFormatW", uintptr(unsafe.Pointer(p)))
	return format
}

// private keeps the line out of the clipboard's history and the cloud.
func private() error {
	for _, format := range privateFormats() {
		if err := setClipboard(format, []uint16{0, 0}); err != nil {
			return err
		}
	}
	return nil
}

func isPassword(formats []uintptr) bool {
	for n, format := range privateFormats() {
		if !slices.Contains(formats, format) {
			continue
		}
		if data, _ := user32("GetClipboardData", format); n == 0 || data != 0 && isZero(readGlobal(data)) {
			return true
		}
	}
	return false
}

func isZero(number []uint16) bool { return len(number) > 0 && number[0] == 0 }

// setClipboard hands over text. The memory is the clipboard's from then on.
func setClipboard(format uintptr, text []uint16) error {
	memory, err := call("kernel32.dll", "GlobalAlloc", globalMoveable, uintptr(len(text)*2))
	if memory == 0 {
		return err
	}
	at, err := call("kernel32.dll", "GlobalLock", memory)
	if at == 0 {
		return err
	}
	copyOut(at, text)
	_, _ = call("kernel32.dll", "GlobalUnlock", memory) // returns 0 for unlocked
	if ok, err := user32("SetClipboardData", format, memory); ok == 0 {
		_, _ = call("kernel32.dll", "GlobalFree", memory) // the first error counts
		return err
	}
	return nil
}

func readGlobal(memory uintptr) []uint16 {
	size, _ := call("kernel32.dll", "GlobalSize", memory)
	at, _ := call("kernel32.dll", "GlobalLock", memory)
	if at == 0 || size < 2 {
		return nil
	}
	defer func() { _, _ = call("kernel32.dll", "GlobalUnlock", memory) }() // returns 0 for unlocked
	text := make([]uint16, size/2)
	copyIn(text, at)
	if end := slices.Index(text, 0); end >= 0 {
		return text[:end+1]
	}
	return append(text, 0)
}

// copyOut and copyIn let Windows copy: a Go slice cannot refer to its memory.
func copyOut(to uintptr, text []uint16) {
	_, _ = call("kernel32.dll", "RtlMoveMemory", to, uintptr(unsafe.Pointer(&text[0])), uintptr(len(text)*2)) // has no result
}

func copyIn(text []uint16, from uintptr) {
	_, _ = call("kernel32.dll", "RtlMoveMemory", uintptr(unsafe.Pointer(&text[0])), from, uintptr(len(text)*2)) // has no result
}

// unless drops the error that Windows returns with a success too.
func unless(ok bool, err error) error {
	if ok {
		return nil
	}
	return err
}
