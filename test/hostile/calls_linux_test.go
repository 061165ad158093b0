package hostile_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func needsStrace(t *testing.T) {
	t.Helper()
	out, err := exec.Command("strace", "-qq", "-o", os.DevNull, "true").CombinedOutput()
	switch {
	case err == nil:
	case os.Getenv("CI") == "true":
		t.Fatalf("strace does not work: %v: %s", err, out)
	default:
		t.Logf("%v: %s", err, out)
		t.Skip("needs strace")
	}
}

// calls returns the system calls of a program and of all that it starts, with the
// paths of descriptors.
func (u user) calls(stdin, program string, args ...string) (lines []string) {
	u.Helper()
	out := u.in("calls")
	u.runs(stdin, "strace", append([]string{"-f", "-y", "-qq", "-s", "10000", "-o", out, "-e",
		"trace=open,openat,openat2,creat,fstat,newfstatat,read,pread64,write,pwrite64,getdents64,execve", filepath.Join(bin, program)}, args...)...)
	data, err := os.ReadFile(out)
	must(u.T, err)
	must(u.T, os.Remove(out))
	for line := range strings.Lines(string(data)) {
		_, call, _ := strings.Cut(strings.TrimSpace(line), " ") // the process comes first
		lines = append(lines, strings.TrimSpace(call))
	}
	return lines
}

// everyStep returns the system calls of a loop's whole life, and of commands.
func (u user) everyStep() map[string][]string {
	u.Helper()
	event := func(name, id string, more fields) []string {
		return u.calls(u.event(name, id, more), "cursor-ralph-hook")
	}
	steps := map[string][]string{
		"slash":  u.calls(`"`+aliceTask+`"`, "cursor-ralph", "slash", "ralph-loop"),
		"claim":  event("stop", "chat-3", fields{"status": "completed", "loop_count": 0}),
		"prompt": event("beforeSubmitPrompt", "chat-1", fields{"prompt": `/ralph-loop "` + aliceTask + `" --min-tool-calls 0 --verify true`}),
		"tool":   event("postToolUse", "chat-1", fields{"tool_name": "Write", "tool_input": fields{"path": "x"}, "tool_use_id": "1"}),
		"stop":   event("stop", "chat-1", fields{"status": "completed", "loop_count": 0}),
		"says":   event("afterAgentResponse", "chat-1", fields{"text": "<promise>COMPLETE</promise>"}),
	}
	for _, args := range [][]string{{"status", "chat-1"}, {"list", "--all"}, {"log"}, {"history", "chat-1"}, {"context", "chat-1", "x"},
		{"pause", "chat-1"}, {"resume", "chat-1"}, {"inject", "chat-1", "--dry-run"}, {"notify", "chat-1"}, {"doctor", "--verbose"}} {
		steps[args[0]] = u.calls("", "cursor-ralph", args...)
	}
	steps["verify"] = event("stop", "chat-1", fields{"status": "completed", "loop_count": 1})
	steps["run"] = u.calls("", "cursor-ralph", "run", aliceTask+", run", "--agent-command", "sh -c 'cat >/dev/null; echo \"<promise>COMPLETE</promise>\"'")
	return steps
}

func TestSystemCalls(t *testing.T) {
	needsUsers(t)
	needsStrace(t)
	alice, _ := newUsers(t)
	steps := alice.everyStep()
	t.Run("opened files are checked before they are used", func(t *testing.T) { checkOpenedFiles(t, steps) })
	t.Run("no program has the task as an argument", func(t *testing.T) { checkArguments(t, steps) })
}

// checkOpenedFiles wants that a name in a shared folder is never followed, never
// waited for, and believed only once it is open.
func checkOpenedFiles(t *testing.T, steps map[string][]string) {
	opens := regexp.MustCompile(`^(?:open|openat|openat2|creat)\(.*?"(` + shared + `/cursor-ralph[^"]*)"(.*)`)
	looks := regexp.MustCompile(`^(?:fstat|newfstatat)\(\d+<([^>]*)>`)
	atOnce := regexp.MustCompile(`O_NONBLOCK|O_RDWR|O_DIRECTORY`) // with any of these a pipe is not waited for
	uses := regexp.MustCompile(`^(?:read|pread64|write|pwrite64|getdents64)\(\d+<(` + shared + `/cursor-ralph[^>]*)>`)
	opened := 0
	for step, calls := range steps {
		looked := map[string]bool{}
		for _, call := range calls {
			if m := opens.FindStringSubmatch(call); m != nil {
				opened++
				made := strings.Contains(m[2], "O_EXCL")
				looked[m[1]] = made // what is new is ours
				if !made && (!strings.Contains(m[2], "O_NOFOLLOW") || !atOnce.MatchString(m[2])) {
					t.Errorf("%s: got %s, want O_NOFOLLOW, and no wait for a pipe's other end", step, call)
				}
			}
			if m := looks.FindStringSubmatch(call); m != nil {
				looked[m[1]] = true
			}
			if m := uses.FindStringSubmatch(call); m != nil && !looked[m[1]] {
				t.Errorf("%s: got %.200s before the open file was looked at", step, call)
			}
		}
	}
	if opened < 50 {
		t.Errorf("got %d files opened, so that something is wrong with counting them", opened)
	}
}

// checkArguments looks at the arguments of programs, which everybody can read.
func checkArguments(t *testing.T, steps map[string][]string) {
	started := 0
	for step, calls := range steps {
		for i, call := range calls {
			if !strings.HasPrefix(call, "execve(") || i == 0 {
				continue // the first is how the user has called it
			}
			started++
			if strings.Contains(call, aliceTask) {
				t.Errorf("%s: got %s", step, call)
			}
		}
	}
	if started < 5 {
		t.Errorf("got %d programs started, so that something is wrong with counting them", started)
	}
}
