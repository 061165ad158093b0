package notice

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

// Sender sends notices. The zero value of a limit is the usual one.
type Sender struct {
	Desktop func(title, words string) error
	Self    string   // the path of cursor-ralph, which supervises commands
	Shell   string   // the user's; empty is the system's
	Env     []string // of commands

	Limit   time.Duration // of a channel with all its tries
	Backoff time.Duration // after the first try; twice that after the second
}

const (
	usualLimit   = 10 * time.Second
	usualBackoff = 500 * time.Millisecond
	tries        = 3
)

// Result is how it went with one channel.
type Result struct {
	Channel string  `json:"channel"` // without what may be a password
	OK      bool    `json:"ok"`
	Why     string  `json:"why,omitempty"`
	Tries   int     `json:"tries"`
	Seconds float64 `json:"duration_seconds"`
}

// errLate ends the tries: what hangs may have arrived, and must not arrive twice.
var errLate = errors.New("no answer in time")

// Send sends a notice to each channel, to all at the same time.
func (s Sender) Send(ctx context.Context, all []Channel, n Notice) []Result {
	results := make([]Result, len(all))
	var done sync.WaitGroup
	for i, c := range all {
		done.Go(func() { results[i] = s.deliver(ctx, c, n) })
	}
	done.Wait()
	return results
}

func (s Sender) deliver(ctx context.Context, c Channel, n Notice) Result {
	limit, backoff := cmp.Or(s.Limit, usualLimit), cmp.Or(s.Backoff, usualBackoff)
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	r := Result{Channel: c.String()}
	err := s.try(ctx, c, n, backoff, &r.Tries)
	r.Seconds = time.Since(began).Seconds()
	switch {
	case err == nil:
		r.OK = true
	case errors.Is(err, errLate):
		r.Why = "no answer within " + text.Exactly(limit)
	default:
		r.Why = err.Error()
	}
	return r
}

func (s Sender) try(ctx context.Context, c Channel, n Notice, backoff time.Duration, count *int) error {
	for {
		*count++
		err := s.once(ctx, c, n)
		if err == nil || errors.Is(err, errLate) || *count == tries {
			return err
		}
		if proc.Sleep(ctx, backoff) != nil {
			return err
		}
		backoff *= 2
	}
}

// once sends it once. What does not know ctx is left behind when that is done: this process ends soon.
func (s Sender) once(ctx context.Context, c Channel, n Notice) error {
	if line, ok := strings.CutPrefix(string(c), command); ok {
		return s.run(ctx, line, n)
	}
	sent := make(chan error, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				sent <- errors.New("the service's code failed")
			}
		}()
		sent <- s.send(c, n)
	}()
	select {
	case err := <-sent:
		return err
	case <-ctx.Done():
		return errLate
	}
}

func (s Sender) send(c Channel, n Notice) error {
	if c == desktop {
		return s.Desktop(n.Title, n.Desktop())
	}
	if err := sendTo(string(c), n.Message()); err != nil {
		return errors.New(explain(err)) // the error may have a password in it
	}
	return nil
}

func (s Sender) run(ctx context.Context, line string, n Notice) error {
	end, err := Command{Text: line, Shell: s.Shell, Self: s.Self, Env: slices.Concat(s.Env, n.variables()), Input: n}.Run(ctx)
	switch {
	case ctx.Err() != nil:
		return errLate
	case err != nil:
		return errors.New("it could not be run")
	case end != 0:
		return fmt.Errorf("it failed with exit %d", end)
	}
	return nil
}

func (n Notice) variables() []string {
	const prefix = "CURSOR_RALPH_NOTICE_"
	return []string{
		prefix + "EVENT=" + string(n.Event), prefix + "ID=" + n.ID, prefix + "STATUS=" + n.Status, prefix + "WORKSPACE=" + n.Workspace, prefix + "TASK=" + n.Task,
		prefix + "ITERATION=" + fmt.Sprint(n.Iteration), prefix + "MAX_ITERATIONS=" + fmt.Sprint(n.MaxIterations), prefix + "TITLE=" + n.Title, prefix + "TEXT=" + n.Text,
	}
}
