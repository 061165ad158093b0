package simcursor

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"time"
)

// process is one hook to be run.
type process struct {
	args    []string
	dir     string
	env     []string
	stdin   []byte
	timeout time.Duration
	extraFD bool
}

// outcome is how that went.
type outcome struct {
	exit           int // -1 when it was killed or did not start
	stdout, stderr string
	timedOut       bool
	unread         int64 // bytes of stdin it never read
	givenUp        bool  // killed as ctx ended
	err            error // it could not be started, or was given up
}

// run starts the process and waits until it has exited and nobody holds its
// output streams any more: a grandchild that kept one of them keeps the editor
// waiting. At the timeout the whole process group is killed.
func (p process) run(ctx context.Context) outcome {
	cmd := exec.Command(p.args[0], p.args[1:]...)
	cmd.Dir, cmd.Env = p.dir, p.env
	ownGroup(cmd)
	pipes, err := openPipes(cmd, p.extraFD)
	if err != nil {
		return outcome{exit: -1, err: err}
	}
	err = cmd.Start()
	pipes.startedChild()
	if err != nil {
		pipes.abandon()
		return outcome{exit: -1, err: err}
	}
	go pipes.feed(p.stdin)
	done := make(chan struct{})
	go func() {
		defer close(done)
		pipes.drain()
		_ = cmd.Wait() // the exit code is read from ProcessState
	}()
	out := p.wait(ctx, cmd, pipes, done)
	out.exit = cmd.ProcessState.ExitCode()
	out.stdout, out.stderr = pipes.stdout.String(), pipes.stderr.String()
	out.unread = pipes.unread()
	return out
}

func (p process) wait(ctx context.Context, cmd *exec.Cmd, pipes *pipes, done chan struct{}) (out outcome) {
	timer := time.NewTimer(p.timeout)
	defer timer.Stop()
	select {
	case <-done:
		return out
	case <-timer.C:
		out.timedOut = true
	case <-ctx.Done():
		out.givenUp, out.err = true, context.Cause(ctx)
	}
	_ = killGroup(cmd.Process) // an error means that there is nobody left
	pipes.letGo()
	<-done
	return out
}

// pipes are the editor's ends of a hook's streams.
type pipes struct {
	stdin          *os.File
	leftover       *os.File   // a second reader of stdin, for what the hook left
	outputs        []*os.File // stdout, stderr, and descriptor 3 if there is one
	childs         []*os.File // the hook's ends
	stdout, stderr bytes.Buffer
}

func openPipes(cmd *exec.Cmd, extraFD bool) (*pipes, error) {
	p := &pipes{}
	var err error
	if p.leftover, p.stdin, err = os.Pipe(); err != nil {
		return nil, err
	}
	outputs := 2
	if extraFD {
		outputs = 3
	}
	for range outputs {
		r, w, err := os.Pipe()
		if err != nil {
			p.abandon()
			return nil, err
		}
		p.outputs, p.childs = append(p.outputs, r), append(p.childs, w)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = p.leftover, p.childs[0], p.childs[1]
	cmd.ExtraFiles = p.childs[2:]
	return p, nil
}

func (p *pipes) startedChild() {
	for _, f := range p.childs {
		f.Close()
	}
}

// abandon closes everything; closing a file twice does no harm.
func (p *pipes) abandon() {
	p.startedChild()
	for _, f := range append(p.outputs, p.stdin, p.leftover) {
		f.Close()
	}
}

// feed writes the payload. It may block until the hook is gone, when unread
// takes the rest.
func (p *pipes) feed(payload []byte) {
	_, _ = p.stdin.Write(payload) // what was not taken is counted by unread
	p.stdin.Close()
}

// drain returns when all outputs are closed, or let go.
func (p *pipes) drain() {
	sinks := []io.Writer{&p.stdout, &p.stderr, io.Discard}
	done := make(chan struct{})
	for i, r := range p.outputs {
		go func() {
			_, _ = io.Copy(sinks[i], r) // ends at the end, or at letGo
			done <- struct{}{}
		}()
	}
	for range p.outputs {
		<-done
	}
	for _, r := range p.outputs {
		r.Close()
	}
}

// letGo ends drain, also when somebody who left the process group still holds
// an output.
func (p *pipes) letGo() {
	for _, r := range p.outputs {
		if r.SetReadDeadline(time.Now()) != nil {
			r.Close()
		}
	}
}

// unread counts what nobody read. We hold a reading end ourselves, so that a
// hook which ignores a small payload is found out too, not only one whose pipe
// breaks.
func (p *pipes) unread() int64 {
	n, _ := io.Copy(io.Discard, p.leftover) // ends when feed has closed the other end
	p.leftover.Close()
	return n
}
