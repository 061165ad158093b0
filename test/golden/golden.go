// Package golden compares what tests get with files that UPDATE=1 writes.
package golden

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Matches checks that a file, such as testdata/help.txt, holds a text.
func Matches(t testing.TB, path, got string) {
	t.Helper()
	if os.Getenv("UPDATE") != "" {
		if err := write(path, got); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path) // #nosec G304 -- of the test
	if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got); err != nil || diff != "" {
		t.Errorf("%s: %v (-want +got), UPDATE=1 writes it:\n%s", path, err, diff)
	}
}

func write(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644) // #nosec G306 -- of the sources
}
