package hostile_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/test/short"
	"github.com/cursor-ralph/cursor-ralph/test/sources"
)

// kind is something that Mallory, or whoever was root for a moment, has put
// where a file or a folder of Alice's should be.
type kind struct {
	name string
	put  func(alice, mallory user, path string)
}

// asAlice is what most kernels keep Mallory from making (protected_hardlinks).
const asAlice = "another name of Alice's file"

func kinds() []kind {
	link := func(to func(alice, mallory user) string) func(alice, mallory user, path string) {
		return func(alice, mallory user, path string) { must(alice.T, os.Symlink(to(alice, mallory), path)) }
	}
	return []kind{
		{"a link to Alice's file", link(func(alice, _ user) string { return alice.in("canary") })},
		{"a link to Alice's folder", link(func(alice, _ user) string { return alice.in("vault") })},
		{"a link to Mallory's file", link(func(_, mallory user) string { return mallory.in("bait") })},
		{"a link to Mallory's folder", link(func(_, mallory user) string { return mallory.in("vault") })},
		{"a link to nothing in Alice's home", link(func(alice, _ user) string { return alice.in("new") })},
		{"a link to a device without an end", link(func(_, _ user) string { return "/dev/zero" })},
		{"a link to a pipe", link(func(_, mallory user) string { return mallory.in("pipe") })},
		{asAlice, func(alice, _ user, path string) { must(alice.T, os.Link(alice.in("canary"), sameDisk(path))) }},
		{"another name of Mallory's file", func(alice, mallory user, path string) { must(alice.T, os.Link(mallory.in("bait"), sameDisk(path))) }},
		{"Mallory's file", func(alice, _ user, path string) { baitFile(alice.T, path, 0o644) }},
		{"Mallory's file that all may write", func(alice, _ user, path string) { baitFile(alice.T, path, 0o666) }},
		{"Mallory's folder", func(alice, _ user, path string) {
			must(alice.T, os.Mkdir(path, 0o777))
			baits(alice.T, path)
		}},
		{"a pipe", func(alice, _ user, path string) { pipe(alice.T, path) }},
		{"a pipe with somebody at its other end", func(alice, _ user, path string) {
			pipe(alice.T, path)
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			must(alice.T, err)
			alice.Cleanup(func() { f.Close() })
		}},
		{"a device", func(alice, _ user, path string) {
			must(alice.T, syscall.Mknod(path, syscall.S_IFCHR|0o666, 1<<8|5)) // /dev/zero
			must(alice.T, os.Chmod(path, 0o666))
		}},
		{"a socket", func(alice, _ user, path string) {
			l, err := net.Listen("unix", path)
			must(alice.T, err)
			alice.Cleanup(func() { l.Close() })
			must(alice.T, os.Chmod(path, 0o666))
		}},
	}
}

// sameDisk is the path of a shared file by which it can get another name.
func sameDisk(path string) string { return filepath.Join(grounds, path) }

func baitFile(t *testing.T, path string, mode fs.FileMode) {
	t.Helper()
	must(t, os.WriteFile(path, []byte(loopFile(bait)), mode))
	must(t, os.Chmod(path, mode))
}

func pipe(t *testing.T, path string) {
	t.Helper()
	must(t, syscall.Mkfifo(path, 0o666))
	must(t, os.Chmod(path, 0o666))
}

// names are all that our programs use in a shared folder, which ARCHITECTURE.md
// lists under Files, for two conversations.
func names(prefix string) []string {
	list := []string{prefix + "-pending"}
	for _, rest := range []string{
		"-pending.json", "-loop-chat-1.json", "-loop-chat-1.journal", "-loop-chat-2.json", "-loop-chat-2.journal",
		"-stop-hook.log", "-stop-hook.log.1", "-stop-hook.log.lock",
	} {
		list = append(list, prefix+rest)
	}
	return list
}

const plain = "cursor-ralph"

