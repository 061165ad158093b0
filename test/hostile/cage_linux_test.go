package hostile_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cursor-ralph/cursor-ralph/test/sources"
)

// An agent in a cage: a mount and network namespace in which it can write its workspace
// and the temporary folder, and nothing else. The hook and the user are outside. What a
// test finds at p.canary() was run outside for the agent.

// caged is set, with the folders that can be written, in a process that goes into a cage
// and becomes the program of its arguments.
const caged = "CURSOR_RALPH_HOSTILE_CAGE"

// enterCage makes everything read-only but some folders, and starts a program there.
func enterCage(folders []string, args []string) int {
	err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")
	for _, dir := range folders {
		err = errors.Join(err, unix.Mount(dir, dir, "", unix.MS_BIND, ""))
	}
	err = errors.Join(err, unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}))
	for _, dir := range folders {
		err = errors.Join(err, unix.MountSetattr(unix.AT_FDCWD, dir, 0, &unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY}))
	}
	if err == nil {
		err = os.Unsetenv(caged)
	}
	if err == nil {
		err = os.Chdir(folders[0]) // the mount, not what lies below it
	}
	if err == nil {
		err = syscall.Exec(args[0], args, os.Environ())
	}
	fmt.Fprintln(os.Stderr, "no cage:", err)
	return 125
}

func cageAttributes() *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL}
	if id := os.Geteuid(); id != 0 {
		a.Cloneflags |= syscall.CLONE_NEWUSER
		a.UidMappings = []syscall.SysProcIDMap{{ContainerID: id, HostID: id, Size: 1}}
		a.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
		a.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN}
	}
	return a
}

// prisoner is a user whose agent works in a cage.
type prisoner struct{ person }

func newPrisoner(t *testing.T) prisoner {
	t.Helper()
	p := prisoner{newPerson(t, "work")}
	p.must(os.MkdirAll(p.in("state"), 0o700))
	got := p.inCage("", "/bin/sh", "-c", "touch in-work && touch "+p.in("tmp/x")+" && rm "+p.in("tmp/x")+" && ! touch "+p.canary()+" "+p.in("state/x")+" 2>/dev/null")
	switch {
	case got.code == 0:
	case os.Getenv("CI") == "true":
		t.Fatalf("there are no namespaces for a cage: %+v", got)
	default:
		t.Logf("%+v", got)
		t.Skip("needs user namespaces, for a sandbox")
	}
	return p
}

// canary is what the commands of an attack leave in the user's home.
func (p prisoner) canary() string { return p.in("home/pwned") }

// evil is a command that can be seen to have run outside the cage.
func (p prisoner) evil() string { return "touch '" + p.canary() + "'" }

func (p prisoner) escaped() bool {
	_, err := os.Lstat(p.canary())
	return err == nil
}

// inCage runs a program as the agent's shell does.
func (p prisoner) inCage(stdin string, args ...string) said {
	return p.inCageOf("chat-1", stdin, args...)
}

