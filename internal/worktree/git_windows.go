package worktree

import "strings"

const (
	program    = "git.exe"
	executable = true // the name says so
	careful    = 0
)

func isNamed(name, want string) bool { return strings.EqualFold(name, want) }
