//go:build unix

package e2e_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/proc"
)

// outerRun is cursor-ralph run in a process of its own, with an agent that is a
// shell script.
type outerRun struct {
	*world
	cmd  *exec.Cmd
	done chan struct{}

	mu  sync.Mutex
	out bytes.Buffer
}

func (r *outerRun) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.out.Write(p)
}

func (r *outerRun) output() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.out.String()
}

// scriptedAgent writes the agent: a shell script that gets the number of its
// turn, and keeps each prompt as prompt-N.
func (w *world) scriptedAgent(script string) string {
	w.Helper()
	path := filepath.Join(w.dir, "agent")
	w.write(path, "#!/bin/sh\nn=1\nwhile test -f prompt-$n; do n=$((n+1)); done\ncat >prompt-$n\n"+script)
	w.must(os.Chmod(path, 0o755))
	return "'" + path + "'"
}

// startRun starts cursor-ralph run in the repository.
func (w *world) startRun(args ...string) *outerRun {
	w.Helper()
	return w.starting(exec.Command(filepath.Join(bin, "cursor-ralph"), append([]string{"run"}, args...)...))
}

// startShell starts a shell script that runs it.
func (w *world) startShell(script string, args ...string) *outerRun {
	w.Helper()
	return w.starting(exec.Command("sh", append([]string{script}, args...)...))
}

func (w *world) starting(cmd *exec.Cmd) *outerRun {
	w.Helper()
	r := &outerRun{world: w, cmd: cmd, done: make(chan struct{})}
	r.cmd.Dir, r.cmd.Env, r.cmd.Stdout, r.cmd.Stderr = w.repo(), w.env(), r, r
	w.must(r.cmd.Start())
	go func() {
		defer close(r.done)
		_ = r.cmd.Wait() // its exit code is asked for
	}()
	w.Cleanup(func() {
		_ = r.cmd.Process.Kill() // it may have ended
		<-r.done
		if w.Failed() {
			w.Logf("the run printed:\n%s", r.output())
		}
	})
	return r
}

