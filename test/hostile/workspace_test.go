//go:build unix

package hostile_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/test/short"
)

// givenWorkspace is a repository that came from somebody else, in which
// everything that may name a program names one that leaves a file behind.
func givenWorkspace(t *testing.T) (p person, sprung func() string) {
	t.Helper()
	p = newPerson(t, "work")
	trap := p.in("trap")
	p.write(trap, "#!/bin/sh\necho \"$0 $*\" >>'"+trap+".ran'\nexit 1\n")
	p.must(os.Chmod(trap, 0o755))
	p.git("init", "-q", "-b", "main")
	p.write(filepath.Join(p.cwd, "file"), "one\n")
	p.write(filepath.Join(p.cwd, "an \x1b[2J odd\nname"), "one\n")
	p.write(filepath.Join(p.cwd, ".gitattributes"), "* filter=evil diff=evil merge=evil\n")
	p.git("add", "-A")
	p.git("-c", "user.name=x", "-c", "user.email=x@y", "commit", "-q", "-m", "one")
	p.planted(trap)
	p.must(os.Chtimes(filepath.Join(p.cwd, "file"), time.Time{}, time.Now().Add(-time.Hour)))
	p.extra = []string{"PATH=.::" + p.cwd + "/../nowhere:" + bin + ":/usr/bin:/bin:"}
	return p, func() string {
		data, _ := os.ReadFile(trap + ".ran") // missing is what should be
		return string(data)
	}
}

// planted puts the trap into the repository, wherever something could run it.
func (p person) planted(trap string) {
	p.Helper()
	var config strings.Builder
	for _, setting := range []string{"core.fsmonitor", "core.hooksPath", "core.pager", "core.editor", "core.sshCommand", "core.gitProxy", "core.askPass",
		"core.alternateRefsCommand", "credential.helper", "diff.external", "filter.evil.clean", "filter.evil.smudge", "filter.evil.process",
		"diff.evil.textconv", "diff.evil.command", "merge.evil.driver", "gpg.program", "uploadpack.packObjectsHook", "sequence.editor"} {
		section, key := setting[:strings.LastIndex(setting, ".")], setting[strings.LastIndex(setting, ".")+1:]
		name, sub, _ := strings.Cut(section, ".")
		value := trap
		if key == "hooksPath" {
			value = filepath.Join(p.cwd, "hooks")
		}
		fmt.Fprintf(&config, "[%s%s]\n\t%s = %s\n", name, strings.TrimSuffix(` "`+sub+`"`, ` ""`), key, value)
	}
	config.WriteString("[alias]\n\tstatus = !" + trap + "\n\tconfig = !" + trap + "\n")
	p.write(filepath.Join(p.cwd, ".git", "more"), config.String())
	p.git("config", "include.path", "more")
	p.git("config", "core.repositoryFormatVersion", "1")
	p.git("config", "extensions.worktreeConfig", "true")
	p.git("config", "--worktree", "core.fsmonitor", trap)
	for _, dir := range []string{"hooks", ".git/hooks"} {
		for _, name := range []string{"post-index-change", "fsmonitor-watchman", "pre-commit", "post-checkout", "reference-transaction"} {
			p.program(filepath.Join(dir, name), trap)
		}
	}
	for _, name := range []string{"git", "sh", "bash", "cursor-ralph", "cursor-ralph-hook", "cursor-ralph-robotgo", "xdotool", "wtype", "ydotool", "wl-copy",
		"notify-send", "osascript", "powershell.exe", "claude", "cursor-agent", "cursor", "env", "setsid", "command"} {
		p.program(name, trap)
	}
	command := `{"command": "` + trap + `", "timeout": 5}`
	p.write(filepath.Join(p.cwd, ".cursor", "hooks.json"), `{"version": 1, "hooks": {"stop": [`+command+`], "sessionStart": [`+command+`]}}`)
	p.write(filepath.Join(p.cwd, ".cursor", "commands", "ralph-loop.md"), "!`"+trap+"`\n")
	p.write(filepath.Join(p.cwd, ".cursor", "ralph", "scratchpad.md"), "---\niteration: 1\nmax_iterations: 0\ncompletion_promise: \"$("+trap+")\"\n---\n$("+trap+")\n")
	p.write(filepath.Join(p.cwd, ".ralph", "state.json"), `{"prompt":"theirs","max_iterations":20,"completion_promise":"COMPLETE","iterations":1,"session_iterations":0,"stop":false,
		"last_output":"","status":"paused","verify":"`+trap+`","run":{"agent":"command","command":"`+trap+`","argv":["`+trap+`"],"driver":"print"}}`)
	p.must(os.Symlink(p.in("home/secret"), filepath.Join(p.cwd, ".ralph", "prompt.md")))
	p.write(p.in("home/secret"), "secret of the user")
}

func (p person) program(name, trap string) {
	p.Helper()
	path := filepath.Join(p.cwd, name)
	p.must(os.MkdirAll(filepath.Dir(path), 0o755))
	p.must(os.Symlink(trap, path))
}

func (p person) git(args ...string) {
	p.Helper()
	cmd := p.asUser("git", args...)
	if out, err := cmd.CombinedOutput(); err != nil {
		p.Fatalf("git %q: %v: %s", args, err, out)
	}
}

// asUser is a command as the user types it there.
func (p person) asUser(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = p.cwd, []string{"HOME=" + p.in("home"), "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1"}
	return cmd
}

