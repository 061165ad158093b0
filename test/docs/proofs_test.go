//go:build unix

package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// folders are the abbreviations of test/README.md.
var folders = map[string]string{"script": "cmd/cursor-ralph/testdata/script", "answers": "test/answers/testdata"}

var (
	namedTest   = regexp.MustCompile("`([a-z0-9/-]+)\\.((?:Test|Fuzz|Example)\\w+)`")
	namedScript = regexp.MustCompile("`(script|answers)/(\\w+\\.txt)`")
)

// TestTheListedTestsExist: test/README.md names the tests that prove each behavior, and a deleted one shows there.
func TestTheListedTestsExist(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "test/README.md"))
	if err != nil {
		t.Fatal(err)
	}
	tests := namedTest.FindAllStringSubmatch(string(page), -1)
	scripts := namedScript.FindAllStringSubmatch(string(page), -1)
	if len(tests) < 50 || len(scripts) < 20 {
		t.Errorf("test/README.md names %d tests and %d scripts: is it read as it is written?", len(tests), len(scripts))
	}
	for _, name := range tests {
		if !declares(t, name[1], name[2]) {
			t.Errorf("%s has no %s: if the behavior is gone its line goes, else another test must prove it", name[1], name[2])
		}
	}
	for _, name := range scripts {
		if _, err := os.Stat(filepath.Join(root, folders[name[1]], name[2])); err != nil {
			t.Error(err)
		}
	}
}

// TestTheTestsOfSecurityExist: SECURITY.md names them without their folders.
func TestTheTestsOfSecurityExist(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "SECURITY.md"))
	if err != nil {
		t.Fatal(err)
	}
	declared := map[string]bool{}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git"):
			return fs.SkipDir
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		source, err := os.ReadFile(path)
		for _, name := range declaration.FindAllStringSubmatch(string(source), -1) {
			declared[name[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile("`(?:[a-z0-9/-]+\\.)?(Test\\w+)`").FindAllStringSubmatch(string(page), -1)
	if len(names) < 20 {
		t.Errorf("SECURITY.md names %d tests: is it read as it is written?", len(names))
	}
	for _, name := range names {
		if !declared[name[1]] {
			t.Errorf("SECURITY.md names %s, and there is none", name[1])
		}
	}
}

var declaration = regexp.MustCompile(`(?m)^func (Test\w+)\(`)

// declares reports whether a test file of the folder has the function, whatever system the file is for.
func declares(t *testing.T, dir, name string) bool {
	files, err := filepath.Glob(filepath.Join(root, dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(source), "\nfunc "+name+"(") {
			return true
		}
	}
	return false
}