func (p prisoner) inCageOf(chat, stdin string, args ...string) said {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/proc/self/exe", args...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Dir = strings.NewReader(stdin), &out, &errs, p.cwd
	cmd.Env = append(p.env(), caged+"="+p.cwd+string(filepath.ListSeparator)+p.in("tmp"), "CURSOR_AGENT=1")
	if chat != "" {
		cmd.Env = append(cmd.Env, "CURSOR_CONVERSATION_ID="+chat)
	}
	cmd.SysProcAttr = cageAttributes()
	err := cmd.Run()
	name := fmt.Sprintf("%.100q in the cage", args)
	if cmd.ProcessState == nil {
		return said{name: name, code: 125, err: err.Error()}
	}
	return said{name, out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// calls is cursor-ralph, called by the agent of a chat.
func (p prisoner) calls(chat string, args ...string) said {
	p.Helper()
	return p.inCageOf(chat, "", append([]string{filepath.Join(bin, "cursor-ralph")}, args...)...)
}

// pretends is calls without what shows that an agent calls.
func (p prisoner) pretends(args ...string) said {
	p.Helper()
	return p.inCage("", append([]string{"/usr/bin/env", "-u", "CURSOR_AGENT", "-u", "CURSOR_CONVERSATION_ID", filepath.Join(bin, "cursor-ralph")}, args...)...)
}

// shell is a script of the agent's.
func (p prisoner) shell(script string) {
	p.Helper()
	if got := p.inCage("", "/bin/sh", "-euc", script); got.code != 0 {
		p.Fatalf("%+v", got)
	}
}

// prompts is a message of the user's.
func (p prisoner) prompts(chat, text string) said {
	p.Helper()
	return p.hook("beforeSubmitPrompt", chat, map[string]any{"prompt": text})
}

// promises is a turn that ends with the promise.
func (p prisoner) promises(chat string) said {
	p.Helper()
	p.hook("postToolUse", chat, map[string]any{"tool_name": "Write", "tool_input": map[string]any{"path": "x"}, "tool_use_id": fmt.Sprint("t", p.turns[chat])})
	p.hook("afterAgentResponse", chat, map[string]any{"text": "I checked all of it.\n\n<promise>COMPLETE</promise>"})
	return p.hook("stop", chat, map[string]any{"status": "completed", "loop_count": p.turns[chat]})
}

// live is the path of a chat's loop.
func (p prisoner) live(chat string) string { return p.in("tmp/cursor-ralph-loop-" + chat + ".json") }

func (p prisoner) pending(name string) string {
	return p.in("tmp/cursor-ralph-pending/" + name + ".json")
}

// state is the object in a file.
func (p prisoner) state(path string) map[string]any {
	p.Helper()
	data, err := os.ReadFile(path)
	p.must(err)
	var all map[string]any
	p.must(json.Unmarshal(data, &all))
	return all
}

// forges has the agent write a loop's file: an existing one with other fields, or a new one.
func (p prisoner) forges(path, from string, more map[string]any) {
	p.Helper()
	all := map[string]any{"prompt": "x", "max_iterations": 20, "completion_promise": "COMPLETE", "min_tool_calls": 0}
	if from != "" {
		all = p.state(from)
	}
	maps.Copy(all, more)
	maps.DeleteFunc(all, func(_ string, value any) bool { return value == nil })
	data, err := json.Marshal(all)
	p.must(err)
	p.shell("mkdir -p -m 700 '" + filepath.Dir(path) + "'; umask 077; rm -f '" + path + "'; cat >'" + path + "' <<'END'\n" + string(data) + "\nEND\n")
}

// everyCommand is what a file may say about what is to be run.
func (p prisoner) everyCommand() map[string]any {
	return map[string]any{"verify": p.evil(), "on_end": p.evil(), "review": "claude", "checkpoints": true, "has_record": nil}
}

// listens is a line of the user's whose gate fails, so that no promise counts.
const gated = `/ralph-loop "do it" --min-tool-calls 0 --verify "exit 3"`

func TestCageCommandsFromInside(t *testing.T) {
	p := newPrisoner(t)
	for _, chat := range []string{"chat-1", ""} {
		for _, option := range []string{"--verify", "--on-end", "--review"} {
			value := p.evil()
			if option == "--review" {
				value = "claude"
			}
			got := p.pretends("start", "do "+strings.Trim(option, "-")+chat, option, value, "--no-try", "--min-tool-calls", "0")
			if got.code == 0 || option != "--review" && !strings.Contains(got.err, "the user") {
				t.Errorf("%s: got %+v, want an error that says how the user can ask for it", option, got)
			}
			p.hook("postToolUse", "chat-1", map[string]any{"tool_name": "Shell", "tool_use_id": "s" + option + chat, "tool_input": map[string]any{"command": "cursor-ralph start x"}, "tool_output": got.out})
			p.promises("chat-1")
			p.promises("chat-1")
		}
		line := `/ralph-loop "a task" --verify "` + p.evil() + `" --on-end "` + p.evil() + `" --min-tool-calls 0`
		got := p.inCageOf(chat, line, filepath.Join(bin, "cursor-ralph"), "slash", "ralph-loop")
		if got.code == 0 || !strings.Contains(got.err, "the user") {
			t.Errorf("slash: got %+v, want an error that says how the user can ask for it", got)
		}
		p.promises("chat-1")
		p.promises("chat-1")
	}
	if p.escaped() {
		t.Error("a command from inside was run outside")
	}
}

func TestCageOwnStateFolder(t *testing.T) {
	p := newPrisoner(t)
	own := p.in("tmp/own")
	got := p.inCage("", "/usr/bin/env", "-u", "CURSOR_AGENT", "-u", "CURSOR_CONVERSATION_ID", "CURSOR_RALPH_STATE_DIR="+own, filepath.Join(bin, "cursor-ralph"), "start", "x", "--no-try", "--verify", p.evil(), "--on-end", p.evil(), "--min-tool-calls", "0")
	if got.code != 0 {
		t.Fatalf("%+v", got)
	}
	p.promises("chat-1")
	p.promises("chat-1")
	if p.escaped() {
		t.Error("a record in the agent's own state folder was believed")
	}
	if log := p.command("log").out; strings.Contains(log, "PROMISE_ACCEPTED") {
		t.Errorf("a promise counted whose gates nobody knows:\n%s", log)
	}
}

func TestCageLiveFile(t *testing.T) {
	for name, change := range map[string]func(p prisoner) map[string]any{
		"commands":               func(p prisoner) map[string]any { return p.everyCommand() },
		"a loop that begins":     func(p prisoner) map[string]any { return with(p.everyCommand(), "started_at", nil) },
		"another id":             func(p prisoner) map[string]any { return with(p.everyCommand(), "id", "zzzzz") },
		"another task":           func(p prisoner) map[string]any { return with(p.everyCommand(), "prompt", "other", "created_at", nil) },
		"seven fields":           func(p prisoner) map[string]any { return nil },
		"an end":                 func(p prisoner) map[string]any { return with(p.everyCommand(), "status", "CANCELLED") },
		"a promise by the agent": func(p prisoner) map[string]any { return with(p.everyCommand(), "note", "x") },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPrisoner(t)
			p.prompts("chat-1", gated)
			p.hook("stop", "chat-1", map[string]any{"status": "completed", "loop_count": 0})
			if change(p) == nil {
				p.shell("rm '" + p.live("chat-1") + "'")
				p.forges(p.live("chat-1"), "", nil)
			} else {
				p.forges(p.live("chat-1"), p.live("chat-1"), change(p))
			}
			p.promises("chat-1")
			p.promises("chat-1")
			if p.escaped() {
				t.Error("a command of the live file was run")
			}
			if log := p.command("log").out; strings.Contains(log, "PROMISE_ACCEPTED") {
				t.Errorf("the gate was lost:\n%s", log)
			}
		})
	}
}

