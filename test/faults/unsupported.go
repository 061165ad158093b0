//go:build !linux || !amd64

package main

import (
	"errors"
	"io"
)

func survey(settings, io.Writer) (r report, err error) {
	return r, errors.New("this steers processes by their system calls, which it can do on Linux for amd64 alone")
}
