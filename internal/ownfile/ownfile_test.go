//go:build unix

package ownfile_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
)

const nobody = 65534

// odd is something else in the place of our file.
type odd struct {
	name string
	put  func(t *testing.T, dir string) (path string)
}

var odds = []odd{
	{"a symbolic link", func(t *testing.T, dir string) string {
		must(t, os.WriteFile(filepath.Join(dir, "target"), []byte("secret"), 0o600))
		return link(t, filepath.Join(dir, "target"), dir)
	}},
	{"a dangling symbolic link", func(t *testing.T, dir string) string {
		return link(t, filepath.Join(dir, "nothing"), dir)
	}},
	{"a symbolic link to itself", func(t *testing.T, dir string) string { return link(t, "odd", dir) }},
	{"a pipe", func(t *testing.T, dir string) string {
		path := filepath.Join(dir, "odd")
		must(t, syscall.Mkfifo(path, 0o600))
		return path
	}},
	{"a folder", func(t *testing.T, dir string) string {
		path := filepath.Join(dir, "odd")
		must(t, os.Mkdir(path, 0o700))
		return path
	}},
	{"a socket", func(t *testing.T, dir string) string {
		short, err := os.MkdirTemp("", "s") // the path of a socket has to be short
		must(t, err)
		t.Cleanup(func() { must(t, os.RemoveAll(short)) })
		path := filepath.Join(short, "odd")
		l, err := net.Listen("unix", path)
		must(t, err)
		t.Cleanup(func() { l.Close() })
		return path
	}},
	{"a device", func(*testing.T, string) string { return os.DevNull }},
	{"another name of a file", func(t *testing.T, dir string) string {
		target, path := filepath.Join(dir, "target"), filepath.Join(dir, "odd")
		must(t, os.WriteFile(target, []byte("secret"), 0o600))
		must(t, os.Link(target, path))
		return path
	}},
	{"our file that everybody may write", func(t *testing.T, dir string) string { return lax(t, dir, 0o602, os.Getegid()) }},
	{"our file that another group may write", func(t *testing.T, dir string) string {
		if os.Geteuid() != 0 {
			return lax(t, dir, 0o602, os.Getegid()) // only root can give a file to a group
		}
		return lax(t, dir, 0o620, nobody)
	}},
	{"somebody else's file", func(t *testing.T, dir string) string { return foreign(t, dir, 0o644) }},
	{"somebody else's file that everybody may write", func(t *testing.T, dir string) string { return foreign(t, dir, 0o666) }},
	{"somebody else's file that nobody else may read", func(t *testing.T, dir string) string { return foreign(t, dir, 0) }},
}

// foreign gives another user's file: root makes one, anybody else finds one.
func foreign(t *testing.T, dir string, mode fs.FileMode) string {
	if os.Geteuid() != 0 {
		if mode != 0 {
			return "/etc/passwd"
		}
		for _, path := range []string{"/etc/shadow", "/etc/master.passwd"} {
			if _, err := os.Lstat(path); err == nil {
				return path
			}
		}
		t.Fatal("this system keeps its passwords elsewhere")
	}
	path := filepath.Join(dir, "odd")
	must(t, os.WriteFile(path, []byte("secret"), 0o600))
	must(t, os.Chmod(path, mode))
	must(t, os.Chown(path, nobody, nobody))
	return path
}

// lax puts our file into a folder that others can enter: in one of mode 0700 the
// file's own mode does not matter.
func lax(t *testing.T, dir string, mode fs.FileMode, gid int) string {
	must(t, os.Chmod(dir, 0o755))
	path := write(t, filepath.Join(dir, "odd"), "secret")
	must(t, os.Chown(path, -1, gid))
	must(t, os.Chmod(path, mode))
	return path
}

