package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
)

const (
	// mostOutput is more than a status of 100 000 changed files.
	mostOutput = 32 << 20
	mostWords  = 4 << 10
)

var errTooMuch = errors.New("it says too much")

// exitError is a program that ended with another code than 0.
type exitError struct {
	code  int
	words string
}

func (e exitError) Error() string {
	if e.words == "" {
		return fmt.Sprintf("exit status %d", e.code)
	}
	return fmt.Sprintf("exit status %d: %s", e.code, e.words)
}

// run runs a program in a session of its own, without input, and gives what it
// prints. It does not outlive ctx: it is killed then, with what it has started,
// and not waited for. This is os/exec as far as needed here, and without that
// package's size.
func run(ctx context.Context, path, dir string, args, env []string) ([]byte, error) {
	if ctx.Err() != nil {
		return nil, errSlow
	}
	c, err := startChild(path, dir, args, env)
	if err != nil {
		return nil, err
	}
	defer c.close()
	type end struct {
		out []byte
		err error
	}
	ended := make(chan end, 1)
	go func() {
		out, err := c.wait()
		ended <- end{out, err}
	}()
	select {
	case e := <-ended:
		return e.out, e.err
	case <-ctx.Done():
		return nil, errors.Join(errSlow, c.kill())
	}
}

// child is a program that runs, and our ends of its streams.
type child struct {
	process  *os.Process
	group    group
	out, err *os.File
}

func startChild(path, dir string, args, env []string) (c child, err error) {
	var theirs []*os.File
	defer func() {
		for _, f := range theirs {
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			c.close()
		}
	}()
	null, err := os.Open(os.DevNull)
	if err != nil {
		return c, err
	}
	theirs = append(theirs, null)
	for _, ours := range []**os.File{&c.out, &c.err} {
		r, w, err := os.Pipe()
		if err != nil {
			return c, err
		}
		*ours, theirs = r, append(theirs, w)
	}
	c.process, err = os.StartProcess(path, append([]string{path}, args...),
		&os.ProcAttr{Dir: dir, Env: env, Files: theirs, Sys: apart()})
	if err == nil {
		c.group = newGroup(c.process)
	}
	return c, err
}

// close closes what we hold; a read of it that still waits ends.
func (c child) close() {
	for _, f := range []*os.File{c.out, c.err} {
		if f != nil {
			f.Close() // only read from
		}
	}
	c.group.close()
}

// kill ends the program with its children.
func (c child) kill() error { return c.group.kill(c.process) }

// wait reads to the end of both streams, then waits for the program's. It does
// so in any case, or the system would keep what is left of it for us.
func (c child) wait() ([]byte, error) {
	words := make(chan string, 1)
	go func() {
		said, _ := io.ReadAll(io.LimitReader(c.err, mostWords)) // as much as there is
		io.Copy(io.Discard, c.err)                              // who writes must not stand still
		words <- firstLine(said)
	}()
	out, err := io.ReadAll(io.LimitReader(c.out, mostOutput+1))
	if len(out) > mostOutput {
		out, err = nil, errors.Join(errTooMuch, c.kill())
	}
	said := <-words
	state, waitErr := c.process.Wait()
	switch {
	case err != nil:
		return nil, err
	case waitErr != nil:
		return nil, waitErr
	case !state.Success():
		return out, exitError{state.ExitCode(), said}
	}
	return out, nil
}

// firstLine is fit for one line of a log.
func firstLine(said []byte) string {
	first, _, _ := bytes.Cut(said, []byte("\n"))
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, string(first))
}
