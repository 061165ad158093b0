//go:build !unix

package commands

import "io/fs"

// othersFile leaves it to the system's access rules, which are finer than an owner.
func othersFile(fs.FileInfo) bool { return false }
