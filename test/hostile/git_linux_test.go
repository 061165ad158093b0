package hostile_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/test/short"
)

// TestConfigurationThatComesAndGoes: a process exchanges .git/config for one that names
// programs, thousands of times a second, while a loop with checkpoints goes on. There is
// no moment in which git takes them from there.
func TestConfigurationThatComesAndGoes(t *testing.T) {
	t.Parallel()
	p := newPerson(t, "work")
	trap := p.in("trap")
	p.write(trap, "#!/bin/sh\necho \"$0 $*\" >>'"+trap+".ran'\nexit 1\n")
	p.must(os.Chmod(trap, 0o755))
	p.git("init", "-q", "-b", "main")
	file, config := filepath.Join(p.cwd, "file"), filepath.Join(p.cwd, ".git", "config")
	p.write(file, "one\n")
	p.write(filepath.Join(p.cwd, ".gitattributes"), "* filter=evil diff=evil\n")
	p.git("add", "-A")
	p.git("-c", "user.name=x", "-c", "user.email=x@y", "commit", "-q", "-m", "one")
	harmless, err := os.ReadFile(config)
	p.must(err)
	evil := fmt.Sprintf("%s\tfsmonitor = %s\n\thooksPath = %s\n[filter \"evil\"]\n\tclean = %[2]s\n\tsmudge = %[2]s\n[diff \"evil\"]\n\ttextconv = %[2]s\n",
		harmless, trap, filepath.Join(p.cwd, "hooks"))
	p.write(config+".evil", evil)
	for _, hook := range []string{"post-index-change", "reference-transaction", "fsmonitor-watchman"} {
		p.program("hooks/"+hook, trap)
	}
	p.hook("beforeSubmitPrompt", "chat-1", map[string]any{"prompt": `/ralph-loop "ours" --checkpoints`})
	end := p.exchanges(config + "," + config + ".evil")
	for i := range short.Times(4, 12) {
		p.must(os.Chtimes(file, time.Time{}, time.Now().Add(-time.Duration(i+1)*time.Hour)))
		p.write(filepath.Join(p.cwd, "work"), fmt.Sprint(i))
		p.hook("postToolUse", "chat-1", map[string]any{"tool_name": "Write", "tool_input": map[string]any{"path": file}, "tool_use_id": fmt.Sprint(i)})
		p.hook("stop", "chat-1", map[string]any{"status": "completed", "loop_count": i})
	}
	p.command("diff", "chat-1", "0..")
	if swaps := end(); swaps < 1000 {
		t.Errorf("got %d exchanges: this test shows nothing", swaps)
	}
	if ran, err := os.ReadFile(trap + ".ran"); err == nil {
		t.Errorf("%d programs of the repository ran: %.300s", strings.Count(string(ran), "\n"), ran)
	}
	if got := p.command("diff", "chat-1"); strings.Count(got.out, "after iteration") < 4 {
		t.Errorf("got the checkpoints %s%s", got.out, got.err)
	}
	p.write(config, evil)
	_ = p.asUser("git", "status").Run() // the traps may make it fail
	if _, err := os.ReadFile(trap + ".ran"); err != nil {
		t.Error("git status springs no trap: this test shows nothing")
	}
}

// exchanges starts a process that exchanges two files until end.
func (p person) exchanges(pair string) (end func() int) {
	p.Helper()
	cmd := exec.Command("/proc/self/exe") // its folder may be hidden
	cmd.Env = append(p.env(), swapping+"="+pair)
	var out strings.Builder
	cmd.Stdout = &out
	stdin, err := cmd.StdinPipe()
	p.must(err)
	p.must(cmd.Start())
	p.Cleanup(func() { _ = cmd.Process.Kill() }) // it has ended, unless the test has failed
	return func() (swaps int) {
		p.must(stdin.Close())
		p.must(cmd.Wait())
		_, err := fmt.Sscan(out.String(), &swaps)
		p.must(err)
		return swaps
	}
}
