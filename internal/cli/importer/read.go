package importer

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/loops"
	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

type otherLoop struct {
	path  string
	state loop.State
	count int      // as the other tool counts, which ends the loop when it comes to the limit
	notes []string // what had to be decided for it
}

func readOther(e *cli.Env, path string, asked loop.Request) (otherLoop, error) {
	o := otherLoop{path: path}
	data, err := otherContent(path)
	if err != nil {
		return o, hint.New(err.Error(), "nothing was imported; "+startAnew)
	}
	if filepath.Ext(path) == foreignSuffix {
		err = o.fromState(data)
	} else {
		err = o.fromScratchpad(data, asked)
	}
	if errors.Is(err, loop.ErrNewer) {
		return o, loops.Hinted(fmt.Errorf("%s: %w", path, err))
	}
	if err != nil {
		return o, hint.New(path+": "+err.Error(), "correct it and import it again; "+startAnew)
	}
	if asked.Given("max-iterations") {
		o.state.MaxIterations = asked.State.MaxIterations
	}
	if asked.Given("completion-promise") {
		o.state.CompletionPromise = asked.State.CompletionPromise
	}
	if o.count >= o.state.MaxIterations {
		return o, hint.New(fmt.Sprintf("%s: the loop is at its limit (iteration %d of %d)", path, o.count, o.state.MaxIterations),
			fmt.Sprintf("import it with a higher one, such as --max-iterations %d", min(o.count+loop.DefaultMaxIterations, loop.MaxMaxIterations)))
	}
	return o, nil
}

const startAnew = "`cursor-ralph start \"<task>\"` begins a new loop"

// otherContent refuses links and other users' files: the file that is renamed later must be the one that was read.
func otherContent(path string) ([]byte, error) {
	data, info, err := ownfile.ReadPart(path, 0, cli.MaxOther)
	if err == nil && info.Size() > cli.MaxOther {
		err = fmt.Errorf("%s is larger than %d bytes", path, cli.MaxOther)
	}
	return data, err
}

func (o *otherLoop) fromScratchpad(data []byte, asked loop.Request) error {
	s, err := parseScratchpad(data)
	if err != nil {
		return err
	}
	done := filepath.Join(filepath.Dir(o.path), "done")
	if _, err := os.Lstat(done); err == nil {
		return fmt.Errorf("the plugin has accepted its promise: %s exists; remove that file if the task is not done", done)
	}
	o.count = s.iteration
	o.state, o.notes, err = s.state(asked)
	return err
}

// fromState takes the seven fields that all such tools share. The rest belongs to an earlier loop.
func (o *otherLoop) fromState(data []byte) error {
	s, err := loop.Parse(data)
	switch {
	case err != nil:
		return err
	case s.Status.Ended():
		return fmt.Errorf("the loop has ended (%s)", s.Status)
	case s.Stop:
		return errors.New("the user has stopped the loop: stop is true in it")
	}
	promise, err := checkedPromise(s.CompletionPromise)
	if err != nil {
		return err
	}
	o.state, o.count = loop.New(), s.Iterations
	o.state.Prompt, o.state.MaxIterations, o.state.CompletionPromise = s.Prompt, s.MaxIterations, promise
	o.state.Iterations, o.state.LastOutput = s.Iterations, s.LastOutput
	return nil
}
