package rendezvous

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/sys/windows"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
)

// checkMode has nothing to check: access lists decide, and the folder is private.
func checkMode(string, fs.FileInfo) error { return nil }

func checkFolder(path string) error { return ownfile.CheckFolder(path) }

const pipes = `\\.\pipe\cursor-ralph-`

// checkAddress refuses anything but a pipe of this machine with our name.
func checkAddress(address string) error {
	if rest, ok := strings.CutPrefix(address, pipes); !ok || strings.ContainsAny(rest, `\/`) {
		return fmt.Errorf("%w: %q is not our pipe", ownfile.ErrNotOurs, address)
	}
	return nil
}

// dial opens a pipe. Its server may learn who we are and not act in our name.
// Source: Microsoft, "Impersonation Levels".
func dial(_ context.Context, address string) (io.ReadWriteCloser, error) {
	name, err := windows.UTF16PtrFromString(address)
	if err != nil {
		return nil, err
	}
	const flags = windows.FILE_FLAG_OVERLAPPED | windows.SECURITY_SQOS_PRESENT | windows.SECURITY_IDENTIFICATION
	handle, err := windows.CreateFile(name, windows.GENERIC_READ|windows.GENERIC_WRITE, 0, nil, windows.OPEN_EXISTING, flags, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: address, Err: err}
	}
	return os.NewFile(uintptr(handle), address), nil
}
