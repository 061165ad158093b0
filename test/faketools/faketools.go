// Package faketools plays programs by shell scripts that answer what a test wants.
// For tests on Unix only.
package faketools

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Tools is a folder of little scripts that stand for programs. Each logs
// what it was called with and answers with what the test has written, so a test
// can change an answer in the middle of a delivery.
type Tools struct {
	T   *testing.T
	Dir string
}

// New makes the folder, with a script for each program.
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
	// A process that is forked meanwhile would hold the script open for writing, and
	// running it would fail with "text file busy".
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	script = "#!/bin/sh\ncd '" + f.Dir + "' || exit\n" + script
	if err := os.WriteFile(filepath.Join(f.Dir, name), []byte(script), 0o700); err != nil { // #nosec G306 -- a program
		f.T.Fatal(err)
	}
}

// Env puts the scripts first on the PATH, for what they call themselves.
func (f Tools) Env() []string { return []string{"PATH=" + f.Dir + ":/usr/bin:/bin"} }

// Says has a tool answer something from now on.
func (f Tools) Says(about, answer string) {
	f.T.Helper()
	// Another name first, since the script may be reading.
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

// Log is what the scripts were called with, a line each.
func (f Tools) Log() string { f.T.Helper(); return f.Read("log") }

// Logged returns the lines of the log that begin with something.
func (f Tools) Logged(begin string) (found []string) {
	f.T.Helper()
	for line := range strings.Lines(f.Log()) {
		if strings.HasPrefix(line, begin) {
			found = append(found, strings.TrimSuffix(line, "\n"))
		}
	}
	return found
}

// MatchesGolden compares with a file of testdata, which UPDATE=1 writes.
func MatchesGolden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs:\n%s\nwant:\n%s", path, got, want)
	}
}
