package ownfile

import (
	"errors"
	"io/fs"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// On Windows the temporary folder and the profile belong to one user, and the
// access list of a folder keeps others out; only links are looked for.
//
// A file that somebody has open can be replaced or removed only if they share it
// for that. We do; virus scanners, backups and a user's scripts may not, so what
// they keep us from is tried again for a while.

const (
	noFollow = 0

	patience = 2 * time.Second
	pause    = time.Millisecond
)

func open(path string, flag int) (f *os.File, err error) {
	if _, err := Check(path); err != nil && !(flag&os.O_CREATE != 0 && os.IsNotExist(err)) {
		return nil, err
	}
	err = patiently(func() error {
		f, err = openShared(path, flag)
		return err
	})
	return f, err
}

// openShared is os.OpenFile, which does not let others rename or remove the file
// meanwhile. It knows the flags that this package uses.
func openShared(path string, flag int) (*os.File, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	access, how := uint32(windows.GENERIC_READ), uint32(windows.OPEN_EXISTING)
	if flag&os.O_APPEND != 0 { // with FILE_WRITE_DATA too, writing would begin at the start
		access = windows.FILE_APPEND_DATA | windows.FILE_WRITE_ATTRIBUTES | windows.READ_CONTROL | windows.SYNCHRONIZE
	}
	if flag&os.O_CREATE != 0 {
		how = windows.OPEN_ALWAYS
	}
	const all = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	handle, err := windows.CreateFile(name, access, all, nil, how, windows.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(handle), path), nil
}

func openFolder(path string) (*os.File, error) {
	if err := CheckFolder(path); err != nil {
		return nil, err
	}
	return os.Open(path)
}

func rename(from, to string) error {
	return patiently(func() error {
		if renameOpen(from, to) == nil {
			return nil
		}
		return os.Rename(from, to)
	})
}

func remove(path string) error {
	return patiently(func() error { return os.Remove(path) })
}

// renameOpen replaces a file although others have it open, if they share it for
// that. It needs Windows 10 and NTFS. Whoever has the old file open goes on
// reading that.
func renameOpen(from, to string) error {
	var info renameInfo
	name, err := windows.UTF16FromString(to)
	if err != nil || len(name) > len(info.name) {
		return windows.ERROR_BAD_PATHNAME
	}
	info.flags = windows.FILE_RENAME_REPLACE_IF_EXISTS | windows.FILE_RENAME_POSIX_SEMANTICS
	info.length = uint32(2 * copy(info.name[:], name[:len(name)-1]))
	source, err := windows.UTF16PtrFromString(from)
	if err != nil {
		return err
	}
	const all = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	handle, err := windows.CreateFile(source, windows.DELETE|windows.SYNCHRONIZE, all, nil, windows.OPEN_EXISTING,
		windows.FILE_FLAG_OPEN_REPARSE_POINT, 0)
	if err != nil {
		return err
	}
	defer windows.CloseHandle(handle)
	return windows.SetFileInformationByHandle(handle, windows.FileRenameInfoEx, (*byte)(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
}

// renameInfo is FILE_RENAME_INFO with room for a path.
type renameInfo struct {
	flags  uint32
	root   windows.Handle
	length uint32 // of the name, in bytes
	name   [windows.MAX_PATH]uint16
}

// patiently repeats what fails because somebody has the file open.
func patiently(do func() error) error {
	for end := time.Now().Add(patience); ; time.Sleep(pause) {
		err := do()
		if !isBusy(err) || time.Now().After(end) {
			return err
		}
	}
}

// isBusy reports whether an error may be gone soon. Access is denied to the name
// of an open file that was removed, and to whoever replaces one.
func isBusy(err error) bool {
	return errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_ACCESS_DENIED) ||
		errors.Is(err, windows.ERROR_USER_MAPPED_FILE)
}

// Owner is not known: access lists decide instead.
func Owner(fs.FileInfo) (uid int, known bool) { return 0, false }

// CheckProgram refuses nothing: the access list of a folder decides, which is not read.
func CheckProgram(string) error { return nil }

// OthersWrite is false: access lists decide instead.
func OthersWrite(fs.FileInfo) bool { return false }

func checkOwners(string, fs.FileInfo) error       { return nil }
func checkFolderOwners(string, fs.FileInfo) error { return nil }
func closeFolder(string) error                    { return nil }
func closeFile(*os.File) error                    { return nil }
