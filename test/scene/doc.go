// Package scene runs shell scripts that report the numbers of their processes.
// It is for tests on Unix.
package scene
