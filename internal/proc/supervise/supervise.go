// Package supervise starts programs and ends what they leave behind: Tree for a command
// that we wait for, Start for a program that must not outlive us.
//
// On Unix, Start puts a supervisor process between us and the program: the hidden
// command `cursor-ralph supervise`, which ends the program's process group when the pipe
// from us ends. On Linux it adopts orphans, so that it also finds what has left the
// group. On Windows a job object does the same.
package supervise

import (
	"errors"
	"io"
	"os"
	"time"
)

// Command is a program that must not outlive us.
type Command struct {
	Argv []string
	Dir  string
	Env  []string // nil is ours
	Self string   // the path of cursor-ralph; not needed on Windows
}

// Process is a started program.
type Process struct {
	Stdin  io.WriteCloser
	Stdout io.Reader // one goroutine must read it to its end

	tail       Tail
	read       chan struct{} // closed at the end of stderr
	out        *output
	supervisor *client
	done       chan struct{}
	exit       int
	err        error
}

// Start starts a program. The error is exec.ErrNotFound or fs.ErrNotExist if
// there is no such program.
func Start(c Command) (*Process, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	var e ends
	stdin, in := e.pipe()
	out, stdout := e.pipe()
	errs, stderr := e.pipe()
	if e.err != nil {
		return nil, errors.Join(e.err, e.close())
	}
	p := &Process{Stdin: in, read: make(chan struct{}), done: make(chan struct{})}
	p.out = &output{File: out, done: p.done}
	p.Stdout = p.out
	go p.copy(errs)
	var err error
	p.supervisor, err = connect(c, stdin, stdout, stderr, func() string { return p.lastWords(stderr) })
	for _, theirs := range []*os.File{stdin, stdout, stderr} {
		_ = theirs.Close() // nothing was written to it
	}
	if err != nil {
		return nil, errors.Join(err, in.Close(), out.Close())
	}
	go p.wait(errs)
	return p, nil
}

func (c Command) check() error {
	if len(c.Argv) == 0 || c.Argv[0] == "" {
		return errors.New("there is no command")
	}
	return CheckDir(c.Dir)
}

func (p *Process) copy(errs *os.File) {
	defer close(p.read)
	_, _ = errs.WriteTo(&p.tail) // an error is the end too: we may close the pipe early
	_ = errs.Close()
}

// lastWords returns the stderr of a supervisor that has ended. It closes our copy of
// the writing end first.
func (p *Process) lastWords(stderr *os.File) string {
	_ = stderr.Close() // nothing was written to it
	select {
	case <-p.read:
	case <-time.After(drain):
	}
	return p.Tail()
}

func (p *Process) wait(errs *os.File) {
	p.exit, p.err = p.supervisor.wait()
	late := time.NewTimer(drain)
	defer late.Stop()
	select {
	case <-p.read:
	case <-late.C:
		_ = errs.Close() // whatever could not be killed holds it open
	}
	close(p.done)
	p.out.hurry()
}

// Tail returns the end of the program's stderr as plain text: 60 lines, 8 KiB.
func (p *Process) Tail() string { return p.tail.String() }

// Done returns a channel that is closed when the program and everything that it started
// have ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// HasEnded reports whether Done is closed.
func (p *Process) HasEnded() bool { return isClosed(p.done) }

// Exit waits for Done and returns the exit code, or -1 and the reason that there is
// none. It also returns an error if something could not be killed.
func (p *Process) Exit() (code int, err error) {
	<-p.done
	return p.exit, p.err
}

// Interrupt does what Ctrl-C does in a terminal. On Windows it does nothing.
func (p *Process) Interrupt() {
	if !p.HasEnded() {
		p.supervisor.interrupt()
	}
}

// grace is how long a program has to end after a polite signal.
const grace = 2 * time.Second

// Stop closes the program's stdin and, except on Windows, asks it to end. When it has
// ended, or after two seconds, Stop kills the rest and returns.
func (p *Process) Stop() {
	_ = p.Stdin.Close() // it may be closed already
	p.supervisor.stop(p.done)
	<-p.done
}

// ends collects pipes, so that they can be closed if one cannot be opened.
type ends struct {
	files []*os.File
	err   error
}

func (e *ends) pipe() (r, w *os.File) {
	if e.err != nil {
		return nil, nil
	}
	r, w, e.err = os.Pipe()
	if e.err == nil {
		e.files = append(e.files, r, w)
	}
	return r, w
}

func (e *ends) close() (err error) {
	for _, f := range e.files {
		err = errors.Join(err, f.Close())
	}
	return err
}

// output is the program's stdout. It ends soon after the program, even if something
// that could not be killed holds it open.
type output struct {
	*os.File
	done <-chan struct{}
}

func (o *output) Read(b []byte) (int, error) {
	if isClosed(o.done) {
		o.hurry()
	}
	n, err := o.File.Read(b)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = io.EOF
	}
	if err != nil {
		_ = o.Close() // only read from
	}
	return n, err
}

// hurry limits the wait for more output. Windows has no such deadline and needs none:
// nothing escapes a job.
func (o *output) hurry() { _ = o.SetReadDeadline(time.Now().Add(drain)) }