func link(t *testing.T, target, dir string) string {
	path := filepath.Join(dir, "odd")
	must(t, os.Symlink(target, path))
	return path
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path, content string) string {
	t.Helper()
	must(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

// in is a context that ends long before the test does.
func in(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

// operations do what they are named after to a path.
func operations(t *testing.T, scratch string) map[string]func(path string) error {
	return map[string]func(string) error{
		"Check":  func(path string) error { _, err := ownfile.Check(path); return err },
		"Read":   func(path string) error { _, _, err := ownfile.Read(path, 0); return err },
		"Append": func(path string) error { _, err := ownfile.Append(path, []byte("x")); return err },
		"Replace": func(path string) error {
			return ownfile.Replace(path, scratch, []byte("x"), false)
		},
		"Lock": func(path string) error {
			release, err := ownfile.Lock(in(t, 5*time.Second), path)
			if err == nil {
				return release()
			}
			return err
		},
	}
}

func TestWhatIsNotOursIsRefusedAndLeftAlone(t *testing.T) {
	for _, o := range odds {
		scratch := t.TempDir()
		for name, do := range operations(t, scratch) {
			t.Run(name+" refuses "+o.name, func(t *testing.T) {
				dir := t.TempDir()
				path := o.put(t, dir)
				before := listing(t, dir)
				if err := soon(t, func() error { return do(path) }); !errors.Is(err, ownfile.ErrNotOurs) {
					t.Errorf("got %v, want a refusal", err)
				}
				if after := listing(t, dir); after != before {
					t.Errorf("got\n%s\nwant what was there:\n%s", after, before)
				}
				if left := listing(t, scratch); left != "" {
					t.Errorf("left in the scratch folder: %s", left)
				}
			})
		}
	}
}

// soon fails a test whose operation waits: opening a pipe does, if done wrong.
func soon(t *testing.T, do func() error) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-time.After(2 * time.Minute):
		t.Fatal("it waits")
		return nil
	}
}

// listing describes the content of a folder: names, kinds, owners and contents.
func listing(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	var b strings.Builder
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		info, err := os.Lstat(path)
		must(t, err)
		content := []byte(nil)
		if info.Mode().IsRegular() {
			content, _ = os.ReadFile(path) // somebody else's file may not be ours to read
		}
		fmt.Fprintf(&b, "%s %s %d %q\n", e.Name(), info.Mode(), info.Sys().(*syscall.Stat_t).Uid, content)
	}
	return b.String()
}