// until waits for something that another process brings about.
func (w *world) until(what string, come func() bool) {
	w.Helper()
	for !come() {
		if w.ctx.Err() != nil {
			w.Fatalf("%s: not in time", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func (r *outerRun) prints(text string) {
	r.Helper()
	r.until("the run prints "+text, func() bool { return strings.Contains(r.output(), text) })
}

// ends wants an end of the run by itself, with an exit code.
func (r *outerRun) ends(want int) {
	r.Helper()
	select {
	case <-r.done:
	case <-r.ctx.Done():
		r.Fatal("the run did not end")
	}
	if got := r.cmd.ProcessState.ExitCode(); got != want {
		r.Errorf("got exit code %d, want %d", got, want)
	}
}

// runID is the id of the only run.
func (w *world) runID() string {
	w.Helper()
	ids := w.listed()
	if len(ids) != 1 {
		w.Fatalf("got loops %q, want one", ids)
	}
	return ids[0]
}

// pidIn returns the process whose number the agent wrote into a file.
func (w *world) pidIn(name string) int {
	w.Helper()
	var pid int
	w.until("the agent writes "+name, func() bool {
		data, err := os.ReadFile(filepath.Join(w.repo(), name))
		if err == nil {
			pid, err = strconv.Atoi(strings.TrimSpace(string(data)))
		}
		return err == nil
	})
	return pid
}

// wantsGone waits for the end of processes.
func (w *world) wantsGone(pids ...int) {
	w.Helper()
	for _, pid := range pids {
		w.until("process "+strconv.Itoa(pid)+" ends", func() bool { return proc.Gone(pid) })
	}
}

// stays is an agent that works on for ever, with a child in a session of its
// own where the system has the command for it.
const stays = `echo "working"
echo $$ >agent.pid
(trap '' INT TERM HUP; echo $$ >/dev/null; exec sleep 1000) &
echo $! >child.pid
wait
`

func TestRunInterrupted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, variant{})
	agent := w.scriptedAgent("if test $n = 1; then echo x >work; exit; fi\nif test $n = 3; then echo '<promise>COMPLETE</promise>'; exit; fi\n" + stays)
	r := w.startRun("build it", "--agent-command", agent)
	pids := []int{w.pidIn("agent.pid"), w.pidIn("child.pid")}
	w.must(r.cmd.Process.Signal(os.Interrupt))
	r.ends(1)
	w.wantsGone(pids...)
	id := w.runID()
	w.wantStatus(id, "paused", 1)
	r.wantPart("the run", r.output(), "to go on: cursor-ralph run --resume "+w.shortID(id))
	w.wantPart("the resume of a run that is not there", w.refused(w.repo(), "resume"), "run --resume "+w.shortID(id))
	w.wantPart("its continue", w.refused(w.repo(), "continue", id), "run --resume "+w.shortID(id))
	w.wantNoPart("its status", w.ok(w.repo(), "status"), "/ralph-loop")

	again := w.startRun("--resume")
	again.ends(0)
	again.wantPart("the run", again.output(), "iteration 2 of 20")
	w.wantStatus(id, "PROMISE_ACCEPTED", 2)
}

func TestRunInterruptedTwice(t *testing.T) {
	t.Parallel()
	w := newWorld(t, variant{})
	agent := w.scriptedAgent("trap '' INT TERM\n" + strings.ReplaceAll(stays, "wait\n", "while :; do wait; sleep 0.1; done\n"))
	r := w.startRun("build it", "--agent-command", agent)
	pids := []int{w.pidIn("agent.pid"), w.pidIn("child.pid")}
	w.must(r.cmd.Process.Signal(os.Interrupt))
	r.prints("stopping; press Ctrl-C again to end it now\n")
	w.until("it sees the second one", func() bool {
		_ = r.cmd.Process.Signal(os.Interrupt)
		select {
		case <-r.done:
			return true
		default:
			return false
		}
	})
	w.wantsGone(pids...)
	w.wantStatus(w.runID(), "interrupted", 0)
}

func TestRunKilled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, variant{})
	agent := w.scriptedAgent("if test $n = 2; then echo x >work; echo '<promise>COMPLETE</promise>'; exit; fi\n" + stays)
	r := w.startRun("build it", "--agent-command", agent)
	pids := []int{w.pidIn("agent.pid"), w.pidIn("child.pid")}
	w.must(r.cmd.Process.Kill())
	w.wantsGone(pids...)
	id := w.runID()
	w.wantPart("its status", w.ok(w.repo(), "status"), "cursor-ralph run --resume "+w.shortID(id))
	w.wantPart("a second run", w.refused(w.repo(), "run", "other", "--agent-command", agent), "run --resume "+w.shortID(id))

	w.startRun("--resume", id).ends(0)
	w.wantStatus(id, "PROMISE_ACCEPTED", 1)
}

func TestRunSteered(t *testing.T) {
	t.Parallel()
	w := newWorld(t, variant{})
	agent := w.scriptedAgent("echo x >work-$n\nwhile test ! -f go-$n; do sleep 0.02; done\nif test $n = 3; then echo '<promise>COMPLETE</promise>'; fi\n")
	r := w.startRun("build it", "--agent-command", agent)
	w.pidlessUntil("prompt-1")
	id := w.runID()
	w.wantPart("a second run", w.refused(w.repo(), "run", "other", "--agent-command", agent), "another run works in this workspace")
	w.wantPart("its status", w.ok(w.repo(), "status"), "status           running")
	w.ok(w.repo(), "pause")
	w.ok(w.repo(), "context", "the port is 5433")
	w.write(filepath.Join(w.repo(), "go-1"), "")
	r.prints("\npaused (user); the turn so far does not count. To go on: cursor-ralph resume ")
	w.wantPart("its resume", w.ok(w.repo(), "resume"), "the run goes on")
	w.pidlessUntil("prompt-2")
	w.wantPart("the second prompt", w.prompt(2), "the port is 5433")
	w.write(filepath.Join(w.repo(), "go-2"), "")
	w.pidlessUntil("prompt-3")
	w.ok(w.repo(), "cancel")
	r.ends(1)
	w.wantStatus(id, "CANCELLED", 1)
	w.wantNoLoops()
}

