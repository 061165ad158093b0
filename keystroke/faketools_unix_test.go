//go:build unix

package keystroke

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fakeTools is a folder of little scripts that stand for programs. Each logs
// what it was called with and answers with what the test has written, so a test
// can change an answer in the middle of a delivery.
type fakeTools struct {
	t   *testing.T
	dir string
}

func newFakeTools(t *testing.T, scripts map[string]string) fakeTools {
	t.Helper()
	f := fakeTools{t, t.TempDir()}
	for name, script := range scripts {
		f.script(name, script)
	}
	return f
}

// script writes the script of a program.
func (f fakeTools) script(name, script string) {
	f.t.Helper()
	script = "#!/bin/sh\ncd '" + f.dir + "' || exit\n" + script
	if err := os.WriteFile(filepath.Join(f.dir, name), []byte(script), 0o755); err != nil {
		f.t.Fatal(err)
	}
}

// env puts the scripts first on the PATH, for what they call themselves.
func (f fakeTools) env() []string { return []string{"PATH=" + f.dir + ":/usr/bin:/bin"} }

// says has a tool answer something from now on.
func (f fakeTools) says(about, answer string) {
	f.t.Helper()
	// Another name first, since the script may be reading.
	path := filepath.Join(f.dir, "answer-"+about)
	if err := os.WriteFile(path+".new", []byte(answer), 0o644); err != nil {
		f.t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		f.t.Fatal(err)
	}
}

// read gives a file that the scripts have written.
func (f fakeTools) read(name string) string {
	f.t.Helper()
	data, err := os.ReadFile(filepath.Join(f.dir, name))
	if err != nil && !os.IsNotExist(err) {
		f.t.Fatal(err)
	}
	return string(data)
}

// log is what the scripts were called with, a line each.
func (f fakeTools) log() string { f.t.Helper(); return f.read("log") }

// logged gives the lines of the log that begin with something.
func (f fakeTools) logged(begin string) (found []string) {
	f.t.Helper()
	for line := range strings.Lines(f.log()) {
		if strings.HasPrefix(line, begin) {
			found = append(found, strings.TrimSuffix(line, "\n"))
		}
	}
	return found
}

// matchesGolden compares with a file of testdata, which UPDATE=1 writes.
func matchesGolden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
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
