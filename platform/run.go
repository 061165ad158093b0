package platform

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// Run runs a program without streams, in a session of its own, and waits for
// it. One that has not ended when ctx is done is killed, and that is an error,
// as an exit code other than 0 is.
func Run(ctx context.Context, path string, args ...string) error {
	p, err := start(path, args)
	if err != nil {
		return err
	}
	type end struct {
		state *os.ProcessState
		err   error
	}
	ended := make(chan end, 1)
	go func() {
		state, err := p.Wait()
		ended <- end{state, err}
	}()
	select {
	case e := <-ended:
		switch {
		case e.err != nil:
			return e.err
		case !e.state.Success():
			return fmt.Errorf("%s", e.state)
		}
		return nil
	case <-ctx.Done():
		return errors.Join(fmt.Errorf("it did not end in time: %w", ctx.Err()), kill(p))
	}
}
