//go:build linux && amd64

package main

import (
	"slices"
	"syscall"
)

// call is a system call of a traced process.
type call struct {
	kind
	number uint64
	args   [6]uint64
	path   string // of the file that it is about
	ours   bool
	writes bool          // of a descriptor: it was opened for writing
	forced syscall.Errno // what it is made to give
	result int64         // once it is left
}

// kind is what is known of a system call that is about a file.
type kind struct {
	name    string
	path    int  // the argument that names a file, 0 for none
	file    int  // the one that is a descriptor
	changes bool // files, or a lock
	errors  []syscall.Errno
}

// kinds are the system calls that are about files, with the errors that their
// manual pages have, as far as they come from outside: a disk, a limit, a signal,
// permissions. EIO is there too where the page leaves it out and file systems
// give it all the same, for a block that cannot be read.
func kinds() map[uint64]kind {
	const (
		full  = syscall.ENOSPC
		quota = syscall.EDQUOT
		io    = syscall.EIO
		intr  = syscall.EINTR
		acces = syscall.EACCES
		rofs  = syscall.EROFS
		mem   = syscall.ENOMEM
	)
	list := func(e ...syscall.Errno) []syscall.Errno { return e }
	return map[uint64]kind{
		syscall.SYS_OPENAT:     {"openat", 1, 0, true, list(full, quota, io, intr, acces, rofs, mem, syscall.EMFILE, syscall.ENFILE)},
		syscall.SYS_NEWFSTATAT: {"newfstatat", 1, 0, false, list(io, acces, mem)},
		syscall.SYS_READLINKAT: {"readlinkat", 1, 0, false, list(io, acces, mem)},
		sysFaccessat2:          {"faccessat2", 1, 0, false, list(io, acces, mem)},
		syscall.SYS_MKDIRAT:    {"mkdirat", 1, 0, true, list(full, quota, io, acces, rofs, mem)},
		syscall.SYS_RENAMEAT:   {"renameat", 1, 0, true, list(full, quota, io, acces, rofs, mem)},
		syscall.SYS_UNLINKAT:   {"unlinkat", 1, 0, true, list(io, acces, rofs, mem)},
		syscall.SYS_FCHMODAT:   {"fchmodat", 1, 0, true, list(io, acces, rofs, mem)},
		syscall.SYS_UTIMENSAT:  {"utimensat", 1, 0, true, list(io, acces, rofs)},
		syscall.SYS_FSTAT:      {"fstat", 0, 0, false, list(io, mem)},
		syscall.SYS_READ:       {"read", 0, 0, false, list(io, intr)},
		syscall.SYS_PREAD64:    {"pread64", 0, 0, false, list(io, intr)},
		syscall.SYS_GETDENTS64: {"getdents64", 0, 0, false, list(io)},
		syscall.SYS_WRITE:      {"write", 0, 0, true, list(full, quota, io, intr)},
		syscall.SYS_FSYNC:      {"fsync", 0, 0, true, list(full, quota, io, intr, rofs)},
		syscall.SYS_FTRUNCATE:  {"ftruncate", 0, 0, true, list(io, intr)},
		syscall.SYS_FLOCK:      {"flock", 0, 0, true, list(intr, syscall.ENOLCK)},
		syscall.SYS_CLOSE:      {"close", 0, 0, false, list(full, quota, io, intr)},
		syscall.SYS_EPOLL_CTL:  {"epoll_ctl", 0, 2, false, list(mem, full)},
		syscall.SYS_FCNTL:      {"fcntl", 0, 0, false, nil},
		syscall.SYS_LSEEK:      {"lseek", 0, 0, false, nil},
	}
}

const (
	sysFaccessat2 = 439
	unlock        = 8 // LOCK_UN
)

// errnos returns the errors that a call of a process can really give here and now.
func (c *call) errnos() []syscall.Errno {
	without := func(which ...syscall.Errno) []syscall.Errno {
		return slices.DeleteFunc(slices.Clone(c.errors), func(e syscall.Errno) bool { return slices.Contains(which, e) })
	}
	switch c.number {
	case syscall.SYS_OPENAT:
		flags := c.args[2]
		switch {
		case flags&syscall.O_CREAT != 0 && !there(c.path):
			return c.errors
		case flags&(syscall.O_WRONLY|syscall.O_RDWR) != 0:
			return without(syscall.ENOSPC, syscall.EDQUOT)
		}
		return without(syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS)
	case syscall.SYS_MKDIRAT:
		if there(c.path) { // which is what it says first
			return without(syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS)
		}
	case syscall.SYS_FLOCK:
		if c.args[1]&unlock != 0 {
			return nil
		}
	case syscall.SYS_CLOSE:
		if !c.writes {
			return without(syscall.ENOSPC, syscall.EDQUOT)
		}
	}
	return c.errors
}

// canGive reports whether a call can give an error.
func (c *call) canGive(e syscall.Errno) bool { return slices.Contains(c.errnos(), e) }
