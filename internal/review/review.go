// Package review has another agent judge the work before a promise counts. The agent
// gets the task and what was changed, in a new session in which it may neither write
// nor execute, and answers with a verdict. What follows from the verdict, package loop
// decides.
//
// It reads a copy of the work tree without the files that agents obey, or programs
// execute, on their own: the agent whose work it is may have left some for it.
package review

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/agents"
	"github.com/cursor-ralph/cursor-ralph/internal/agents/preset"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/outer"
	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// Request is work to review.
type Request struct {
	Loop  loop.State        // its Review names the agent
	So    loop.Verification // how the gates before the review went
	Tasks string            // the task list as it is now, empty for none
	Diff  Diff

	Folder string // where it reads: a copy of the work tree without what it would obey
	Env    []string
}

// Find returns the agent that a loop's --review names, if it can be started here.
func Find(name string) (loop.Run, error) {
	agent, model, _ := strings.Cut(name, ":")
	r := loop.Run{Agent: agent, Driver: agents.ACP, Model: model, Permissions: string(outer.PolicyNone), Fresh: true}
	return r, preset.Installed(agent)
}

// Run has the work reviewed. When ctx is done it gives up. Either way it leaves no
// process of the agent behind.
func Run(ctx context.Context, q Request) loop.Review {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, q.Loop.GateLimit())
	defer cancel()
	end, _ := ctx.Deadline()
	limit := time.Until(end).Round(time.Second)
	r := q.run(ctx)
	r.Agent, r.Seconds = q.Loop.Review, time.Since(began).Seconds()
	if r.Verdict == loop.ReviewFailed && errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		r.Why = "it gave no answer within " + text.Exactly(limit)
	}
	return r
}

func (q Request) run(ctx context.Context) loop.Review {
	agent, err := Find(q.Loop.Review)
	if err != nil {
		return failed(err)
	}
	driver, err := agents.Open(agent, agents.Options{Dir: q.Folder, Env: q.Env, ID: "review-" + q.Loop.ShortID(), Asks: true, Reads: true})
	if err != nil {
		return failed(err)
	}
	r := q.ask(ctx, driver)
	if err := driver.Close(); err != nil && r.Verdict == loop.ReviewFailed {
		r.Why += "; " + err.Error()
	}
	return r
}

// ask gets a verdict from the agent; it may try twice.
func (q Request) ask(ctx context.Context, d outer.Driver) loop.Review {
	code := rand.Text()
	said, err := turn(ctx, d, outer.Prompt{Text: q.prompt(rand.Text(), code), Fresh: true, Plans: true})
	if err != nil {
		return failed(err)
	}
	r, why := verdict(said, code)
	if why == "" {
		return r
	}
	said, err = turn(ctx, d, outer.Prompt{Text: q.again(why, rand.Text(), code), Plans: true})
	if err != nil {
		return failed(err)
	}
	if r, why = verdict(said, code); why != "" {
		r = loop.Review{Verdict: loop.ReviewFailed, Why: "its answer was not valid, twice: " + why + "; it ended with: " + text.Head(cmp.Or(lastLine(said), "nothing"), keptWords)}
	}
	return r
}

// keptWords is how many bytes of an invalid answer an error has.
const keptWords = 200

func lastLine(said string) string {
	said = strings.TrimSpace(said)
	return said[strings.LastIndexByte(said, '\n')+1:]
}

// failed is the review of an agent that cannot answer.
func failed(err error) loop.Review {
	why := err.Error()
	start := (*outer.StartError)(nil)
	if h := hint.Of(err); h != "" {
		why += " (" + h + ")"
	} else if errors.As(err, &start) && start.Hint != "" {
		why += " (" + start.Hint + ")"
	}
	return loop.Review{Verdict: loop.ReviewFailed, Why: text.Head(why, keptWhy)}
}

// keptWhy is how many bytes of an error are kept.
const keptWhy = 1000

// closeAfter is how long a driver may take to cancel a turn.
const closeAfter = 8 * time.Second

// turn returns the last message that the agent ended its turn with.
func turn(ctx context.Context, d outer.Driver, p outer.Prompt) (string, error) {
	last := ""
	see := func(seen outer.Seen) {
		if seen.Record.Kind == loop.RecordText {
			last = seen.Record.Text
		}
	}
	done := make(chan error, 1)
	go func() { done <- d.Turn(ctx, p, see) }()
	select {
	case err := <-done:
		return last, err
	case <-ctx.Done():
	}
	select {
	case err := <-done:
		return "", cmp.Or(err, ctx.Err())
	case <-time.After(closeAfter):
		return "", fmt.Errorf("it did not end its turn: %w", ctx.Err())
	}
}
