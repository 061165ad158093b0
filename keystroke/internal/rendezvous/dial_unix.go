//go:build !windows

package rendezvous

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
)

// checkMode refuses what others can read or change.
func checkMode(path string, info fs.FileInfo) error {
	if info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%w: others can open %s (%s)", ownfile.ErrNotOurs, path, info.Mode().Perm())
	}
	return nil
}

// checkFolder refuses a folder that others can open. For a missing one it returns
// the error of Lstat.
func checkFolder(path string) error {
	if err := ownfile.CheckFolder(path); err != nil {
		return err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	return checkMode(path, info)
}

// checkAddress refuses anything but our own socket in a folder that only we can
// change.
func checkAddress(address string) error {
	if !filepath.IsAbs(address) {
		return fmt.Errorf("%w: %q is not a socket", ownfile.ErrNotOurs, address)
	}
	if err := checkFolder(filepath.Dir(address)); err != nil {
		return err
	}
	info, err := os.Lstat(address)
	switch {
	case err != nil:
		return err
	case info.Mode().Type() != fs.ModeSocket || !ownfile.IsOurs(info):
		return fmt.Errorf("%w: %s is not our socket", ownfile.ErrNotOurs, address)
	}
	return nil
}

func dial(ctx context.Context, address string) (io.ReadWriteCloser, error) {
	return new(net.Dialer).DialContext(ctx, "unix", address)
}