func numbered() string { return plain + "-" + strconv.Itoa(aliceID) }

// plant puts a kind under each name that is free.
func plant(k kind, alice, mallory user, all []string) {
	alice.Helper()
	for _, name := range all {
		path := filepath.Join(shared, name)
		if _, err := os.Lstat(path); err == nil {
			continue
		}
		k.put(alice, mallory, path)
		if !strings.HasPrefix(k.name, "another name") { // or the other name's owner would be new too
			mallory.owns(path)
		}
	}
}

// where are the names that Mallory has taken before Alice comes, or after she
// has begun. Where she is left some, her own loop goes on.
var taken = []struct {
	name   string
	before func() []string
	after  func() []string
	works  bool
}{
	{"every name", func() []string { return slices.Concat(names(plain), names(numbered())) }, nil, false},
	{"the plain names", func() []string { return names(plain) }, nil, true},
	{"the names with Alice's number", func() []string { return names(numbered()) }, nil, true},
	{"every name that is left when Alice has begun", nil, func() []string {
		return slices.DeleteFunc(slices.Concat(names(plain), names(numbered())), func(name string) bool { return name == journal })
	}, true},
	{"the journal of Alice's loop", nil, func() []string { return []string{journal} }, false},
}

const journal = plain + "-loop-chat-1.journal"

// TestNothingOfAnotherUserIsTouched is about all that can be in the way in a
// shared /tmp, with two real users: Mallory has taken our names, and Alice works
// as always.
func TestNothingOfAnotherUserIsTouched(t *testing.T) {
	needsUsers(t)
	for _, p := range []string{"symlinks", "hardlinks", "fifos", "regular"} {
		value, _ := os.ReadFile("/proc/sys/fs/protected_" + p) // a system without it does not help
		t.Logf("this kernel helps with protected_%s: %s", p, bytes.TrimSpace(value))
	}
	for _, take := range taken {
		for _, k := range short.First(kinds(), 1) {
			t.Run(take.name+" is "+k.name, func(t *testing.T) {
				alice, mallory := newUsers(t)
				if take.before != nil {
					plant(k, alice, mallory, take.before())
				} else {
					alice.begins()
					alice.hook("stop", "chat-1", fields{"status": "completed", "loop_count": 0})
					plant(k, alice, mallory, take.after())
				}
				before := world(t)
				said := alice.lives()
				want := take.works && !(k.name == asAlice && take.before != nil) // a file of hers is there: these names are taken for hers
				if works := strings.Contains(said, "followup_message"); works != want {
					t.Errorf("got that the loop goes on: %v, want %v", works, want)
				}
				unharmed(t, before, said)
			})
		}
	}
}

const aliceTask = "the task of Alice"

func (u user) begins() answer {
	u.Helper()
	return u.hook("beforeSubmitPrompt", "chat-1", fields{"prompt": `/ralph-loop "` + aliceTask + `"`})
}

// lives is a day of a user's: every event, in a chat with a loop and in one
// without, and every command. It returns all that was answered and printed.
func (u user) lives() string {
	u.Helper()
	var said strings.Builder
	note := func(a answer) { said.WriteString(a.out + a.err) }
	note(u.begins())
	note(u.hook("stop", "chat-1", fields{"status": "completed", "loop_count": 0}))
	for _, id := range []string{"chat-1", "chat-2"} {
		note(u.hook("postToolUse", id, fields{"tool_name": "Write", "tool_input": fields{"path": "x"}, "tool_use_id": "1"}))
		note(u.hook("afterAgentResponse", id, fields{"text": "done"}))
	}
	note(u.hook("beforeSubmitPrompt", "chat-2", fields{"prompt": "hello"}))
	for _, status := range []string{"completed", "error", "aborted"} {
		note(u.hook("stop", "chat-2", fields{"status": status, "loop_count": 0}))
	}
	for _, args := range commands("chat-2") {
		note(u.command(args...))
	}
	note(u.runs(`/ralph-loop "another task"`, filepath.Join(bin, "cursor-ralph"), "slash", "ralph-loop"))
	return said.String()
}

