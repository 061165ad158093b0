package cli

import (
	"bytes"
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
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink("x", link); err != nil {
		t.Fatal(err)
	}
	_, notOurs := ownfile.Check(link)
	denied := fmt.Errorf("read the loop: %w", &fs.PathError{Op: "open", Path: "/a b/c.json", Err: fs.ErrPermission})
	for _, tt := range []struct {
		err  error
		want []string
	}{
		{denied, []string{"/a b/c.json: permission denied\n", "hint: `ls -ld '/a b/c.json'` shows who owns it; `sudo chown \"$USER\" '/a b/c.json'`"}},
		{notOurs, []string{link + " is a symbolic link\n", "hint: `cursor-ralph doctor`"}},
		{hint.Add(denied, "ask"), []string{"hint: ask\n"}},
		{fs.ErrPermission, []string{"hint: give yourself the right"}},
		{fs.ErrExist, []string{"cursor-ralph: file already exists\n"}},
	} {
		var out bytes.Buffer
		(&Env{Stderr: &out}).Complain(tt.err)
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
