package git

import "strings"

const (
	program    = "git.exe"
	executable = true // by its name
	careful    = 0
)

func isNamed(name, want string) bool { return strings.EqualFold(name, want) }
