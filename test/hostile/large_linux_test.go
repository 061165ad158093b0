package hostile_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// measuring names the file for the memory that a program needed, in a process that
// only runs it: the system counts what the parent had when it started its child, and
// a test's process has much.
const measuring = "CURSOR_RALPH_HOSTILE_MEMORY"

// measure runs a program and leaves in a file what it needed, in KiB.
func measure(file string, args []string) (code int) {
	if err := os.Unsetenv(measuring); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		code, err = exit.ExitCode(), nil
	}
	if err == nil {
		err = os.WriteFile(file, fmt.Append(nil, cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss), 0o600)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// memory is what a program needed at most, in MiB.
func (p person) memory(stdin, program string, args ...string) (out string, mib int64) {
	p.Helper()
	file := filepath.Join(p.TempDir(), "memory")
	cmd := exec.CommandContext(p.Context(), "/proc/self/exe", append([]string{filepath.Join(bin, program)}, args...)...)
	cmd.Stdin, cmd.Dir, cmd.Env = strings.NewReader(stdin), p.cwd, append(p.env(), measuring+"="+file)
	data, _ := cmd.CombinedOutput() // doctor fails where nothing is installed
	kib, err := os.ReadFile(file)
	p.must(err)
	_, err = fmt.Sscan(string(kib), &mib)
	p.must(err)
	return string(data), mib >> 10
}

// sends an event with so many bytes in its middle. The hook has all of them at once: a pipe on a busy machine may be too slow for it.
func (p person) sends(begin string, middle int, end string) {
	p.Helper()
	f, err := os.Create(filepath.Join(p.TempDir(), "event"))
	p.must(err)
	defer f.Close()
	part := strings.Repeat("words ", 10_000)
	_, err = io.Copy(f, io.MultiReader(strings.NewReader(begin), strings.NewReader(strings.Repeat(part, middle/len(part)+1)), strings.NewReader(end)))
	p.must(err)
	_, err = f.Seek(0, io.SeekStart)
	p.must(err)
	cmd := exec.CommandContext(p.Context(), filepath.Join(bin, "cursor-ralph-hook"))
	cmd.Dir, cmd.Env, cmd.Stdin = p.cwd, p.env(), f
	p.must(cmd.Run())
}

func (p person) stopOf(id string) string {
	return p.event("stop", id, fields{"status": "completed", "loop_count": 0})
}

func (p person) loopFile(name string) string { return filepath.Join(p.in("tmp"), "cursor-ralph"+name) }

func TestTooManyPendingFiles(t *testing.T) {
	p := newPerson(t, "work")
	folder := p.loopFile("-pending")
	p.must(os.Mkdir(folder, 0o700))
	const many = 20_000
	for i := range many {
		p.write(filepath.Join(folder, fmt.Sprintf("%d-%d.json", 1_790_000_000_000+i, i%30_000+1)), `{"prompt": "of nobody", "workspace": "/elsewhere"}`)
	}
	p.write(filepath.Join(folder, "chat-1.json"), `{"prompt": "the task of this chat"}`)
	for _, c := range []struct {
		program, stdin string
		args           []string
		most           int64
		want           string
	}{
		{"cursor-ralph", "", []string{"list"}, 150, "more than 200 pending files: 19801 are not read"},
		{"cursor-ralph", "", []string{"doctor", "--verbose"}, 150, "more than 200 pending files: 19801 are not read"},
		{"cursor-ralph-hook", p.stopOf("chat-2"), nil, 60, "{}"},
		{"cursor-ralph-hook", p.stopOf("chat-1"), nil, 60, "the task of this chat"},
	} {
		out, mib := p.memory(c.stdin, c.program, c.args...)
		if mib > c.most || !strings.Contains(out, c.want) {
			t.Errorf("%s %v: got %d MiB, want %d at most, and %.300q, want %q in it", c.program, c.args, mib, c.most, out, c.want)
		}
	}
}

// TestATurnThatIsTooLarge: the loop pauses and says so, and goes on when the user
// wants it.
func TestATurnThatIsTooLarge(t *testing.T) {
	for _, c := range []struct {
		name, want string
		make       func(p person)
	}{
		{"a journal of 240 MB", "240 MiB of words and tool calls", func(p person) { p.must(os.Truncate(p.journal(), 240<<20)) }},
		{"a journal of 1 GB", "1024 MiB of words and tool calls", func(p person) { p.must(os.Truncate(p.journal(), 1<<30)) }},
		{"an event", "an event that is too large", func(p person) {
			words := p.event("afterAgentResponse", "chat-1", fields{"text": ""})
			p.sends(strings.TrimSuffix(words, `"}`)[:strings.Index(words, `"text":"`)+8], 70<<20, `"}`)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPerson(t, "work")
			p.hook("beforeSubmitPrompt", "chat-1", fields{"prompt": `/ralph-loop "the task" --min-tool-calls 0`})
			p.hook("afterAgentResponse", "chat-1", fields{"text": "I begin."})
			c.make(p)
			out, mib := p.memory(p.stopOf("chat-1"), "cursor-ralph-hook")
			if strings.TrimSpace(out) != "{}" || mib > 60 {
				t.Errorf("got %s and %d MiB, want {} and 60 at most", out, mib)
			}
			if got := p.command("status").out; !strings.Contains(got, "paused") || !strings.Contains(got, c.want) {
				t.Errorf("got %s, want that it is paused, and why", got)
			}
			p.command("resume")
			p.hook("beforeSubmitPrompt", "chat-1", fields{"prompt": "go on"})
			p.hook("afterAgentResponse", "chat-1", fields{"text": "It is done.\n\n<promise>COMPLETE</promise>"})
			p.hook("stop", "chat-1", fields{"status": "completed", "loop_count": 0})
			if got := p.command("list", "--all").out; !strings.Contains(got, "PROMISE_ACCEPTED") && !strings.Contains(got, "accepted") {
				t.Errorf("got %s, want the next turn to count", got)
			}
		})
	}
}

func (p person) journal() string { return p.loopFile("-loop-chat-1.journal") }

// TestAStateThatIsTooLarge: the file is moved aside, and the loop pauses in its record.
func TestAStateThatIsTooLarge(t *testing.T) {
	p := newPerson(t, "work")
	p.hook("beforeSubmitPrompt", "chat-1", fields{"prompt": `/ralph-loop "the task"`})
	p.hook("stop", "chat-1", fields{"status": "completed", "loop_count": 0})
	p.must(os.Truncate(p.loopFile("-loop-chat-1.json"), 300<<20))
	if out, mib := p.memory(p.stopOf("chat-1"), "cursor-ralph-hook"); strings.TrimSpace(out) != "{}" || mib > 60 {
		t.Errorf("got %s and %d MiB, want {} and 60 at most", out, mib)
	}
	if got := p.command("list").out; !strings.Contains(got, "the task") || !strings.Contains(got, "interrupted") && !strings.Contains(got, "paused") {
		t.Errorf("got %s, want the loop, not running", got)
	}
	if got := p.command("doctor", "--verbose").out; !strings.Contains(got, "moved aside") {
		t.Errorf("got %s, want that a file was moved aside", got)
	}
	p.hook("beforeSubmitPrompt", "chat-1", fields{"prompt": "/ralph-loop --continue chat-1"})
	if got := p.command("list"); !strings.Contains(got.out, "running") || !strings.Contains(got.out, "the task") {
		t.Errorf("got %+v, want it restored from its record", got)
	}
}
