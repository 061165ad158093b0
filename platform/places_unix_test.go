//go:build unix

package platform

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

const nobody = 65534

// TestNamesOnASharedMachine plays the other user. What the names are is looked
// at after every step: they may not change to and fro.
func TestNamesOnASharedMachine(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, to make files of somebody else")
	}
	const plain, own = "cursor-ralph", "cursor-ralph-0"
	type step struct {
		what string
		do   func(w where)
		want string // what our names begin with
	}
	for _, c := range []struct {
		name  string
		steps []step
	}{
		{"nobody else", []step{
			{"nothing is there", func(w where) {}, plain},
			{"we begin", where.weBegin, plain},
		}},
		{"the other was here first", []step{
			{"the other begins", func(w where) { w.theirs("cursor-ralph-pending") }, own},
			{"we begin", where.weBegin, own},
			{"the other leaves", func(w where) { w.remove("cursor-ralph-pending") }, own},
			{"the other comes back", func(w where) { w.theirs("cursor-ralph-pending") }, own},
		}},
		{"the other has only a log yet", []step{
			{"the other has a log", func(w where) { w.theirs("cursor-ralph-stop-hook.log") }, own},
			{"we begin", where.weBegin, own},
			{"the log goes", func(w where) { w.remove("cursor-ralph-stop-hook.log") }, own},
		}},
		{"we were here first", []step{
			{"we begin", where.weBegin, plain},
			{"somebody puts a log there", func(w where) { w.theirs("cursor-ralph-stop-hook.log") }, plain},
			{"and the names with our number", func(w where) { w.theirs("cursor-ralph-0-pending") }, plain},
			{"all of it goes", func(w where) {
				w.remove("cursor-ralph-stop-hook.log")
				w.remove("cursor-ralph-0-pending")
			}, plain},
		}},
		{"the other's folder is a link", []step{
			{"a dangling link", func(w where) {
				w.must(os.Symlink("nothing", w.path("cursor-ralph-pending")))
				w.must(os.Lchown(w.path("cursor-ralph-pending"), nobody, nobody))
			}, own},
		}},
		{"somebody took the names with our number, and nothing else", []step{
			{"their folder", func(w where) { w.theirs("cursor-ralph-0-pending") }, plain},
			{"we begin", where.weBegin, plain},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := where{t, t.TempDir()}
			for _, s := range c.steps {
				s.do(w)
				for range 2 {
					if got := w.places().name; got != s.want {
						t.Errorf("%s: got names that begin with %s, want %s", s.what, got, s.want)
					}
				}
			}
		})
	}
}

func TestBaseIsSlashTmpLiterally(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("CURSOR_RALPH_DIR", "")
	p, err := Find(os.Getenv)
	if err != nil || p.Base != "/tmp" {
		t.Errorf("got %s, %v, want /tmp", p.Base, err)
	}
}

func TestOwner(t *testing.T) {
	w := where{t, t.TempDir()}
	w.must(os.WriteFile(w.path("file"), nil, 0o600))
	w.must(os.Symlink("file", w.path("link")))
	w.must(os.Symlink("nothing", w.path("dangling")))
	for path, want := range map[string]ownership{
		w.path("file"): mine, w.path("link"): mine, w.path("dangling"): mine,
		w.path("nothing"): absent, w.dir: mine,
	} {
		if got, err := owner(path); got != want || err != nil {
			t.Errorf("%s: got %v, %v, want %v", path, got, err, want)
		}
	}
	if _, err := owner(w.path("file/below-a-file")); err == nil {
		t.Error("below a file: got no error")
	}
	theirs := "/etc/passwd"
	if os.Geteuid() == 0 {
		w.theirs("theirs")
		theirs = w.path("theirs")
	}
	if got, err := owner(theirs); got != other || err != nil {
		t.Errorf("got %v, %v, want other", got, err)
	}
	if got, want := (Places{Base: "/x", name: "cursor-ralph"}).withUID().name, "cursor-ralph-"+strconv.Itoa(os.Geteuid()); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// where is a shared folder.
type where struct {
	*testing.T
	dir string
}

func (w where) places() Places {
	w.Helper()
	p, err := Find(env("CURSOR_RALPH_DIR", w.dir))
	w.must(err)
	return p
}

func (w where) path(name string) string { return filepath.Join(w.dir, name) }

func (w where) weBegin() { w.must(os.Mkdir(w.places().Pending(), 0o700)) }

func (w where) theirs(name string) {
	w.Helper()
	w.must(os.Mkdir(w.path(name), 0o755))
	w.must(os.Chown(w.path(name), nobody, nobody))
}

func (w where) remove(name string) { w.must(os.Remove(w.path(name))) }

func (w where) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}
