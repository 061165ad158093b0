// Package tend starts a program that does not outlive this process, however that
// ends, and neither does anything that the program has started. It does not know
// what the program is for.
//
// On Unix a second process, the keeper, stands between: it is the program Self
// with the hidden command tend, and ends everything when we are gone. On Linux
// that finds what has moved to another session or has lost its parent; on other
// systems only what has kept the program's group. On Windows a job object does it.
package tend

import (
	"errors"
	"io"
	"os"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/gate"
)

const drain = 500 * time.Millisecond // for output after the end, if something holds the pipe open

// Command is a program to start.
type Command struct {
	Argv []string
	Dir  string
	Env  []string // nil is ours
	Self string   // the path of cursor-ralph; not needed on Windows
}

// Process is a program that was started.
type Process struct {
	Stdin  io.WriteCloser
	Stdout io.Reader // to be read by one goroutine, to its end

	tail   gate.Tail
	read   chan struct{} // closed when its stderr has ended
	out    *output
	keeper *keeper
	done   chan struct{}
	exit   int
	err    error
}

// Start starts a program. The error is exec.ErrNotFound or fs.ErrNotExist where
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
	p.keeper, err = keep(c, stdin, stdout, stderr, func() string { return p.lastWords(stderr) })
	for _, theirs := range []*os.File{stdin, stdout, stderr} {
		_ = theirs.Close() // nothing was written to it
	}
	if err != nil {
		return nil, errors.Join(err, in.Close(), out.Close())
	}
	go p.wait(errs)
	return p, nil
}

// check finds what a system says nothing clear of.
func (c Command) check() error {
	if len(c.Argv) == 0 || c.Argv[0] == "" {
		return errors.New("there is no command")
	}
	return gate.CheckDir(c.Dir)
}

func (p *Process) copy(errs *os.File) {
	defer close(p.read)
	// An error is the end too: it is we who close the pipe early.
	_, _ = errs.WriteTo(&p.tail)
	_ = errs.Close()
}

// lastWords gives what was written to stderr by one that has ended, once our end
// for writing is closed too.
func (p *Process) lastWords(stderr *os.File) string {
	_ = stderr.Close() // nothing was written to it
	select {
	case <-p.read:
	case <-time.After(drain):
	}
	return p.Tail()
}

func (p *Process) wait(errs *os.File) {
	p.exit, p.err = p.keeper.wait()
	late := time.NewTimer(drain)
	defer late.Stop()
	select {
	case <-p.read:
	case <-late.C:
		_ = errs.Close() // something that could not be killed holds it
	}
	close(p.done)
	p.out.hurry()
}

// Tail gives the last of what the program wrote to its stderr, as plain text: 60
// lines, 8 KiB.
func (p *Process) Tail() string { return p.tail.String() }

// Done is closed when the program has ended, and all that it has started with it.
func (p *Process) Done() <-chan struct{} { return p.done }

// Exit waits for Done and tells of the end: an exit code, or -1 and why there is
// none. What still runs although it was killed is an error too.
func (p *Process) Exit() (code int, err error) {
	<-p.done
	return p.exit, p.err
}

// Interrupt does what Ctrl-C does in a terminal. On Windows it does nothing.
func (p *Process) Interrupt() { p.keeper.interrupt() }

// Stop ends the program: its stdin ends, and where the system knows how it is
// asked to end; after the grace, or once it has ended, everything of it is killed.
// It returns when that is done.
func (p *Process) Stop(grace time.Duration) {
	_ = p.Stdin.Close() // it may be closed already
	p.keeper.stop(grace, p.done)
	<-p.done
}

// ends are both ends of pipes, while they are made.
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

// output is the stdout of a program, which ends soon after the program does, even
// if something holds it open that could not be killed.
type output struct {
	*os.File
	done <-chan struct{}
}

func (o *output) Read(b []byte) (int, error) {
	select {
	case <-o.done:
		o.hurry()
	default:
	}
	n, err := o.File.Read(b)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = io.EOF
	}
	if err != nil {
		_ = o.Close() // nothing was written to it
	}
	return n, err
}

// hurry waits a little and no more for what comes next. Windows has no such
// limit, and needs none: there nothing escapes.
func (o *output) hurry() { _ = o.SetReadDeadline(time.Now().Add(drain)) }