func with(fields map[string]any, more ...any) map[string]any {
	for i := 0; i < len(more); i += 2 {
		fields[more[i].(string)] = more[i+1]
	}
	return fields
}

func TestCagePendingFile(t *testing.T) {
	for _, name := range []string{"chat-1", "1700000000000-7"} {
		t.Run(name, func(t *testing.T) {
			p := newPrisoner(t)
			path := p.pending(name)
			p.forges(path, "", with(p.everyCommand(), "workspace", p.cwd, "replace", true))
			if out := p.command("doctor", "--verbose").out; !strings.Contains(out, "pwned") {
				t.Errorf("doctor does not show it:\n%s", out)
			}
			for range 3 {
				p.promises("chat-1")
			}
			if p.escaped() {
				t.Error("a command of the pending file was run")
			}
			if log := p.command("log").out; !strings.Contains(log, "pwned") {
				t.Errorf("the log does not show it:\n%s", log)
			}
		})
	}
}

// TestCageCommandFile: where Cursor shows the hook a slash command's text, the agent may
// have written that text.
func TestCageCommandFile(t *testing.T) {
	const file = "# /ralph-loop: work\n\n<!-- cursor-ralph: installed file of the plugin; what the user typed follows -->\n\n"
	for name, line := range map[string]string{
		"a command": `"do it" --min-tool-calls 0 --verify "EVIL"`, "at the end": `"do it" --min-tool-calls 0 --on-end "EVIL"`,
		"another line before the user's": "\"do it\" --min-tool-calls 0 --verify \"EVIL\"\n\n", "a reviewer": `"do it" --min-tool-calls 0 --review claude --on-end "EVIL"`,
	} {
		t.Run(name, func(t *testing.T) {
			p := newPrisoner(t)
			text := file + strings.ReplaceAll(line, "EVIL", p.evil())
			p.write(filepath.Join(p.cwd, ".cursor/commands/help.md"), text)
			p.prompts("chat-1", text)
			p.calls("chat-1", "note", "x")
			p.promises("chat-1")
			p.promises("chat-1")
			if p.escaped() {
				t.Error("a command of a command file was run")
			}
		})
	}
	// It may hold nothing but a line, which then looks like the user's.
	for _, front := range []string{"", "\n \n", "\ufeff", " \ufeff\n", strings.Repeat(" ", 2<<20), "---\ndescription: help\n---\n", "\ufeff \ufeff---\na: b\n---\n\ufeff", "---\na: |\n---b\n---\n"} {
		p := newPrisoner(t)
		line := `/ralph-loop "do it" --min-tool-calls 0 --verify "` + p.evil() + `"`
		p.shell("mkdir -p .cursor/commands/a")
		p.must(os.WriteFile(filepath.Join(p.cwd, ".cursor/commands/a/help.md"), []byte(front+line), 0o600))
		p.prompts("chat-1", line)
		p.promises("chat-1")
		if p.escaped() {
			t.Errorf("the line of a command file was taken for the user's, after %.40q", front)
		}
		p.shell("mkdir x; mv .cursor/commands x; ln -s ../x/commands .cursor/commands; mv x/commands/a x/b; ln -s ../b x/commands/a")
		p.prompts("chat-1", line)
		p.promises("chat-1")
		if p.escaped() {
			t.Errorf("a command file behind links was taken for the user's, after %.40q", front)
		}
		p.shell("rm .cursor/commands")
		p.prompts("chat-1", `/ralph-loop "do it" --min-tool-calls 0 --verify "touch '`+p.in("home/checked")+`'"`)
		p.promises("chat-1")
		if _, err := os.Stat(p.in("home/checked")); err != nil {
			t.Errorf("the user's own line has no effect: %v", err)
		}
	}
	p := newPrisoner(t)
	p.prompts("chat-1", file+`"do it" --min-tool-calls 0 --verify "touch '`+p.in("home/checked")+`'"`)
	p.promises("chat-1")
	if _, err := os.Stat(p.in("home/checked")); err != nil {
		t.Errorf("the user's own line behind our text has no effect: %v", err)
	}
	p = newPrisoner(t)
	p.prompts("chat-1", file+`"do it" --min-tool-calls 0`)
	if !p.promises("chat-1").has("{}") || !strings.Contains(p.command("log", "--raw").out, "PROMISE_ACCEPTED") {
		t.Errorf("without a command there is no loop:\n%s", p.command("log").out)
	}
}

