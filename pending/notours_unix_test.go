//go:build unix

package pending_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/pending"
)

// notOurs are things in the place of a pending file. All of them would be
// claimed if they were followed or believed.
var notOurs = []struct {
	name string
	root bool
	put  func(w world, path string)
}{
	{"a link", false, func(w world, path string) { w.must(os.Symlink(w.target(), path)) }},
	{"a dangling link", false, func(w world, path string) { w.must(os.Symlink(w.target()+"-not", path)) }},
	{"another name of a file", false, func(w world, path string) { w.must(os.Link(w.target(), path)) }},
	{"a pipe", false, func(w world, path string) { w.must(syscall.Mkfifo(path, 0o600)) }},
	{"somebody else's file", true, func(w world, path string) { w.foreign(path, 0o644) }},
	{"somebody else's file that nobody else may read", true, func(w world, path string) { w.foreign(path, 0o600) }},
}

// target is a file outside the folder that would be a fine pending loop.
func (w world) target() string {
	path := filepath.Join(w.places.Base, "target")
	w.must(os.WriteFile(path, []byte(seven("secret")), 0o600))
	return path
}

func (w world) foreign(path string, mode fs.FileMode) {
	w.must(os.WriteFile(path, []byte(seven("theirs")), 0o600))
	w.must(os.Chmod(path, mode))
	w.must(os.Chown(path, 65534, 65534))
}

func TestWhatIsNotOursIsRefusedAndLeftAlone(t *testing.T) {
	for _, n := range notOurs {
		for _, name := range []string{me, "1700000000000-7", "legacy"} {
			t.Run(n.name+" in the place of "+name, func(t *testing.T) {
				if n.root && os.Geteuid() != 0 {
					t.Skip("needs root, to make a file of somebody else")
				}
				w := newWorld(t)
				n.put(w, w.path(name))
				before := w.files()
				warning, err := w.claim(pending.Claimant{ID: me, Stopped: true})
				if err := errors.Join(warning, err); !errors.Is(err, ownfile.ErrNotOurs) {
					t.Errorf("claim: got %v, want a refusal", err)
				}
				items, err := w.box.List()
				if err != nil || len(items) != 1 || !errors.Is(items[0].Err, ownfile.ErrNotOurs) {
					t.Errorf("list: got %+v, %v, want one item, refused", items, err)
				}
				if name == me {
					l := task("mine")
					l.ConversationID = me
					if _, _, err := w.box.Put(w.context(), l, ""); err == nil {
						t.Error("put: got no error")
					}
				}
				if err := w.box.BindFile(w.context(), "1700000000000-7:", me); err == nil {
					t.Error("bind: got no error")
				}
				err = w.box.Change(w.context(), items[0], cancel, func(loop.State) error { t.Error("archived"); return nil })
				if err == nil {
					t.Error("change: got no error")
				}
				if diff := cmp.Diff(before, w.files()); diff != "" {
					t.Errorf("got other files (-before +after):\n%s", diff)
				}
			})
		}
	}
}

func TestWhatIsNotOursKeepsNobodyFromAClaim(t *testing.T) {
	for _, n := range notOurs {
		t.Run(n.name, func(t *testing.T) {
			if n.root && os.Geteuid() != 0 {
				t.Skip("needs root, to make a file of somebody else")
			}
			w := newWorld(t)
			n.put(w, w.path("1700000000000-7"))
			n.put(w, w.path("1700000000000-8"))
			w.file("1700000000000-9", seven("mine"), minute)
			warning, err := w.claim(pending.Claimant{ID: me, Stopped: true})
			if !errors.Is(warning, ownfile.ErrNotOurs) || err != nil || !w.exists(w.live(me)) {
				t.Errorf("got the warning %v and %v, want a warning and a claim", warning, err)
			}
		})
	}
}

func TestFolderThatIsNotOursIsNotUsed(t *testing.T) {
	for _, c := range []struct {
		name string
		root bool
		put  func(w world, path string)
	}{
		{"a link to a folder", false, func(w world, path string) { w.must(os.Symlink(w.elsewhere(), path)) }},
		{"a file", false, func(w world, path string) { w.must(os.WriteFile(path, nil, 0o600)) }},
		{"a pipe", false, func(w world, path string) { w.must(syscall.Mkfifo(path, 0o600)) }},
		{"somebody else's folder", true, func(w world, path string) {
			w.must(os.Rename(w.elsewhere(), path))
			w.must(os.Chown(path, 65534, 65534))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.root && os.Geteuid() != 0 {
				t.Skip("needs root, to make a folder of somebody else")
			}
			w := newWorld(t)
			w.must(os.RemoveAll(w.places.Pending()))
			c.put(w, w.places.Pending())
			before := w.files()
			for _, id := range []string{me, "chat"} {
				if _, err := w.claim(pending.Claimant{ID: id, Stopped: true}); !errors.Is(err, ownfile.ErrNotOurs) {
					t.Errorf("claim: got %v, want a refusal", err)
				}
			}
			if !w.box.Waiting(pending.Claimant{ID: "nobody", Stopped: true}) {
				t.Error("waiting: got nothing, so that nobody would hear of it")
			}
			if items, err := w.box.List(); len(items) > 0 || !errors.Is(err, ownfile.ErrNotOurs) {
				t.Errorf("list: got %v, %v, want a refusal", items, err)
			}
			if _, _, err := w.box.Put(w.context(), task("a"), "s"); !errors.Is(err, ownfile.ErrNotOurs) {
				t.Errorf("put: got %v, want a refusal", err)
			}
			if err := w.box.BindFile(w.context(), "1700000000000-7:s", me); !errors.Is(err, ownfile.ErrNotOurs) {
				t.Errorf("bind: got %v, want a refusal", err)
			}
			if diff := cmp.Diff(before, w.files()); diff != "" {
				t.Errorf("got other files (-before +after):\n%s", diff)
			}
		})
	}
}

// elsewhere is a folder with pending files for everybody.
func (w world) elsewhere() string {
	dir := filepath.Join(w.places.Base, "elsewhere")
	w.must(os.Mkdir(dir, 0o700))
	for _, name := range []string{me, "1700000000000-7"} {
		w.must(os.WriteFile(filepath.Join(dir, name+".json"), []byte(seven("secret")), 0o600))
	}
	return dir
}

func TestAFolderThatIsALinkIsNotLookedInto(t *testing.T) {
	w := newWorld(t)
	w.file(me, seven("a"), 0)
	folder := filepath.Dir(w.path(me))
	w.must(errors.Join(os.Rename(folder, folder+"-mine"), os.Symlink(folder+"-mine", folder)))
	if i := w.box.Item(me); !errors.Is(i.Err, ownfile.ErrNotOurs) || i.State.Prompt != "" {
		t.Errorf("got %q, %v, want a refusal", i.State.Prompt, i.Err)
	}
}
