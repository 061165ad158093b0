package proc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

const (
	answerLimit = 256 << 10              // bytes: a program that prints more is not the one we expect
	stderrLimit = 4 << 10                // bytes of stderr that an ExitError keeps
	drain       = 500 * time.Millisecond // for output after the program's end
	afterKill   = 50 * time.Millisecond  // for output after a kill, and for its reader
)

// ErrHeld means that the program succeeded, but something that it started still holds
// its stdout or stderr open. The output so far is returned too.
var ErrHeld = errors.New("a program that it started holds its output open")

// Command is a program that runs to its end.
type Command struct {
	Path string
	Args []string // without the program's name
	Dir  string   // empty is ours
	Env  []string // nil is ours

	Stdin string
	// HoldStdin keeps stdin open while we wait. If we are killed, the program sees its
	// end.
	HoldStdin bool

	Limit int // bytes of stdout, more is an error; 0 discards stdout and stderr

	// Contained ends what the program leaves running: on Windows always, also when we
	// are killed; elsewhere if it holds the output open.
	Contained bool
}

// ExitError is the error of a program that failed.
type ExitError struct {
	Code   int    // -1 if a signal ended it
	State  string // "exit status 3", "signal: killed"
	Stderr string // its first 4 KiB
}

// Error returns the state and the first line of stderr.
func (e *ExitError) Error() string {
	if line := text.FirstHead(e.Stderr, 200); line != "" {
		return e.State + ": " + text.Escape(line)
	}
	return e.State
}

// Run runs a program and discards its output. When ctx is done, the program is
// killed as by Output.
func Run(ctx context.Context, path string, args ...string) error {
	_, err := Command{Path: path, Args: args}.Output(ctx)
	return err
}

// Ask runs a program with HoldStdin and returns its stdout.
func Ask(ctx context.Context, path string, args ...string) ([]byte, error) {
	return Command{Path: path, Args: args, HoldStdin: true, Limit: answerLimit}.Output(ctx)
}

// Tell runs a program that reads input on its stdin and returns its stdout.
func Tell(ctx context.Context, input []byte, path string, args ...string) ([]byte, error) {
	return Command{Path: path, Args: args, Stdin: string(input), Limit: answerLimit}.Output(ctx)
}

// Consult is Tell with HoldStdin: the program must know by itself where its input ends.
func Consult(ctx context.Context, input []byte, path string, args ...string) ([]byte, error) {
	return Command{Path: path, Args: args, Stdin: string(input), HoldStdin: true, Limit: answerLimit}.Output(ctx)
}

// Output runs the program in its own session and returns its stdout, after an error
// the part before it. When ctx is done, it kills the program, on Unix with its process
// group, and returns an error that wraps ctx.Err(). Other errors are those of starting
// it, *ExitError and ErrHeld.
func (c Command) Output(ctx context.Context) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r, err := c.start()
	if err != nil {
		return nil, err
	}
	defer r.close()
	ended := make(chan result, 1)
	go func() { ended <- r.wait(c) }()
	select {
	case e := <-ended:
		return e.out, e.err
	case <-ctx.Done():
		err := errors.Join(fmt.Errorf("it did not end in time: %w", ctx.Err()), r.kill())
		return r.rest(ended), err
	}
}

// rest returns the output of a killed program. It does not wait for whatever holds the
// streams open.
func (r *running) rest(ended <-chan result) []byte {
	for range 2 {
		select {
		case e := <-ended:
			return e.out
		case <-time.After(afterKill):
			r.closeStreams() // ends the reading
		}
	}
	return nil
}

// running is a started program and our ends of its streams, which are nil for the null
// device.
type running struct {
	process *os.Process
	group   group
	in      *os.File
	out     *os.File
	errs    *os.File
}

type result struct {
	out    []byte
	stderr []byte
	err    error
}

