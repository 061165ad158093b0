package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
)

func TestPermissionErrorsNameTheFileAndACommand(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("chown is for POSIX systems")
	}
	dir := t.TempDir()
	link, file := filepath.Join(dir, "link"), filepath.Join(dir, "b c.json")
	if err := errors.Join(os.Symlink("x", link), os.WriteFile(file, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	_, notOurs := ownfile.Check(link)
	denied := fmt.Errorf("read the loop: %w", &fs.PathError{Op: "open", Path: file, Err: fs.ErrPermission})
	missing := &fs.PathError{Op: "mkdir", Path: filepath.Join(dir, "no", "where"), Err: fs.ErrPermission}
	for _, tt := range []struct {
		err  error
		want []string
	}{
		{denied, []string{file + ": permission denied\n", "hint: `ls -ld '" + file + "'` shows who owns it; `sudo chown \"$USER\" '" + file + "'`"}},
		{missing, []string{"hint: `ls -ld " + dir + "` shows who has access; get access, or use another folder\n"}},
		{notOurs, []string{link + " is a symbolic link\n", "hint: `cursor-ralph doctor`"}},
		{hint.Add(denied, "ask"), []string{"hint: ask\n"}},
		{fs.ErrPermission, []string{"hint: give yourself the right"}},
		{fs.ErrExist, []string{"cursor-ralph: file already exists\n"}},
	} {
		var out bytes.Buffer
		(&Terminal{Stderr: &out, Getenv: func(string) string { return "" }}).Complain(tt.err)
		for _, want := range tt.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("got %q, want %q in it", &out, want)
			}
		}
		if got := strings.Count(out.String(), "hint: "); got > 1 {
			t.Errorf("got %d hints in %q", got, &out)
		}
	}
}
