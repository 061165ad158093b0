//go:build unix && !linux

package gate

import "testing"

// nothingIsOurs: here nothing tells what is below us.
func nothingIsOurs(*testing.T) {}
