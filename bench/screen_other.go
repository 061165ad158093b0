//go:build !linux

package main

import "time"

// firstScreen is not measured here.
func firstScreen(string, scene) (time.Duration, error) { return 0, nil }
