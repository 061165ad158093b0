package acp

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"sync/atomic"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/proc/supervise"
)

// flow is what the SDK's connection reads. The connection ends when more than 1024
// updates wait for us, so flow passes on no more than a part of that at once. An agent
// that sends a long session at once, or prints a lot, has to wait.
type flow struct {
	from   *bufio.Reader
	ready  chan struct{} // closed when the connection may read
	noise  supervise.Tail
	passed atomic.Int64 // updates
	done   atomic.Int64 // of these, those that were handled
	ended  atomic.Bool  // the agent closed its output
	within bool         // the last piece did not end its line
}

// input is what the SDK's connection writes to.
type input struct {
	io.Writer
	unread atomic.Bool // the agent reads no more: it is about to end
}

// Write implements io.Writer.
func (i *input) Write(p []byte) (int, error) {
	n, err := i.Writer.Write(p)
	if err != nil {
		i.unread.Store(true)
	}
	return n, err
}

const (
	mostWaiting = 256                    // updates
	stuckAfter  = 250 * time.Millisecond // without progress: the SDK understands none of those that wait
)

func newFlow(from io.Reader) *flow {
	return &flow{from: bufio.NewReaderSize(from, 64<<10), ready: make(chan struct{})}
}

func (f *flow) begin() { close(f.ready) }

func (f *flow) handled() { f.done.Add(1) }

// Read returns one line, or a piece of one that does not fit.
func (f *flow) Read(p []byte) (int, error) {
	<-f.ready
	f.await(context.Background(), mostWaiting)
	size := min(len(p), f.from.Size())
	line, err := f.from.Peek(1)
	if err == nil {
		line, _ = f.from.Peek(min(size, f.from.Buffered()))
	}
	if i := bytes.IndexByte(line, '\n'); i >= 0 {
		line = line[:i+1]
	}
	n := copy(p, line)
	if n > 0 {
		f.note(p[:n])
		_, _ = f.from.Discard(n) // it is buffered
		return n, nil
	}
	f.ended.Store(true)
	return 0, err
}

func (f *flow) note(piece []byte) {
	if !f.within {
		switch trimmed := bytes.TrimSpace(piece); {
		case len(trimmed) > 0 && trimmed[0] != '{':
			_, _ = f.noise.Write(piece) // never fails
		case bytes.Contains(piece, []byte(`"session/update"`)):
			f.passed.Add(1)
		}
	}
	f.within = piece[len(piece)-1] != '\n'
}

// settle waits until what was passed on is handled.
func (f *flow) settle(ctx context.Context) { f.await(ctx, 0) }

// replayQuiet without an update means that a replay is over.
const replayQuiet = 500 * time.Millisecond

// awaitQuiet waits until no update comes any more, or for a limit.
func (f *flow) awaitQuiet(ctx context.Context, limit time.Duration) {
	late, last, since := time.Now().Add(limit), f.passed.Load(), time.Now()
	for time.Since(since) < replayQuiet && time.Now().Before(late) && ctx.Err() == nil {
		time.Sleep(10 * time.Millisecond)
		if now := f.passed.Load(); now != last {
			last, since = now, time.Now()
		}
	}
}

func (f *flow) await(ctx context.Context, most int64) {
	last, since := f.done.Load(), time.Now()
	for f.passed.Load()-f.done.Load() > most && ctx.Err() == nil {
		time.Sleep(time.Millisecond)
		if now := f.done.Load(); now != last {
			last, since = now, time.Now()
		} else if time.Since(since) > stuckAfter {
			f.done.Store(f.passed.Load())
		}
	}
}