// elsewhere is a folder of the user's that the cage cannot write, with a script that says
// where it was run.
func (p prisoner) elsewhere() string {
	p.Helper()
	dir := p.in("other")
	p.must(os.MkdirAll(dir, 0o700))
	p.must(sources.WriteProgram(filepath.Join(dir, "check.sh"), []byte("#!/bin/sh\ntouch '"+p.in("home/checked")+"'\nexit 3\n"), 0o700))
	p.shell("printf '#!/bin/sh\\n%s\\n' \"" + p.evil() + "\" >check.sh; chmod 700 check.sh")
	return dir
}

func (p prisoner) of(dir string) prisoner {
	p.cwd = dir
	return p
}

// checked forgets that the user's own command was run, and reports whether it was.
func (p prisoner) checked() bool { return os.Remove(p.in("home/checked")) == nil }

// TestCageAnothersLoop tries to get the commands that the user asked for elsewhere.
func TestCageAnothersLoop(t *testing.T) {
	for name, step := range map[string]func(p prisoner, other, id string){
		"a live file with its id": func(p prisoner, other, id string) {
			p.forges(p.live("chat-1"), "", map[string]any{"id": id, "workspace": other})
		},
		"a copy of the live file": func(p prisoner, _, _ string) {
			p.forges(p.live("chat-1"), p.live("chat-2"), map[string]any{"workspace": p.cwd})
		},
		"the same in its workspace": func(p prisoner, _, _ string) { p.forges(p.live("chat-1"), p.live("chat-2"), nil) },
		"a pending file with its id": func(p prisoner, _, id string) {
			p.forges(p.pending("chat-1"), "", map[string]any{"id": id, "has_record": true})
		},
		"an unbound file with its id": func(p prisoner, other, id string) {
			p.forges(p.pending("1700000000000-7"), "", map[string]any{"id": id, "workspace": other})
		},
		"a continue by the agent":      func(p prisoner, _, id string) { p.bring("chat-1", id) },
		"a continue without a chat id": func(p prisoner, _, id string) { p.bring("", id) },
		"a renamed live file":          func(p prisoner, _, _ string) { p.shell("mv '" + p.live("chat-2") + "' '" + p.live("chat-1") + "'") },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPrisoner(t)
			other := p.of(p.elsewhere())
			other.prompts("chat-2", `/ralph-loop "do it" --min-tool-calls 0 --verify ./check.sh`)
			other.hook("stop", "chat-2", map[string]any{"status": "completed", "loop_count": 0})
			if !other.promises("chat-2").has("check.sh") || !p.checked() {
				t.Fatal("the user's own gate does not run")
			}
			step(p, other.cwd, p.state(p.live("chat-2"))["id"].(string))
			p.promises("chat-1")
			p.promises("chat-1")
			if p.escaped() || p.checked() {
				t.Error("the command of another chat's loop was run")
			}
		})
	}
}

