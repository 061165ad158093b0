//go:build linux

package extension_test

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/test/sources"
)

const root = "../.."

// installed returns the cache folder of a script, or skips the test with the way
// to install it. scripts/testreport fails for a skipped test in CI.
func installed(t *testing.T, name, script string, of ...string) string {
	t.Helper()
	sum := sha256.New()
	for _, file := range of {
		data, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		sum.Write(data)
	}
	cache, err := os.UserCacheDir()
	if err == nil {
		cache = filepath.Join(cache, "cursor-ralph-test", name+"-"+hex.EncodeToString(sum.Sum(nil))[:12])
		_, err = os.Stat(cache)
	}
	if err != nil {
		t.Skip("needs what " + script + " installs")
	}
	return cache
}

// needsNode skips a test where Node is missing or too old.
func needsNode(t *testing.T) {
	t.Helper()
	out, err := exec.Command("node", "--version").Output()
	major, _, _ := strings.Cut(strings.TrimPrefix(string(out), "v"), ".")
	if n, _ := strconv.Atoi(major); err != nil || n < 20 {
		t.Skipf("needs Node 20 or newer, found %q", strings.TrimSpace(string(out)))
	}
}

// read reads all files of a folder, so that go test sees when a cached result no
// longer holds.
func read(t *testing.T, folders ...string) {
	t.Helper()
	for _, folder := range folders {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.Name() == "node_modules", d.IsDir() && d.Name() == "dist":
				if d.IsDir() {
					return fs.SkipDir
				}
			case !d.IsDir():
				_, err = os.ReadFile(path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestUnits type checks the extension and runs its unit tests.
func TestUnits(t *testing.T) {
	needsNode(t)
	installed(t, "extension", "scripts/extension deps", "extension/package.json", "extension/package-lock.json")
	read(t, "extension", "scripts/extension", "docs/schema")
	sources.Read(t, root) // its JSON comes from the program
	out, err := exec.Command(filepath.Join(root, "scripts/extension"), "test").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if m := regexp.MustCompile(`(?m)^\W* ?pass ([0-9]+)$`).FindSubmatch(out); m == nil || string(m[1]) == "0" {
		t.Fatalf("no test passed:\n%s", out)
	}
}

// TestSources makes the cached result depend on the programs' sources.
func TestSources(t *testing.T) { sources.Read(t, root) }
