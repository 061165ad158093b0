package cursorlog

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// put writes a log with one verdict, and gives it an age.
func put(t *testing.T, folder, name, text string, age time.Duration) string {
	t.Helper()
	path := filepath.Join(folder, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	changed := time.Now().Add(-age)
	if err := os.Chtimes(path, changed, changed); err != nil {
		t.Fatal(err)
	}
	return path
}

func problems(log Log) (list []string) {
	for _, v := range log.Verdicts {
		list = append(list, v.Problem)
	}
	return list
}

func TestReadTakesTheNewestFiles(t *testing.T) {
	folder := t.TempDir()
	for i := range 9 {
		name := fmt.Sprintf("2026100%dT120000/window1/output_20261009T120001/cursor.hooks.workspaceId-x.log", i)
		put(t, folder, name, fmt.Sprintf("ERROR: Invalid user config: %d\n", i), time.Duration(9-i)*time.Hour)
	}
	late := put(t, folder, "20261008T120000/window2/output_1/cursor.hooks.y.log", "ERROR: Invalid user config: late\n", time.Minute)
	put(t, folder, "20261008T120000/window2/output_1/renderer.log", "ERROR: Invalid user config: not a log of hooks\n", 0)
	put(t, folder, "20261008T120000/cursor.hooks.z.log", "ERROR: Invalid user config: not in its place\n", 0)
	log, paths := Read(folder)
	if diff := cmp.Diff([]string{"6", "7", "8", "late"}, problems(log)); diff != "" {
		t.Error(diff)
	}
	if len(paths) != 4 || paths[0] != late {
		t.Errorf("got %q", paths)
	}
}

func TestReadIsBounded(t *testing.T) {
	folder := t.TempDir()
	text := "ERROR: Invalid user config: first\n" + strings.Repeat("x\n", 5<<19) + "ERROR: Invalid user config: too early\n" +
		strings.Repeat(strings.Repeat("y", 1<<16)+"\n", 8) + "ERROR: Invalid user config: last\n"
	put(t, folder, "1/window1/output_1/cursor.hooks.log", text, 0)
	log, _ := Read(folder)
	if diff := cmp.Diff([]string{"first", "last"}, problems(log)); diff != "" {
		t.Error(diff)
	}
}

func TestReadOfAFileThatIsALittleTooLarge(t *testing.T) {
	folder := t.TempDir()
	text := strings.Repeat("x\n", headSize/2-10) + "ERROR: Invalid user config: across the end of the head\n" + strings.Repeat("x\n", 100)
	put(t, folder, "1/window1/output_1/cursor.hooks.x.log", text, 0)
	log, _ := Read(folder)
	if diff := cmp.Diff([]string{"across the end of the head"}, problems(log)); diff != "" {
		t.Error(diff)
	}
}

func TestReadFollowsNoLinks(t *testing.T) {
	folder, elsewhere := t.TempDir(), t.TempDir()
	put(t, elsewhere, "1/window1/output_1/cursor.hooks.x.log", "ERROR: Invalid user config: elsewhere\n", 0)
	put(t, folder, "1/window1/output_1/other.log", "", 0)
	put(t, folder, "2/other.log", "", 0)
	for _, l := range [][2]string{
		{filepath.Join(elsewhere, "1"), "3"},
		{filepath.Join(elsewhere, "1", "window1"), "2/window1"},
		{filepath.Join(elsewhere, "1", "window1", "output_1"), "1/window1/output_2"},
		{filepath.Join(elsewhere, "1", "window1", "output_1", "cursor.hooks.x.log"), "1/window1/output_1/cursor.hooks.x.log"},
	} {
		if err := os.Symlink(l[0], filepath.Join(folder, filepath.FromSlash(l[1]))); err != nil {
			if runtime.GOOS == "windows" {
				t.Skip("this user may not make links")
			}
			t.Fatal(err)
		}
	}
	if log, paths := Read(folder); len(paths) > 0 || len(log.Verdicts) > 0 {
		t.Errorf("got %q, %q", paths, problems(log))
	}
	if log, paths := Read(filepath.Join(folder, "missing")); len(paths)+len(log.Verdicts) > 0 {
		t.Errorf("got %q", paths)
	}
}