// TestAGivenWorkspaceRunsNothing: a loop is played in it, and every command is
// run inside.
func TestAGivenWorkspaceRunsNothing(t *testing.T) {
	t.Parallel()
	p, sprung := givenWorkspace(t)
	check := func(what said) {
		t.Helper()
		p.shows(what)
		if ran := sprung(); ran != "" {
			t.Fatalf("%s ran what the workspace names: %s", what.name, ran)
		}
		if strings.Contains(what.out+what.err, "secret of the user") {
			t.Errorf("%s: got what a link leads to: %s%s", what.name, what.out, what.err)
		}
	}
	p.hook("beforeSubmitPrompt", "chat-1", map[string]any{"prompt": `/ralph-loop "ours"`})
	for i := range 3 {
		p.write(filepath.Join(p.cwd, "file"), fmt.Sprint(i))
		p.hook("postToolUse", "chat-1", map[string]any{"tool_name": "Write", "tool_input": map[string]any{"path": filepath.Join(p.cwd, "file")}, "tool_use_id": fmt.Sprint(i)})
		got := p.hook("stop", "chat-1", map[string]any{"status": "completed", "loop_count": i})
		if !strings.Contains(got.out, "followup_message") {
			t.Errorf("got %+v, want the loop to go on", got)
		}
		got.out = "" // the agent's
		check(got)
	}
	for _, args := range [][]string{
		{"start", "another"}, {"list", "--all"}, {"status"}, {"status", "chat-1"}, {"history", "chat-1"}, {"report", "chat-1"},
		{"log"}, {"log", "--raw"}, {"config"}, {"doctor", "--verbose"}, {"doctor", "--json"}, {"loop-mode", "on"}, {"loop-mode", "status"}, {"run", "--resume"}, {"run", "x", "--agent", "claude", "--max-iterations", "1"}, {"run", "x", "--agent", "cursor-agent", "--max-iterations", "1"},
		{"install", "--dry-run"}, {"install"}, {"inject", "chat-1", "--dry-run"},
		{"notify", "chat-1"}, {"pause", "chat-1"}, {"resume", "chat-1"}, {"context", "chat-1", "x"}, {"note", "chat-1", "x"}, {"verify", "chat-1"}, {"watch"},
		{"uninstall"}, {"cancel", "chat-1"}, {"completion", "bash"}, {"version"},
	} {
		check(p.command(args...))
	}
	_ = p.asUser("git", "status").Run() // the traps make it fail
	if sprung() == "" {
		t.Error("git status springs no trap: this test shows nothing")
	}
}

// TestNothingInAWorkspaceHoldsUsUp: pipes, huge and deep files, and links in a
// circle, where our files and Cursor's may be.
func TestNothingInAWorkspaceHoldsUsUp(t *testing.T) {
	t.Parallel()
	things := map[string]func(p person, path string){
		"a pipe":             func(p person, path string) { p.must(syscall.Mkfifo(path, 0o600)) },
		"a huge file":        func(p person, path string) { p.write(path, "{"); p.must(os.Truncate(path, 1<<40)) },
		"a deep file":        func(p person, path string) { p.write(path, strings.Repeat(`{"hooks":[`, 200_000)) },
		"a link to itself":   func(p person, path string) { p.must(os.Symlink(filepath.Base(path), path)) },
		"a link to a device": func(p person, path string) { p.must(os.Symlink("/dev/zero", path)) },
		"a folder":           func(p person, path string) { p.must(os.Mkdir(path, 0o700)) },
	}
	for _, name := range short.Keys(things, 2) {
		put := things[name]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPerson(t, "work")
			p.git("init", "-q")
			for _, file := range []string{".cursor/hooks.json", ".cursor/commands/ralph-loop.md", ".cursor/ralph/scratchpad.md", ".cursor/plugins/local/x/.cursor-plugin/plugin.json"} {
				path := filepath.Join(p.cwd, file)
				p.must(os.MkdirAll(filepath.Dir(path), 0o755))
				put(p, path)
			}
			p.hook("beforeSubmitPrompt", "chat-1", map[string]any{"prompt": `/ralph-loop "ours"`})
			if got := p.hook("stop", "chat-1", map[string]any{"status": "completed", "loop_count": 0}); !strings.Contains(got.out, "followup_message") {
				t.Errorf("got %+v, want the loop to go on", got)
			}
			for _, args := range [][]string{{"start", "another"}, {"list"}, {"status", "chat-1"}, {"doctor", "--verbose"}, {"run", "--resume"},
				{"run", "x", "--agent-command", "true", "--max-iterations", "1"}, {"install", "--project", "."}, {"uninstall", "--project", "."}, {"inject", "chat-1", "--dry-run"}} {
				p.shows(p.command(args...))
			}
		})
	}
}

// TestAGitFileThatLeadsElsewhereIsNotBelieved: its repository is the user's own,
// or none.
func TestAGitFileThatLeadsElsewhereIsNotBelieved(t *testing.T) {
	t.Parallel()
	p, sprung := givenWorkspace(t)
	other := p
	other.cwd = p.in("other")
	p.must(os.Mkdir(other.cwd, 0o700))
	p.write(filepath.Join(other.cwd, ".git"), "gitdir: "+filepath.Join(p.cwd, ".git")+"\n")
	p.git("config", "core.worktree", p.in("home"))
	for _, where := range []person{p, other} {
		id := filepath.Base(where.cwd)
		where.hook("beforeSubmitPrompt", id, map[string]any{"prompt": `/ralph-loop "ours"`})
		where.hook("stop", id, map[string]any{"status": "completed", "loop_count": 0})
		where.command("status", id)
		if state := where.command("status", "--json", id); strings.Contains(state.out, "home/secret") {
			t.Errorf("got %s, want nothing of the home folder", state.out)
		}
	}
	if ran := sprung(); ran != "" {
		t.Errorf("got run: %s", ran)
	}
}
