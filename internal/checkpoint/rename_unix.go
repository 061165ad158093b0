//go:build unix

package checkpoint

import (
	"os"

	"golang.org/x/sys/unix"
)

// rename moves a file between two open folders, whatever their paths lead to now.
func rename(from *os.File, name string, to *os.File, as string) error {
	return unix.Renameat(int(from.Fd()), name, int(to.Fd()), as) // #nosec G115 -- descriptors are small
}
