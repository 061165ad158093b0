//go:build cgo

// Cursor-ralph-robotgo presses keys by robotgo.
package main

import _ "github.com/go-vgo/robotgo"

func main() {}
