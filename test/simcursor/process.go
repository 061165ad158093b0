package simcursor

import (
	"context"
	"io"
	"os"
	"os/exec"
	"time"
)

type process struct {
	args    []string
	dir     string
	env     []string
	stdin   []byte
	timeout time.Duration
	extraFD bool
	loop    *eventLoop // nil: all output counts
}

type outcome struct {
	exit           int // -1 if it was killed or did not start
	stdout, stderr string
	missed         string // stdout that was not read before the exit was noticed
	exited         time.Time
	timedOut       bool
	unread         int64 // bytes of stdin
	givenUp        bool  // killed because ctx was done
	err            error // it did not start, or was given up
}

// run starts the process and waits for its exit and the end of its output, which a
// grandchild may hold open. With an event loop only the exit counts. At the timeout
// it kills the process group.
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
		p.finish(cmd, pipes)
	}()
	out := p.wait(ctx, cmd, pipes, done)
	out.exit = cmd.ProcessState.ExitCode()
	out.exited = pipes.exited
	out.stdout, out.missed = pipes.stdout.split(pipes.until)
	out.stderr, _ = pipes.stderr.split(pipes.until)
	out.unread = pipes.unread()
	return out
}

func (p process) finish(cmd *exec.Cmd, pipes *pipes) {
	if p.loop == nil {
		pipes.drain()
		_ = cmd.Wait()
		pipes.exited = time.Now()
		return
	}
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		pipes.drain()
	}()
	_ = cmd.Wait()
	pipes.exited = time.Now()
	pipes.until = p.loop.notice()
	select {
	case <-drained: // so that missed output is known
	case <-time.After(p.loop.busy):
		pipes.letGo() // another process holds them open
		<-drained
	}
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
	_ = killGroup(cmd.Process) // fails if all have exited
	pipes.letGo()
	<-done
	return out
}

type pipes struct {
	stdin          *os.File
	leftover       *os.File   // a second reader of stdin, for what the hook does not read
	outputs        []*os.File // stdout, stderr and perhaps descriptor 3
	childs         []*os.File // the hook's ends
	stdout, stderr arrivals
	exited         time.Time
	until          time.Time // later output was not read; zero: all was read
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

// abandon closes everything. Closing a file twice is harmless.
func (p *pipes) abandon() {
	p.startedChild()
	for _, f := range append(p.outputs, p.stdin, p.leftover) {
		f.Close()
	}
}

// feed writes the payload. It may block until the hook has exited and unread reads the
// rest.
func (p *pipes) feed(payload []byte) {
	_, _ = p.stdin.Write(payload) // unread counts the rest
	p.stdin.Close()
}

// drain reads all outputs until they are closed, or until letGo.
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

// letGo ends drain even if a process outside the group holds an output open.
func (p *pipes) letGo() {
	for _, r := range p.outputs {
		if r.SetReadDeadline(time.Now()) != nil {
			r.Close()
		}
	}
}

// unread counts what the hook did not read. We have a reading end ourselves, so that
// even a small unread payload is noticed.
func (p *pipes) unread() int64 {
	n, _ := io.Copy(io.Discard, p.leftover) // ends when feed has closed the other end
	p.leftover.Close()
	return n
}
