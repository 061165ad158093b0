package onevent

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"
)

// patience is a context with a deadline that makes its timer when somebody
// waits. Nearly no event waits for anything, and a timer costs each of them
// more than all that it asks of the file system.
type patience struct {
	until  time.Time
	mu     sync.Mutex
	timer  context.Context    // nil until somebody waits
	cancel context.CancelFunc // never called: the timer ends with the process
}

// renew moves the deadline. Nobody may be waiting.
func (p *patience) renew(until time.Time) { p.until, p.timer = until, nil }

func (p *patience) waited() context.Context {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer == nil {
		p.timer, p.cancel = context.WithDeadline(context.Background(), p.until) // #nosec G118 -- it ends with the process
	}
	return p.timer
}

// Deadline is that of the event.
func (p *patience) Deadline() (time.Time, bool) { return p.until, true }

// Done is closed at the deadline.
func (p *patience) Done() <-chan struct{} { return p.waited().Done() }

// Value lets contexts that are made of this one find its timer.
func (p *patience) Value(key any) any { return p.waited().Value(key) }

// Err looks at the clock before it makes a timer.
func (p *patience) Err() error {
	if time.Until(p.until) > 0 {
		return nil
	}
	return p.waited().Err()
}

var errLate = errors.New("standard input did not end in time")

// inTime is standard input, of an editor that may leave its pipe open: after
// the deadline reading it is an error.
type inTime struct {
	file  *os.File
	until time.Time
}
