package platform

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// answerLimit is how much a program that is asked may print: one that prints
// more is not the one we meant.
const answerLimit = 256 << 10

// Run runs a program without streams, in a session of its own, and waits for
// it. One that has not ended when ctx is done is killed, and that is an error,
// as an exit code other than 0 is.
func Run(ctx context.Context, path string, args ...string) error {
	p, err := start(path, args, nil, nil)
	if err != nil {
		return err
	}
	_, err = wait(ctx, p, nil)
	return err
}

// Ask runs a program and gives what it prints. Its standard input stays open as
// long as we live and wait, so that it can tell when nobody waits any more. In
// all else it is as Run. What the program leaves running must not keep its
// standard output open: the answer ends where that does.
func Ask(ctx context.Context, path string, args ...string) ([]byte, error) {
	return ask(ctx, nil, path, args)
}

// Tell is Ask of a program that reads something on its standard input, which
// ends there.
func Tell(ctx context.Context, input []byte, path string, args ...string) ([]byte, error) {
	return ask(ctx, input, path, args)
}

func ask(ctx context.Context, input []byte, path string, args []string) ([]byte, error) {
	in, hold, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer hold.Close() // what was not read is not needed
	out, w, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	defer out.Close() // frees the reader, if a child of the program's holds the other end
	child, err := start(path, args, in, w)
	if err = errors.Join(err, in.Close(), w.Close()); child == nil {
		return nil, err
	}
	if input != nil {
		go func() {
			_, _ = hold.Write(input) // the answer tells whether it was read
			_ = hold.Close()         // a second one does no harm
		}()
	}
	return wait(ctx, child, out)
}

// wait gives what a program prints, and waits for its end. It is killed before
// it has been waited for, so that its number is still its own.
func wait(ctx context.Context, p *os.Process, out *os.File) ([]byte, error) {
	type end struct {
		answer []byte
		err    error
	}
	ended := make(chan end, 1)
	go func() {
		answer, readErr := readAnswer(out)
		state, err := p.Wait()
		if err == nil && !state.Success() {
			err = fmt.Errorf("%s", state)
		}
		ended <- end{answer, cmp.Or(readErr, err)} // the first is the cause of the second
	}()
	select {
	case e := <-ended:
		return e.answer, e.err
	case <-ctx.Done():
		return nil, errors.Join(fmt.Errorf("it did not end in time: %w", ctx.Err()), kill(p))
	}
}

// readAnswer reads to the end or to the limit, where it closes the pipe: who
// goes on printing is ended by that.
func readAnswer(out *os.File) ([]byte, error) {
	if out == nil {
		return nil, nil
	}
	answer, err := io.ReadAll(io.LimitReader(out, answerLimit+1))
	if err == nil && len(answer) > answerLimit {
		answer, err = nil, errors.Join(fmt.Errorf("it printed more than %d KiB", answerLimit>>10), out.Close())
	}
	return answer, err
}