// talking is an agent that speaks the protocol, in pieces that end no line. A file
// lets it go on.
const talking = `#!/bin/sh
n=0
reply() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$1" "$2"; }
say() { printf '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"%s"}}}}\n' "$1"; }
await() { while test ! -f "$1"; do sleep 0.02; done; }
while read -r line; do
  id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
  case $line in
  *'"initialize"'*) reply "$id" '{"protocolVersion":1}' ;;
  *'"session/new"'*) reply "$id" '{"sessionId":"s"}' ;;
  *'"session/prompt"'*)
    n=$((n+1))
    say '汉字 👩‍💻 שלום '
    for i in 1 2 3 4 5 6 7 8; do say 'words words words words words '; done
    await line-$n
    say '\nend'; await go-$n
    reply "$id" '{"stopReason":"end_turn"}' ;;
  esac
done
`

// The agent's words are shown before their line is complete, and each of them once.
func TestRunInATerminal(t *testing.T) {
	t.Parallel()
	w := newWorld(t, variant{})
	agent := filepath.Join(w.dir, "agent")
	w.write(agent, talking)
	w.must(os.Chmod(agent, 0o755))
	win := w.inTerminal("clear; cursor-ralph run 'build it' --permissions all --acp-command \"'" + agent + "'\"")
	win.Sees("iteration 1 of 20", "words words")
	w.write(filepath.Join(w.repo(), "line-1"), "")
	win.Sees("  end\n")
	w.write(filepath.Join(w.repo(), "go-1"), "")
	screen := win.Sees("iteration 2 of 20")
	first, _, _ := strings.Cut(screen, "iteration 2 of 20")
	if got := strings.Count(strings.ReplaceAll(first, "\n", ""), "words"); got != 40 {
		t.Errorf("got the screen\n%s\nwith %d words, want each of the 40 once", screen, got)
	}
	win.Presses("C-c")
	win.Sees("stopping; press Ctrl-C again", "✗ not done: paused (user)", "run --resume", "ended with 1")
}

// pidlessUntil waits for a whole file of the agent's.
func (w *world) pidlessUntil(name string) {
	w.Helper()
	w.until("the agent writes "+name, func() bool {
		data, err := os.ReadFile(filepath.Join(w.repo(), name))
		return err == nil && strings.Contains(string(data), "blocked")
	})
}

func (w *world) prompt(n int) string {
	w.Helper()
	data, err := os.ReadFile(filepath.Join(w.repo(), "prompt-"+strconv.Itoa(n)))
	w.must(err)
	return string(data)
}

// Nobody reads what a run prints any more.
func TestRunWhoseOutputIsClosed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, variant{})
	agent := w.scriptedAgent("while test ! -f go; do sleep 0.02; done\necho x >work\necho '<promise>COMPLETE</promise>'\n")
	read, write, err := os.Pipe()
	w.must(err)
	cmd := exec.Command(filepath.Join(bin, "cursor-ralph"), "run", "build it", "--agent-command", agent)
	cmd.Dir, cmd.Env, cmd.Stdout = w.repo(), w.env(), write
	w.must(cmd.Start())
	w.must(write.Close())
	w.pidlessUntil("prompt-1")
	id := w.runID()
	w.must(read.Close())
	w.write(filepath.Join(w.repo(), "go"), "")
	_ = cmd.Wait() // that its summary was not printed is an error
	w.wantStatus(id, "PROMISE_ACCEPTED", 1)
}

// Our hook in the agent of a run leaves it alone.
func TestRunsAgentHasHooks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, variant{})
	w.requests("another task")
	agent := w.scriptedAgent(`echo x >work
echo '{"conversation_id":"agent-1","hook_event_name":"stop","status":"completed","loop_count":0,"workspace_roots":["'"$PWD"'"]}' | cursor-ralph-hook >answer
echo '<promise>COMPLETE</promise>'
`)
	w.startRun("build it", "--agent-command", agent).ends(0)
	answer, err := os.ReadFile(filepath.Join(w.repo(), "answer"))
	w.must(err)
	if got := strings.TrimSpace(string(answer)); got != "{}" {
		t.Errorf("got the hook's answer %s, want {}", got)
	}
}
