// Package events prints how loops stand and every change of one, as lines of JSON
// for other programs: docs/schema/event.schema.json. It changes no loop and keeps
// nothing for its reader, who comes back with a cursor.
package events

import (
	"context"
	"errors"
	"io"
	"os"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/proc"
)

// Flags adds the flags of events.
func Flags(f *pflag.FlagSet) {
	cli.JSONFlag(f)
	f.String("after", "", "print only what changed since the line with this `CURSOR`")
	cli.Duration(f, "ended", 24*time.Hour, 0, "at the start also print the loops that ended within the time `D`")
	f.StringArray("folder", nil, "say of each loop whether it belongs to `FOLDER`; may be given several times")
	f.Bool("history", false, "add the iterations of each loop")
	f.Bool("until-eof", false, "end when standard input ends")
}

const (
	aliveEvery = 30 * time.Second
	// A look takes a thirtieth of the time at most, as far as these allow.
	shortestRest = 250 * time.Millisecond
	longestRest  = 800 * time.Millisecond
)

// Run prints lines until its reader goes away.
func Run(ctx context.Context, e *cli.Env, _ []string) error {
	cli.OutliveReader()
	window, _ := e.Flags.GetDuration("ended")
	s := newStream(e, window)
	ended := make(chan error, 1)
	go func() { ended <- s.run(ctx) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done(): // while a write waits for its reader
	case <-eof(e):
	}
	return nil
}

// eof is closed when standard input ends, if that matters.
func eof(e *cli.Env) <-chan struct{} {
	if !e.IsSet("until-eof") {
		return nil
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = io.Copy(io.Discard, e.Stdin) // an error is an end too
	}()
	return ended
}

func (s *stream) run(ctx context.Context) error {
	err := s.start(s.env.Flags.Lookup("after").Value.String())
	for err == nil {
		began := time.Now()
		s.look(s.print)
		if s.env.Now().Sub(s.printed) >= aliveEvery {
			s.write(line{Type: alive})
		}
		err = s.err
		rest := min(max(30*time.Since(began), shortestRest), longestRest)
		if proc.Sleep(ctx, rest) != nil || s.isUnread() {
			return nil
		}
	}
	if errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}

func (s *stream) isUnread() bool {
	f, ok := s.env.Stdout.(*os.File)
	return ok && proc.ReaderIsGone(f)
}