// commands are those that look at our files, of a conversation that has none.
func commands(id string) [][]string {
	list := [][]string{
		{"list", "--all"}, {"list", "--json"}, {"log", "--lines", "0"}, {"log", "--raw"}, {"start", "a task"},
		{"status"}, {"loop-mode", "status"}, {"cancel", "1700000000000-7"},
		{"context", id, "x"}, {"set", id, "--max-iterations", "30"}, {"note", id, "x"}, {"blocked", id, "x"}, {"inject", id, "--dry-run"},
	}
	for _, name := range []string{"status", "history", "report", "pause", "resume", "verify", "notify", "continue", "cancel"} {
		list = append(list, []string{name, id})
	}
	return list
}

// TestInstallAndDoctorInASharedFolder is apart: doctor takes its time.
func TestInstallAndDoctorInASharedFolder(t *testing.T) {
	for _, k := range short.First(kinds(), 1) {
		t.Run(k.name, func(t *testing.T) {
			alice, mallory := newUsers(t)
			plant(k, alice, mallory, slices.Concat(names(plain), names(numbered())))
			before := world(t)
			said := alice.command("install")
			if said.code != 0 {
				t.Errorf("got %+v, want it installed", said)
			}
			told := alice.command("doctor", "--verbose")
			if told.code == 0 || !strings.Contains(told.out, "refused") {
				t.Errorf("got %s, want doctor to report a folder that is not ours", told.out)
			}
			unharmed(t, before, said.out+said.err+told.out+told.err)
		})
	}
}

// TestFoldersAboveAWorkspaceMayBeMallorys: Alice works below /tmp, where Mallory
// has put what makes a folder a workspace, and what a tool leaves there.
func TestFoldersAboveAWorkspaceMayBeMallorys(t *testing.T) {
	alice, mallory := newUsers(t)
	trap := filepath.Join(shared, "trap")
	must(t, sources.WriteProgram(trap, []byte("#!/bin/sh\n: >"+alice.in("pwned")+"\n"), 0o755))
	for name, content := range map[string]string{
		".cursor/hooks.json":          `{"version": 1, "hooks": {"stop": [{"command": "` + trap + `"}]}}`,
		".cursor/ralph/scratchpad.md": "---\niteration: 1\nmax_iterations: 5\ncompletion_promise: \"DONE\"\n---\n" + bait + "\n",
		".git/HEAD":                   "ref: refs/heads/main\n",
		".git/config":                 "[core]\n\trepositoryformatversion = 0\n\tfsmonitor = " + trap + "\n",
		".ralph/state.json":           loopFile(bait),
		".ralph/prompt.md":            bait,
	} {
		path := filepath.Join(shared, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(content), 0o644))
	}
	for _, dir := range []string{".git/objects", ".git/refs"} {
		must(t, os.MkdirAll(filepath.Join(shared, dir), 0o755))
	}
	mallory.owns(shared)
	must(t, os.Chown(shared, 0, 0))
	alice.cwd = filepath.Join(shared, "alice-works-here")
	must(t, os.Mkdir(alice.cwd, 0o700))
	alice.owns(alice.cwd)
	said := alice.lives()
	for _, args := range [][]string{{"run", "--resume"}, {"doctor", "--verbose"}} {
		got := alice.command(args...)
		said += got.out + got.err
	}
	if strings.Contains(said, bait) {
		t.Errorf("got an answer with %s in it: %s", bait, said)
	}
	if _, err := os.Lstat(alice.in("pwned")); err == nil {
		t.Error("what Mallory wanted was run")
	}
	alice.hasNoBait(alice.in(".local"))
	alice.hasNoBait(shared)
}

