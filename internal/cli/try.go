package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/command"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/internal/verify"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// NoTry is the flag that leaves out TryVerify.
const NoTry = "no-try"

// TryFlag adds NoTry.
func TryFlag(f *pflag.FlagSet) {
	f.Bool(NoTry, false, "do not run the command of --verify once first")
}

// TryVerify runs the command of --verify once before a loop gets it, and tells the user how it went: a gate that cannot work
// is found now, and not at the first promise. Ctrl-C ends the try alone. What follows has the returned context, which has no
// time limit: the command may take as long as a gate. The error is that of a command that cannot run.
func (e *Env) TryVerify(ctx context.Context, l loop.State) (context.Context, error) {
	if l.Verify == "" || e.IsSet(NoTry) {
		return ctx, nil
	}
	skip := make(chan os.Signal, 1)
	signal.Notify(skip, os.Interrupt)
	defer signal.Stop(skip)
	ctx = UntilSignalled(context.WithoutCancel(ctx))
	if why := command.Syntax(ctx, e.UserShell(), l.Verify, l.Workspace); why != "" { // its exit code is that of a test that fails
		return ctx, hint.New("the command of --verify cannot run: "+why, "nothing was done; correct it")
	}
	e.Warn("running the verification once (Ctrl-C skips this): %s", Printable(l.Verify))
	over := e.showProgress()
	r := verify.Run(ctx, verify.Command{Text: l.Verify, Dir: l.Workspace, Shell: e.UserShell(), Timeout: l.GateLimit()})
	over()
	select {
	case <-skip:
		e.Warn("skipped")
		return UntilSignalled(context.WithoutCancel(ctx)), nil
	default:
	}
	const notExecutable, notFound = 126, 127 // by which a shell says so
	ended := fmt.Sprintf("exit %d", r.Exit)
	if said := Printable(text.Line(text.Tail(r.Output, 200))); said != "" {
		ended += ": " + said
	}
	why := ""
	switch isLate := r.Seconds >= l.GateLimit().Seconds(); {
	case r.Exit == notExecutable || r.Exit == notFound:
		why = ended
	case r.Passed:
		e.Warn("it passes already: the first promise would end the loop")
	case r.Exit >= 0:
		e.Warn("it fails now, as it should (%s)", ended)
	case isLate:
		e.Warn("%s", r.Why)
	default:
		why = r.Why
	}
	if why == "" {
		return ctx, nil
	}
	return ctx, hint.New("the command of --verify cannot run: "+why, "nothing was done; correct it, or give --no-try if it can run later")
}

// progressEvery is how often the user sees that a command still runs.
const progressEvery = 10 * time.Second

// showProgress tells the user how long it takes, until the returned function is called.
func (e *Env) showProgress() (over func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for n := 1; ; n++ {
			select {
			case <-time.After(progressEvery):
				e.Warn("it still runs, after %s", text.Duration(time.Duration(n)*progressEvery))
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}
