package e2e_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// asking is an agent that speaks the protocol. It wants to run two commands, and runs what
// it may.
const asking = `#!/bin/sh
reply() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$1" "$2"; }
request() {
  printf '{"jsonrpc":"2.0","id":"%s","method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"%s","title":"list","kind":"execute","rawInput":{"command":%s}},"options":[{"optionId":"yes","name":"yes","kind":"allow_once"},{"optionId":"no","name":"no","kind":"reject_once"}]}}\n' "$1" "$1" "$2"
  read -r answer
  case $answer in *'"yes"'*) echo "$1" >>ran ;; esac
}
while read -r line; do
  id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
  case $line in
  *'"initialize"'*) reply "$id" '{"protocolVersion":1}' ;;
  *'"session/new"'*) reply "$id" '{"sessionId":"s"}' ;;
  *'"session/prompt"'*)
    request a '"ls"'; request b '"ls\nallow it? [y/N] y"'
    printf '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"that is all"}}}}\n'
    reply "$id" '{"stopReason":"end_turn"}' ;;
  esac
done
`

func TestRunAsks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, variant{})
	script := filepath.Join(w.dir, "agent")
	w.write(script, asking)
	w.must(os.Chmod(script, 0o755))
	r, person := w.startRunOnTerminal("build it", "--acp-command", "'"+script+"'", "--permissions", "ask", "--max-iterations", "1")

	const prompt = "waiting for you: allow it? [y]es, [n]o, [q]uit: "
	r.prints(`  it runs: "ls"` + "\r\n")
	r.until("the first prompt", func() bool { return strings.Count(r.output(), prompt) == 1 })
	w.wantPart("status", w.ok(w.repo(), "status"), "waiting (permission)")
	w.wantPart("the list", w.ok(w.repo(), "list"), "waiting (permission)")
	w.wantPart("the chip", w.ok(w.repo(), "status", "--json"), `"chip": "Loop • Waiting (permission) `)
	w.wantPart("status", w.ok(w.repo(), "status", "--json"), `"waiting_for": "permission"`)
	person("n\n")
	r.prints(`  it runs: "ls\nallow it? [y/N] y"` + "\r\n")
	r.until("the second prompt", func() bool { return strings.Count(r.output(), prompt) == 2 })
	person("y\n")
	r.ends(1)
	if ran, _ := os.ReadFile(filepath.Join(w.repo(), "ran")); string(ran) != "b\n" {
		t.Errorf("got %q, want only the command that was allowed to have run", ran)
	}
}

// startRunThatAsks starts a run on a terminal, and returns when it asks.
func (w *world) startRunThatAsks() (r *outerRun, person func(keys string)) {
	w.Helper()
	script := filepath.Join(w.dir, "agent")
	w.write(script, asking)
	w.must(os.Chmod(script, 0o755))
	r, person = w.startRunOnTerminal("build it", "--acp-command", "'"+script+"'", "--permissions", "ask")
	r.prints("waiting for you: ")
	return r, person
}

// A question ends with what ends its turn, and a yes that comes too late permits
// nothing.
func TestRunAsksAndIsSteered(t *testing.T) {
	t.Parallel()
	w := newWorld(t, variant{})
	r, person := w.startRunThatAsks()
	w.ok(w.repo(), "pause")
	r.prints("no longer waiting: the turn is over")
	r.prints("paused (user); the turn so far does not count")
	before := strings.Count(r.output(), "waiting for you: ") // a question is drawn again below each line that comes
	person("y\n")
	w.wantNoPart("status", w.ok(w.repo(), "status"), "waiting")
	w.ok(w.repo(), "resume")
	r.prints("iteration 1 of 20, again")
	r.until("it asks again", func() bool { return strings.Count(r.output(), "waiting for you: ") > before })
	person("q\n")
	r.prints("stopping; press Ctrl-C again to end it now")
	r.ends(1)
	r.prints("✗ not done: paused (user) after 0 of 20 iterations")
	if _, err := os.Stat(filepath.Join(w.repo(), "ran")); err == nil {
		t.Error("something was run")
	}
}

// A run that is killed while it asks is interrupted, and asks again when it is resumed.
func TestRunKilledWhileItAsks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, variant{})
	r, _ := w.startRunThatAsks()
	w.must(r.cmd.Process.Kill())
	<-r.done
	w.wantPart("status", w.ok(w.repo(), "status"), "interrupted")
	w.wantNoPart("status", w.ok(w.repo(), "status"), "waiting")
	again, _ := w.startRunOnTerminal("--resume")
	again.prints("waiting for you: ")
	w.must(again.cmd.Process.Signal(os.Interrupt))
	again.ends(1)
}

// startRunOnTerminal is startRun on a terminal, with a person who types.
func (w *world) startRunOnTerminal(args ...string) (r *outerRun, person func(keys string)) {
	w.Helper()
	ours, theirs := w.openTerminal()
	r = &outerRun{world: w, done: make(chan struct{})}
	r.cmd = exec.Command(filepath.Join(bin, "cursor-ralph"), append([]string{"run"}, args...)...)
	r.cmd.Dir, r.cmd.Env = w.repo(), append(w.env(), "NO_COLOR=1")
	r.cmd.Stdin, r.cmd.Stdout, r.cmd.Stderr = theirs, theirs, theirs
	w.must(r.cmd.Start())
	w.must(theirs.Close())
	go func() { _, _ = io.Copy(r, ours) }() // its end is an error
	go func() {
		defer close(r.done)
		_ = r.cmd.Wait() // its exit code is asked for
	}()
	w.Cleanup(func() {
		_ = r.cmd.Process.Kill() // it may have ended
		<-r.done
		_ = ours.Close()
		if w.Failed() {
			w.Logf("the run printed:\n%s", r.output())
		}
	})
	return r, func(keys string) {
		_, err := ours.WriteString(keys)
		w.must(err)
	}
}

// openTerminal opens both ends of a terminal.
func (w *world) openTerminal() (ours, theirs *os.File) {
	w.Helper()
	ours, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	w.must(err)
	w.must(unix.IoctlSetPointerInt(int(ours.Fd()), unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(int(ours.Fd()), unix.TIOCGPTN)
	w.must(err)
	theirs, err = os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|unix.O_NOCTTY, 0)
	w.must(err)
	return ours, theirs
}
