//go:build unix

package platform

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestStartedProgramIsOnItsOwn: the editor waits until a hook's streams are
// closed, and ends what is in the hook's group.
func TestStartedProgramIsOnItsOwn(t *testing.T) {
	w := where{t, t.TempDir()}
	out := w.path("out")
	script := `exec >"$1.new" && ps -o pid= -o pgid= -p $$ && echo "$2" && mv "$1.new" "$1"`
	w.must(Start("/bin/sh", "-c", script, "sh", out, "$HOME `x` 'y'"))
	var got []byte
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		var err error
		if got, err = os.ReadFile(out); err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) || time.Now().After(end) {
			t.Fatal(err)
		}
	}
	ids, rest, _ := strings.Cut(string(got), "\n")
	if f := strings.Fields(ids); len(f) != 2 || f[0] != f[1] {
		t.Errorf("got the process and its group %q, want a group of its own", ids)
	}
	if want := "$HOME `x` 'y'\n"; rest != want {
		t.Errorf("got the argument %q, want %q", rest, want)
	}
}

func TestStartOfWhatIsNotThere(t *testing.T) {
	if err := Start(filepath.Join(t.TempDir(), "nothing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want fs.ErrNotExist", err)
	}
}
