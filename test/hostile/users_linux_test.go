package hostile_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// user is somebody who has an account on the machine.
type user struct {
	*testing.T
	name string
	id   int
	base string // CURSOR_RALPH_DIR, where it is not the default
	cwd  string // where they work, if not in their home

	turns turns
}

const (
	aliceID   = 61001
	malloryID = 61002
)

// What must never be found where it does not belong: the words of a bait of
// Mallory's, and those of a file in Alice's home.
const (
	bait   = "BAIT-OF-MALLORY"
	secret = "SECRET-OF-ALICE"
)

// newUsers returns an empty machine with two users. Alice is the one who is
// attacked.
func newUsers(t *testing.T) (alice, mallory user) {
	t.Helper()
	needsUsers(t)
	alice, mallory = user{T: t, name: "alice", id: aliceID, turns: turns{}}, user{T: t, name: "mallory", id: malloryID, turns: turns{}}
	empty(t, shared)
	for _, u := range []user{alice, mallory} {
		must(t, os.RemoveAll(u.home()))
		must(t, os.MkdirAll(u.work(), 0o755))
		must(t, os.Chmod(u.home(), 0o700))
	}
	must(t, os.MkdirAll(alice.in("vault"), 0o755))
	for _, name := range []string{"vault/chat-1.json", "vault/chat-2.json", "vault/1700000000000-7.json", "canary"} {
		must(t, os.WriteFile(alice.in(name), []byte(loopFile(secret)), 0o600))
	}
	must(t, os.WriteFile(alice.in("work/vault.json"), []byte(`{"prompt": "`+aliceTask+`", "max_iterations": 20, "completion_promise": "COMPLETE", "iterations": 0, "session_iterations": 0, "stop": false, "last_output": ""}`), 0o600))
	must(t, os.Chmod(mallory.home(), 0o755))
	must(t, os.MkdirAll(mallory.in("vault"), 0o777))
	must(t, os.WriteFile(mallory.in("bait"), []byte(loopFile(bait)), 0o644))
	baits(t, mallory.in("vault"))
	must(t, syscall.Mkfifo(mallory.in("pipe"), 0o666))
	for _, u := range []user{alice, mallory} {
		u.owns(u.home())
	}
	return alice, mallory
}

// baits fills a folder with pending loops for everybody.
func baits(t *testing.T, dir string) {
	t.Helper()
	must(t, os.Chmod(dir, 0o777))
	for _, name := range []string{"chat-1.json", "chat-2.json", "1700000000000-7.json", ".lock", ".change.lock"} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(loopFile(bait)), 0o666))
		must(t, os.Chmod(filepath.Join(dir, name), 0o666))
	}
}

// loopFile is a state or pending file that would be taken, were it ours. What it
// would run leaves a file behind.
func loopFile(task string) string {
	data, err := json.Marshal(fields{
		"prompt": task, "max_iterations": 20, "completion_promise": "COMPLETE", "iterations": 0, "session_iterations": 0,
		"stop": false, "last_output": "<promise>COMPLETE</promise>", "min_tool_calls": 0,
		"verify": "touch " + filepath.Join(grounds, "alice", "pwned"),
	})
	if err != nil {
		panic(err)
	}
	return string(data)
}

type fields = map[string]any

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func empty(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		must(t, os.RemoveAll(filepath.Join(dir, e.Name())))
	}
}

func (u user) home() string          { return filepath.Join(grounds, u.name) }
func (u user) in(name string) string { return filepath.Join(u.home(), name) }
func (u user) work() string          { return u.in("work") }

// owns makes the user the owner of a file, or a folder with all that is in it.
func (u user) owns(path string) {
	u.Helper()
	must(u.T, filepath.WalkDir(path, func(path string, _ fs.DirEntry, err error) error {
		must(u.T, err)
		return os.Lchown(path, u.id, u.id)
	}))
}

// tooLong is far beyond what a hook or a command may take. A wait for the other
// end of a pipe has no end.
const tooLong = 30 * time.Second

// answer is what a program did.
type answer struct {
	out, err string
	code     int
}

// runs starts a program as this user and waits for its end.
func (u user) runs(stdin, program string, args ...string) answer {
	u.Helper()
	ctx, cancel := context.WithTimeout(u.Context(), tooLong)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Dir, cmd.Env = strings.NewReader(stdin), &out, &errs, cmp.Or(u.cwd, u.work()), u.env()
	cmd.SysProcAttr = u.attributes()
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	if ctx.Err() != nil {
		u.Errorf("%s %q: it hangs", filepath.Base(program), args)
	} else if cmd.ProcessState == nil {
		u.Errorf("%s %q: %v", filepath.Base(program), args, err)
	}
	return answer{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

func (u user) env() []string {
	return []string{
		"HOME=" + u.home(), "PATH=" + bin + ":/usr/bin:/bin", "SHELL=/bin/sh", "LANG=C.UTF-8",
		"CURSOR_RALPH_NO_NOTIFY=1", "CURSOR_RALPH_NO_WATCHER=1", "CURSOR_RALPH_DIR=" + u.base,
	}
}

func (u user) attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(u.id), Gid: uint32(u.id)}, Pdeathsig: syscall.SIGKILL}
}

// hook returns an event to the hook. Whatever comes, it answers with one object.
func (u user) hook(name, id string, more fields) answer {
	u.Helper()
	got := u.runs(u.event(name, id, more), filepath.Join(bin, "cursor-ralph-hook"))
	var object map[string]any
	if err := json.Unmarshal([]byte(got.out), &object); err != nil || object == nil || got.code != 0 || got.err != "" {
		u.Errorf("%s of %s: got %+v, want one object and exit 0 (%v)", name, id, got, err)
	}
	return got
}

func (u user) event(name, id string, more fields) string {
	u.Helper()
	all := fields{
		"hook_event_name": name, "conversation_id": id, "generation_id": u.turns.generation(id, name),
		"cursor_version": "3.18.25", "workspace_roots": []string{cmp.Or(u.cwd, u.work())},
	}
	maps.Copy(all, more)
	data, err := json.Marshal(all)
	must(u.T, err)
	return string(data)
}

func (u user) command(args ...string) answer {
	u.Helper()
	return u.runs("", filepath.Join(bin, "cursor-ralph"), args...)
}