func (c Command) start() (*running, error) {
	r := &running{}
	theirs, err := r.open(c)
	if err == nil {
		r.process, r.group, err = c.launch(&os.ProcAttr{Dir: c.Dir, Env: lastOfEach(c.Env), Files: theirs[:3]})
	}
	for _, f := range theirs {
		_ = f.Close() // errors: the null device is in the list more than once
	}
	if err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

// lastOfEach keeps the last value of each variable, as os/exec does: C's getenv would
// return the first. An empty environment stays empty: only nil is ours.
func lastOfEach(env []string) []string {
	if env == nil {
		return nil
	}
	kept := []string{}
	for i, v := range env {
		name, _, _ := strings.Cut(v, "=")
		again := func(later string) bool {
			other, _, _ := strings.Cut(later, "=")
			return other == name || runtime.GOOS == "windows" && strings.EqualFold(other, name)
		}
		if !slices.ContainsFunc(env[i+1:], again) {
			kept = append(kept, v)
		}
	}
	return kept
}

func (r *running) open(c Command) (theirs []*os.File, err error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	theirs = []*os.File{null, null, null, null}
	if c.Stdin != "" || c.HoldStdin {
		if theirs[0], r.in, err = os.Pipe(); err != nil {
			return theirs, err
		}
	}
	if c.Limit == 0 {
		return theirs, nil
	}
	if r.out, theirs[1], err = os.Pipe(); err != nil {
		return theirs, err
	}
	r.errs, theirs[2], err = os.Pipe()
	return theirs, err
}

func (r *running) kill() error { return r.group.kill(r.process) }

func (r *running) close() {
	r.closeStreams()
	r.group.close()
}

func (r *running) closeStreams() {
	for _, f := range []*os.File{r.in, r.out, r.errs} {
		if f != nil {
			_ = f.Close() // unread output is not needed
		}
	}
}

// wait returns the program's output and waits for its end, also after a kill, so that
// no zombie stays.
func (r *running) wait(c Command) result {
	if c.Stdin != "" {
		go r.write(c.Stdin, c.HoldStdin)
	}
	read := make(chan result, 1)
	go func() { read <- r.read(c.Limit) }()
	state, err := r.process.Wait()
	var got result
	late := time.NewTimer(drain)
	defer late.Stop()
	select {
	case got = <-read:
	case <-late.C:
		got = r.held(c, read)
	}
	if got.err != nil && !errors.Is(got.err, ErrHeld) {
		return got
	}
	switch {
	case err != nil:
		got.err = err
	case !state.Success():
		got.err = &ExitError{state.ExitCode(), state.String(), string(got.stderr)}
	}
	return got
}

// held ends the reading, and with Contained also whatever holds the streams open.
func (r *running) held(c Command, read <-chan result) result {
	err := ErrHeld
	if c.Contained {
		err = errors.Join(err, r.kill())
	}
	r.closeStreams()
	got := <-read
	if got.err == nil || errors.Is(got.err, os.ErrClosed) {
		got.err = err
	}
	return got
}

func (r *running) write(input string, hold bool) {
	_, _ = io.WriteString(r.in, input) // the output shows whether it was read
	if !hold {
		_ = r.in.Close() // may be closed already
	}
}

// read reads both streams to their end, and kills a program that prints too much.
func (r *running) read(limit int) (got result) {
	if r.out == nil {
		return got
	}
	stderr := make(chan []byte, 1)
	go func() {
		said, _ := io.ReadAll(io.LimitReader(r.errs, stderrLimit)) // an error is the end too
		_, _ = io.Copy(io.Discard, r.errs)                         // so that the program does not block
		stderr <- said
	}()
	got.out, got.err = io.ReadAll(io.LimitReader(r.out, int64(limit)+1))
	if len(got.out) > limit {
		got.out, got.err = nil, errors.Join(fmt.Errorf("it printed more than %d KiB", limit>>10), r.kill())
	}
	got.stderr = <-stderr
	return got
}