func TestReplaceLeavesNothingBehindWhenItFails(t *testing.T) {
	scratch := t.TempDir()
	for name, path := range map[string]string{
		"the folder is missing":      filepath.Join(t.TempDir(), "missing", "file"),
		"a folder has the name":      t.TempDir(),
		"a part of the path is file": filepath.Join(write(t, filepath.Join(t.TempDir(), "file"), ""), "file"),
	} {
		t.Run(name, func(t *testing.T) {
			if err := ownfile.Replace(path, scratch, []byte("x"), true); err == nil {
				t.Error("got no error")
			}
			if left := names(t, scratch); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}

func TestSweepRemovesWhatAKilledReplaceLeft(t *testing.T) {
	scratch, now := t.TempDir(), time.Now()
	for name, age := range map[string]time.Duration{".new-old": 2 * time.Hour, ".new-young": time.Minute, ".new-future": -2 * time.Hour, "file": 2 * time.Hour} {
		path := write(t, filepath.Join(scratch, name), "")
		must(t, os.Chtimes(path, now.Add(-age), now.Add(-age)))
	}
	must(t, ownfile.Sweep(scratch, now))
	if got, want := names(t, scratch), []string{".new-future", ".new-young", "file"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	must(t, ownfile.Sweep(filepath.Join(scratch, "missing"), now))
	if err := ownfile.Sweep(link(t, scratch, t.TempDir()), now); !errors.Is(err, ownfile.ErrNotOurs) {
		t.Errorf("a link: got %v, want a refusal", err)
	}
}

// TestReadersSeeWholeFiles lets readers look while writers replace.
func TestReadersSeeWholeFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	contents := make([][]byte, 4)
	for i := range contents {
		contents[i] = bytes.Repeat([]byte{'a' + byte(i)}, 1000*(i*i*i+1))
	}
	must(t, ownfile.Replace(path, dir, contents[0], false))
	stop := make(chan struct{})
	var readers, writers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for {
				data, _, err := ownfile.Read(path, 0)
				if err != nil {
					t.Error(err)
					return
				}
				if !slices.ContainsFunc(contents, func(c []byte) bool { return bytes.Equal(c, data) }) {
					t.Errorf("got %d bytes that nobody wrote", len(data))
					return
				}
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	for i := range contents {
		writers.Go(func() {
			for range 500 {
				if err := ownfile.Replace(path, dir, contents[i], false); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	close(stop)
	readers.Wait()
	if left := names(t, dir); len(left) != 1 {
		t.Errorf("left behind: %q", left)
	}
}

// TestAppendsKeepWholeLines lets many write to one file.
func TestAppendsKeepWholeLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	const writers, lines = 8, 200
	var group sync.WaitGroup
	for w := range writers {
		line := []byte(strings.Repeat(string(rune('a'+w)), 100*w+1) + "\n")
		group.Go(func() {
			for range lines {
				if _, err := ownfile.Append(path, line); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	data, err := os.ReadFile(path)
	must(t, err)
	count := map[byte]int{}
	for line := range bytes.Lines(data) {
		w := int(line[0] - 'a')
		if want := 100*w + 2; len(line) != want {
			t.Fatalf("got a line of %d bytes, want %d", len(line), want)
		}
		count[line[0]]++
	}
	for w := range writers {
		if got := count['a'+byte(w)]; got != lines {
			t.Errorf("writer %d: got %d lines, want %d", w, got, lines)
		}
	}
}

func TestFolder(t *testing.T) {
	for _, c := range []struct {
		name string
		put  func(t *testing.T, path string)
		ok   bool
	}{
		{"a missing one is made", func(*testing.T, string) {}, true},
		{"ours is taken", func(t *testing.T, path string) { must(t, os.Mkdir(path, 0o700)) }, true},
		{"ours that others can enter is closed", func(t *testing.T, path string) {
			must(t, os.Mkdir(path, 0o700))
			must(t, os.Chmod(path, 0o755))
		}, true},
		{"ours that others can write is refused", func(t *testing.T, path string) {
			must(t, os.Mkdir(path, 0o700))
			must(t, os.Chmod(path, 0o777))
		}, false},
		{"a link to a folder is refused", func(t *testing.T, path string) { must(t, os.Symlink(t.TempDir(), path)) }, false},
		{"a dangling link is refused", func(t *testing.T, path string) { must(t, os.Symlink(path+"-nothing", path)) }, false},
		{"a file is refused", func(t *testing.T, path string) { write(t, path, "") }, false},
		{"a pipe is refused", func(t *testing.T, path string) { must(t, syscall.Mkfifo(path, 0o600)) }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "folder")
			c.put(t, path)
			err := soon(t, func() error { return ownfile.Folder(path) })
			if !c.ok {
				if !errors.Is(err, ownfile.ErrNotOurs) {
					t.Errorf("got %v, want a refusal", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if info, err := os.Lstat(path); err != nil || info.Mode() != fs.ModeDir|0o700 {
				t.Errorf("got %v, %v, want a private folder", info.Mode(), err)
			}
		})
	}
}

func TestFolderOfSomebodyElseIsRefused(t *testing.T) {
	path := "/etc"
	if os.Geteuid() == 0 {
		path = t.TempDir()
		must(t, os.Chmod(path, 0o777))
		must(t, os.Chown(path, nobody, nobody))
	}
	before, err := os.Stat(path)
	must(t, err)
	if err := ownfile.Folder(path); !errors.Is(err, ownfile.ErrNotOurs) {
		t.Errorf("got %v, want a refusal", err)
	}
	if after, err := os.Stat(path); err != nil || after.Mode() != before.Mode() {
		t.Errorf("got mode %v, %v, want %v", after.Mode(), err, before.Mode())
	}
}

func TestAsideLosesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	var moved []string
	for i := range 3 {
		write(t, path, fmt.Sprint(i))
		to, err := ownfile.Aside(path, ".corrupt-7")
		must(t, err)
		moved = append(moved, to)
	}
	for i, to := range moved {
		expect(t, to, fmt.Sprint(i))
	}
	if want := []string{path + ".corrupt-7", path + ".corrupt-7-1", path + ".corrupt-7-2"}; !slices.Equal(moved, want) {
		t.Errorf("got %q, want %q", moved, want)
	}
}

func expect(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); string(got) != want || err != nil {
		t.Errorf("%s: got %q, %v, want %q", filepath.Base(path), got, err, want)
	}
}

func private(t *testing.T, path string) {
	t.Helper()
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got mode %v, %v, want 0600", info.Mode(), err)
	}
}

func names(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestNamesOfAFolder(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b", "a"} {
		write(t, filepath.Join(dir, name), "")
	}
	got, err := ownfile.Names(dir)
	if slices.Sort(got); !slices.Equal(got, []string{"a", "b"}) || err != nil {
		t.Errorf("got %q, %v, want both", got, err)
	}
	if got, err := ownfile.Names(filepath.Join(dir, "missing")); len(got) > 0 || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %q, %v, want fs.ErrNotExist", got, err)
	}
	must(t, os.Symlink(dir, filepath.Join(dir, "link")))
	must(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	for _, path := range []string{filepath.Join(dir, "a"), filepath.Join(dir, "link"), filepath.Join(dir, "pipe")} {
		err := soon(t, func() error { _, err := ownfile.Names(path); return err })
		if !errors.Is(err, ownfile.ErrNotOurs) {
			t.Errorf("%s: got %v, want a refusal", filepath.Base(path), err)
		}
	}
	if os.Geteuid() != 0 {
		return
	}
	must(t, os.Chown(dir, nobody, nobody))
	if got, err := ownfile.Names(dir); len(got) > 0 || !errors.Is(err, ownfile.ErrNotOurs) {
		t.Errorf("somebody else's: got %q, %v, want a refusal", got, err)
	}
}
