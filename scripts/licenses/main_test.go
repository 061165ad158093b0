package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// folder has files of a module, each with its name as its text.
func folder(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name+"\r\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestEveryLinkedModuleNeedsALicense(t *testing.T) {
	for _, names := range [][]string{{"a.go"}, {"NOTICE"}, {"PATENTS", "license.go"}, {"LICENSE/a"}} {
		dir := folder(t, names...)
		m := modules{}
		m.add(pkg{Dir: dir, Module: &module{Path: "example.com/a", Version: "v1.0.0", Dir: dir}})
		if _, err := m.text(); err == nil || !strings.Contains(err.Error(), "example.com/a v1.0.0: there is no license text") {
			t.Errorf("%q: got %v", names, err)
		}
	}
}

func TestTextsOfAModuleAndOfItsPackages(t *testing.T) {
	dir := folder(t, "LICENSE.txt", "NOTICE", "b/a.go", "b/COPYING", "c/LICENSE")
	m := modules{}
	replaced := &module{Path: "example.com/a", Version: "v1.0.0", Replace: &module{Path: "example.com/fork", Version: "v2.0.0", Dir: dir}}
	m.add(pkg{Dir: filepath.Join(dir, "b", "d"), Module: replaced})
	delete(m["example.com/fork v2.0.0"], filepath.Join(dir, "b", "d")) // no such folder: only what lies above it counts
	text, err := m.text()
	if err != nil {
		t.Fatal(err)
	}
	if want := "example.com/fork v2.0.0\n\nLICENSE.txt\n\nNOTICE\n\nb/COPYING\n"; !strings.Contains(string(text), want) {
		t.Errorf("got %q, want %q", text, want)
	}
	if strings.Contains(string(text), "c/LICENSE") {
		t.Error("got the license of a package that is not linked")
	}
}
