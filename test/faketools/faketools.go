// Package faketools replaces programs with shell scripts whose answers a test chooses.
// For tests on Unix only.
package faketools

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/test/sources"
)

// Tools is a folder of scripts that replace programs. Each logs its arguments and
// prints the answer that the test has set, so a test can change an answer during a
// delivery.
type Tools struct {
	T   *testing.T
	Dir string
}

// New creates the folder with a script for each program.
func New(t *testing.T, scripts map[string]string) Tools {
	t.Helper()
	f := Tools{t, t.TempDir()}
	for name, script := range scripts {
		f.Script(name, script)
	}
	return f
}

// Script writes the script of a program.
func (f Tools) Script(name, script string) {
	f.T.Helper()
	script = "#!/bin/sh\ncd '" + f.Dir + "' || exit\n" + script
	if err := sources.WriteProgram(filepath.Join(f.Dir, name), []byte(script), 0o700); err != nil { // #nosec G306 -- a program
		f.T.Fatal(err)
	}
}

// Env returns an environment with the scripts first on the PATH.
func (f Tools) Env() []string { return []string{"PATH=" + f.Dir + ":/usr/bin:/bin"} }

// Says sets the answer of a tool.
func (f Tools) Says(about, answer string) {
	f.T.Helper()
	// The rename is atomic: the script may be reading.
	path := filepath.Join(f.Dir, "answer-"+about)
	if err := os.WriteFile(path+".new", []byte(answer), 0o600); err != nil {
		f.T.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		f.T.Fatal(err)
	}
}

// Read returns a file that the scripts have written.
func (f Tools) Read(name string) string {
	f.T.Helper()
	data, err := os.ReadFile(filepath.Join(f.Dir, name))
	if err != nil && !os.IsNotExist(err) {
		f.T.Fatal(err)
	}
	return string(data)
}

// Log returns the calls of the scripts, one per line.
func (f Tools) Log() string { f.T.Helper(); return f.Read("log") }

// Logged returns the lines of the log with a prefix.
func (f Tools) Logged(begin string) (found []string) {
	f.T.Helper()
	for line := range strings.Lines(f.Log()) {
		if strings.HasPrefix(line, begin) {
			found = append(found, strings.TrimSuffix(line, "\n"))
		}
	}
	return found
}
