//go:build unix

package hooklog_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/internal/hooklog"
)

// TestRotationLosesNothingButTheOldest lets many write to a log that is about
// to be full. Each numbers its lines; of each only the first ones may go.
func TestRotationLosesNothingButTheOldest(t *testing.T) {
	for range 20 {
		path := filepath.Join(t.TempDir(), "log")
		must(t, os.WriteFile(path, nil, 0o600))
		must(t, os.Truncate(path, hooklog.MaxSize-40_000)) // takes no room
		const writers, lines = 16, 40
		var group sync.WaitGroup
		for w := range writers {
			group.Go(func() {
				for i := range lines {
					line := hooklog.Line{At: at, Conversation: fmt.Sprint("w", w), Iteration: i, Max: lines, Why: strings.Repeat("x", 200)}
					if err := hooklog.Append(path, line); err != nil {
						t.Error(err)
					}
				}
			})
		}
		group.Wait()
		seen := map[string][]int{}
		for _, part := range []string{path + ".1", path} {
			data, err := os.ReadFile(part)
			must(t, err)
			for line := range bytes.Lines(bytes.TrimLeft(data, "\x00")) {
				var w string
				var i, of int
				if _, err := fmt.Sscanf(string(line), "2026-03-01T12:04:05.006Z conversation=%s iteration=%d/%d why=xxx", &w, &i, &of); err != nil || !bytes.HasSuffix(line, []byte("x\n")) {
					t.Fatalf("got the line %.80q: %v", line, err)
				}
				seen[w] = append(seen[w], i)
			}
		}
		for w := range writers {
			got := seen[fmt.Sprint("w", w)]
			slices.Sort(got)
			if len(got) != lines {
				t.Errorf("writer %d: got the lines %v, want all %d: less than two full logs were written", w, got, lines)
			}
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
