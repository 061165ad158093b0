//go:build !linux

package main

import "errors"

// leftRunning is not known here.
func leftRunning(string) []string { return nil }

func usageOf(int) (usage, error) {
	return usage{}, errors.New("what a process needs is read from /proc, which only Linux has")
}
