package hostile_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestCheckpointsStayInTheRepository: the agent exchanges what leads to the repository,
// in a workspace that it can write, for what leads to another one of the user's.
func TestCheckpointsStayInTheRepository(t *testing.T) {
	t.Parallel()
	for name, attack := range map[string]func(p person, git, private string){
		"a link in place of .git": func(p person, git, private string) {
			p.must(os.Rename(git, git+"-old"))
			p.must(os.Symlink(private, git))
		},
		"commondir": func(p person, git, private string) { p.write(filepath.Join(git, "commondir"), private+"\n") },
		"a .git file": func(p person, git, private string) {
			p.must(os.RemoveAll(git))
			p.write(git, "gitdir: "+private+"\n")
		},
		"a linked work tree of its own": func(p person, git, private string) {
			p.write(filepath.Join(p.cwd, "wt/commondir"), private+"\n")
			p.write(filepath.Join(p.cwd, "wt/gitdir"), git+"\n")
			p.write(filepath.Join(p.cwd, "wt/HEAD"), "ref: refs/heads/main\n")
			p.must(os.RemoveAll(git))
			p.write(git, "gitdir: wt\n")
		},
		"objects": func(p person, git, private string) {
			p.must(os.Rename(filepath.Join(git, "objects"), filepath.Join(git, "o")))
			p.must(os.Symlink(filepath.Join(private, "objects"), filepath.Join(git, "objects")))
		},
		"all folders of objects": func(p person, git, private string) {
			for i := range 256 {
				dir := filepath.Join(git, "objects", string("0123456789abcdef"[i/16])+string("0123456789abcdef"[i%16]))
				p.must(os.RemoveAll(dir))
				p.must(os.Symlink(filepath.Join(private, "objects"), dir))
			}
		},
		"the repository around it": func(p person, git, _ string) { p.must(os.RemoveAll(git)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPerson(t, "around/work")
			private := filepath.Dir(p.cwd) // the user's own, which a sandbox would not let the agent write
			p.git("init", "-q", "-b", "main", private)
			p.git("init", "-q", "-b", "main")
			p.write(filepath.Join(p.cwd, "main.go"), "package main\n")
			p.git("add", "-A")
			p.git("-c", "user.name=x", "-c", "user.email=x@y", "commit", "-q", "-m", "one")
			before := p.files(filepath.Join(private, ".git"))
			p.hook("beforeSubmitPrompt", "chat-1", map[string]any{"prompt": `/ralph-loop "ours" --checkpoints`})
			if got := p.command("diff", "chat-1"); !strings.Contains(got.out, "before iteration 1") {
				t.Fatalf("got %+v", got)
			}
			attack(p, filepath.Join(p.cwd, ".git"), filepath.Join(private, ".git"))
			p.write(filepath.Join(p.cwd, "main.go"), "package main // more\n")
			p.hook("postToolUse", "chat-1", map[string]any{"tool_name": "Write", "tool_input": map[string]any{"path": filepath.Join(p.cwd, "main.go")}, "tool_use_id": "1"})
			if got := p.hook("stop", "chat-1", map[string]any{"status": "completed", "loop_count": 0}); !strings.Contains(got.out, "followup_message") || !strings.Contains(got.out, "no checkpoint was made") {
				t.Errorf("got %s, want the loop to go on, and to say what is missing", got.out)
			}
			if now := p.files(filepath.Join(private, ".git")); now != before {
				t.Errorf("another repository has\n%s\nand had\n%s", now, before)
			}
		})
	}
}

// TestAPipeHoldsUpOneStop: git would wait for the other end of a pipe in place of a
// .gitignore, and is killed. A checkpoint is made again once the pipe is gone.
func TestAPipeHoldsUpOneStop(t *testing.T) {
	t.Parallel()
	p := newPerson(t, "work")
	p.git("init", "-q", "-b", "main")
	p.write(filepath.Join(p.cwd, "main.go"), "package main\n")
	p.hook("beforeSubmitPrompt", "chat-1", map[string]any{"prompt": `/ralph-loop "ours" --checkpoints`})
	pipe := filepath.Join(p.cwd, "in", ".gitignore")
	p.must(os.Mkdir(filepath.Dir(pipe), 0o700))
	p.must(syscall.Mkfifo(pipe, 0o600))
	turn := func(i int) {
		p.write(filepath.Join(p.cwd, "main.go"), fmt.Sprintf("package main // %d\n", i))
		p.hook("postToolUse", "chat-1", map[string]any{"tool_name": "Write", "tool_input": map[string]any{"path": filepath.Join(p.cwd, "main.go")}, "tool_use_id": fmt.Sprint(i)})
		p.hook("stop", "chat-1", map[string]any{"status": "completed", "loop_count": i})
	}
	for i := range 3 {
		turn(i)
	}
	p.must(os.Remove(pipe))
	turn(3)
	if got := p.command("diff", "chat-1"); !strings.Contains(got.out, "after iteration 4") {
		t.Errorf("got %s%s", got.out, got.err)
	}
}

// files lists a folder.
func (p person) files(dir string) string {
	p.Helper()
	var b strings.Builder
	p.must(filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		b.WriteString(path + "\n")
		return err
	}))
	return b.String()
}