// bring has the agent of a chat continue another chat's loop.
func (p prisoner) bring(chat, id string) {
	p.Helper()
	p.calls(chat, "continue", id)
}

// TestCageAnothersRequest tries to get the commands of a loop that waits in another folder.
func TestCageAnothersRequest(t *testing.T) {
	p := newPrisoner(t)
	other := p.of(p.elsewhere())
	if got := other.command("start", "do it", "--no-try", "--min-tool-calls", "0", "--verify", "./check.sh"); got.code != 0 {
		t.Fatalf("%+v", got)
	}
	files, err := filepath.Glob(p.pending("*"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	id := p.state(files[0])["id"]
	kept, err := os.ReadFile(files[0])
	p.must(err)
	for name, step := range map[string]func(){
		"its workspace": func() { p.forges(files[0], files[0], map[string]any{"workspace": p.cwd}) },
		"its chat":      func() { p.forges(p.pending("chat-1"), files[0], map[string]any{"conversation_id": "chat-1"}) },
		"its owner":     func() { p.forges(files[0], files[0], map[string]any{"conversation_id": "chat-1", "workspace": p.cwd}) },
		"a continue":    func() { p.bring("chat-1", fmt.Sprint(id)) },
		"the line": func() {
			p.prompts("chat-1", "/ralph-loop --continue "+fmt.Sprint(id))
			p.bring("chat-1", fmt.Sprint(id))
		},
		"another's name": func() { p.bring("", fmt.Sprint(id)) },
	} {
		p.shell("rm -f '" + p.live("chat-1") + "' '" + p.pending("chat-1") + "'")
		p.must(os.WriteFile(files[0], kept, 0o600))
		step()
		p.promises("chat-1")
		p.promises("chat-1")
		if p.escaped() || p.checked() {
			t.Errorf("%s: the command of a request in another folder was run", name)
		}
	}
	p.must(os.WriteFile(files[0], kept, 0o600))
	other.prompts("chat-2", "/ralph-loop --continue "+fmt.Sprint(id))
	other.promises("chat-2")
	if !p.checked() {
		t.Error("the request does not begin where it was made")
	}
}

// TestCageWorkspace has the user's own relative command run in a folder of the agent's.
func TestCageWorkspace(t *testing.T) {
	p := newPrisoner(t)
	other := p.of(p.elsewhere())
	other.prompts("chat-2", `/ralph-loop "do it" --min-tool-calls 0 --verify ./check.sh`)
	other.hook("stop", "chat-2", map[string]any{"status": "completed", "loop_count": 0})
	p.forges(p.live("chat-2"), p.live("chat-2"), map[string]any{"workspace": p.cwd, "cwd": p.cwd})
	other.promises("chat-2")
	if p.escaped() || !p.checked() {
		t.Error("the command was run in another folder, or not at all")
	}
}

// TestCageAfterTheEnd puts the files of an ended loop back.
func TestCageAfterTheEnd(t *testing.T) {
	p := newPrisoner(t)
	ends := p.in("home/ends")
	p.prompts("chat-1", `/ralph-loop "do it" --min-tool-calls 0 --verify true --on-end "echo >>'`+ends+`'"`)
	p.hook("stop", "chat-1", map[string]any{"status": "completed", "loop_count": 0})
	p.shell("cp '" + p.live("chat-1") + "' '" + p.in("tmp/kept") + "'")
	p.promises("chat-1")
	p.must(await(func() bool { return countLines(ends) == 1 }))
	id := fmt.Sprint(p.state(p.in("tmp/kept"))["id"])
	for _, more := range []map[string]any{{}, {"status": "CANCELLED", "ended_at": "2026-01-01T00:00:00Z"}, {"started_at": nil}} {
		p.forges(p.live("chat-1"), p.in("tmp/kept"), more)
		p.promises("chat-1")
		p.shell("rm -f '" + p.live("chat-1") + "'")
	}
	p.forges(p.pending("chat-1"), p.in("tmp/kept"), nil)
	p.promises("chat-1")
	p.promises("chat-1")
	p.calls("chat-1", "continue", id)
	p.promises("chat-1")
	p.command("on-end", "chat-1", id) // whoever is first would run it
	if n := countLines(ends); n != 1 {
		t.Errorf("the command of --on-end was run %d times", n)
	}
	records, err := filepath.Glob(p.in("state/loops/*.json"))
	p.must(err)
	if !slices.ContainsFunc(records, func(path string) bool {
		l := p.state(path)
		return l["status"] == "PROMISE_ACCEPTED" && l["verify"] == "true"
	}) {
		t.Errorf("the record of the ended loop was replaced: %q", records)
	}
}

// TestCageSettings has the user's default commands run for a loop of the agent's.
func TestCageSettings(t *testing.T) {
	p := newPrisoner(t)
	p.write(p.in("home/.config/cursor-ralph/config.toml"), "[loop]\nverify = \"./check.sh\"\n")
	p.elsewhere()
	for _, chat := range []string{"chat-1", ""} {
		if got := p.inCageOf(chat, `"x" --min-tool-calls 0`, filepath.Join(bin, "cursor-ralph"), "slash", "ralph-loop"); got.code == 0 {
			t.Errorf("got %+v, want an error: its gate cannot be kept", got)
		}
		p.promises("chat-1")
		p.promises("chat-1")
	}
	if p.escaped() {
		t.Error("the user's default was run for the agent's loop")
	}
}

// TestCageOwnCalls wants that an agent in a cage can do what the continuation asks of it.
// TestCageSet: from inside nothing adds, changes or takes away what the record has; from outside the user does.
func TestCageSet(t *testing.T) {
	p := newPrisoner(t)
	p.prompts("chat-1", gated)
	p.hook("stop", "chat-1", map[string]any{"status": "completed", "loop_count": 0})
	for _, args := range [][]string{{"--verify", p.evil()}, {"--no-verify"}, {"--verify", "true"}, {"--no-verify", "--max-iterations", "30"}} {
		if got := p.pretends(append([]string{"set"}, args...)...); got.code != 1 || !got.has("Ask the user") {
			t.Errorf("%q: got %+v, want a refusal that says how the user can ask for it", args, got)
		}
	}
	if got := p.promises("chat-1"); p.escaped() || !got.has("failed with exit 3") {
		t.Errorf("got %+v, want the promise refused by the gate of the record", got)
	}
	if got := p.command("set", "chat-1", "--verify", "exit 4"); got.code != 0 {
		t.Fatalf("%+v", got)
	}
	if got := p.promises("chat-1"); !got.has("failed with exit 4") {
		t.Errorf("got %+v, want the promise refused by the user's new gate", got)
	}
}

func TestCageOwnCalls(t *testing.T) {
	p := newPrisoner(t)
	ends := p.in("home/ends")
	p.prompts("chat-1", gated+` --on-end "echo >>'`+ends+`'"`)
	p.hook("stop", "chat-1", map[string]any{"status": "completed", "loop_count": 0})
	for _, args := range [][]string{{"note", "half of it"}, {"context", "more"}, {"task"}, {"status"}} {
		if got := p.calls("chat-1", args...); got.code != 0 {
			t.Errorf("%+v", got)
		}
	}
	if got := p.hook("stop", "chat-1", map[string]any{"status": "completed", "loop_count": 1}); !got.has("more") {
		t.Errorf("the context is lost: %+v", got)
	}
	if got := p.calls("chat-1", "blocked", "I need a key"); got.code != 0 {
		t.Errorf("%+v", got)
	}
	p.hook("stop", "chat-1", map[string]any{"status": "completed", "loop_count": 2})
	if out := p.command("list", "--all").out; !strings.Contains(out, "BLOCKED") {
		t.Errorf("the loop has not ended:\n%s", out)
	}
	if err := await(func() bool { return countLines(ends) == 1 }); err != nil {
		t.Errorf("the command of --on-end was not run when the agent was blocked: %v", err)
	}
	if got := p.inCageOf("chat-2", `"without commands"`, filepath.Join(bin, "cursor-ralph"), "slash", "ralph-loop"); got.code != 0 {
		t.Errorf("a loop without commands needs nothing outside: %+v", got)
	}
	if got := p.hook("stop", "chat-2", map[string]any{"status": "completed", "loop_count": 0}); !got.has("without commands") {
		t.Errorf("it does not go on: %+v", got)
	}
}

func (s said) has(text string) bool { return strings.Contains(cmp.Or(s.out, s.err), text) }

// await waits until something is so.
func await(is func() bool) error {
	for range 500 {
		if is() {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return errors.New("it takes too long")
}

func countLines(path string) int {
	data, _ := os.ReadFile(path) // without a file there are none
	return bytes.Count(data, []byte("\n"))
}
