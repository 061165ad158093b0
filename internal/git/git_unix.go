//go:build unix

package git

import "syscall"

const (
	program    = "git"
	executable = false // the mode decides
	// careful neither follows a link nor waits for a pipe's other end.
	careful = syscall.O_NOFOLLOW | syscall.O_NONBLOCK
)

func isNamed(name, want string) bool { return name == want }