// world is what there is that may not change: all that is Mallory's or root's,
// and Alice's home, where it is not ours.
func world(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, root := range []string{shared, filepath.Join(grounds, "alice"), filepath.Join(grounds, "mallory")} {
		must(t, filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			must(t, err)
			found[path] = ""
			return nil
		}))
	}
	for path := range found { // only now: to list a folder is to read it
		stat := lstat(t, path)
		ours := strings.HasPrefix(path, shared) && stat.Uid == aliceID && (stat.Nlink == 1 || stat.Mode&syscall.S_IFMT == syscall.S_IFDIR)
		if getsEntries := path == shared || path == filepath.Join(grounds, "alice"); ours || getsEntries || oursInHome(path) {
			delete(found, path)
			continue
		}
		found[path] = describe(stat)
	}
	return found
}

func oursInHome(path string) bool {
	rel, err := filepath.Rel(filepath.Join(grounds, "alice"), path)
	first, _, _ := strings.Cut(rel, "/")
	return err == nil && (first == ".local" || first == ".cursor" || first == ".config")
}

func lstat(t *testing.T, path string) *syscall.Stat_t {
	t.Helper()
	info, err := os.Lstat(path)
	must(t, err)
	return info.Sys().(*syscall.Stat_t)
}

// describe includes when a file was read last: a read shows there.
func describe(s *syscall.Stat_t) string {
	read := s.Atim
	if s.Mode&syscall.S_IFMT == syscall.S_IFLNK {
		read = syscall.Timespec{} // to read where a link leads does no harm
	}
	return fmt.Sprintf("mode %o, user %d, %d bytes, inode %d, written %v, read %v", s.Mode, s.Uid, s.Size, s.Ino, s.Mtim, read)
}

// unharmed checks that nothing was touched, and that nothing of Mallory's got to
// Alice, nor anything of hers to Mallory.
func unharmed(t *testing.T, before map[string]string, said string) {
	t.Helper()
	for path, was := range before {
		if _, err := os.Lstat(path); err != nil {
			t.Errorf("%s is gone", path)
		} else if is := describe(lstat(t, path)); is != was {
			t.Errorf("%s\ngot  %s\nwant %s", path, is, was)
		}
	}
	after := world(t)
	for path := range after {
		if before[path] == "" && !strings.HasPrefix(path, shared+"/") {
			t.Errorf("%s is new", path)
		}
	}
	for _, word := range []string{bait, secret} {
		if strings.Contains(said, word) {
			t.Errorf("got an answer with %s in it: %s", word, said)
		}
	}
	if _, err := os.Lstat(filepath.Join(grounds, "alice", "pwned")); err == nil {
		t.Error("what Mallory wanted was run")
	}
	ourFilesArePrivate(t)
}

// ourFilesArePrivate looks at all that Alice has where we put it.
func ourFilesArePrivate(t *testing.T) {
	t.Helper()
	for _, root := range []string{shared, filepath.Join(grounds, "alice", ".local"), filepath.Join(grounds, "mallory")} {
		must(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if os.IsNotExist(err) {
				return nil
			}
			must(t, err)
			stat := lstat(t, path)
			if stat.Uid != aliceID || stat.Nlink > 1 && d.Type().IsRegular() {
				return nil
			}
			if mode := stat.Mode & 0o077; mode != 0 && strings.HasPrefix(path, shared) {
				t.Errorf("%s: got mode %o, want it private", path, stat.Mode)
			}
			if dir := lstat(t, filepath.Dir(path)); dir.Uid == malloryID {
				t.Errorf("%s is in a folder of Mallory's", path)
			}
			if d.Type().IsRegular() {
				content, err := os.ReadFile(path)
				must(t, err)
				if bytes.Contains(content, []byte(bait)) || bytes.Contains(content, []byte(secret)) {
					t.Errorf("%s: got %s, want nothing of what is not hers", path, content)
				}
			}
			return nil
		}))
	}
}
