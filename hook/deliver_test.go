package hook_test

import (
	"bytes"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cursor-ralph/cursor-ralph/hook"
)

// editor is standard output of a hook, which knows when it was closed.
type editor struct {
	bytes.Buffer
	closed time.Time
	fails  error
}

func (e *editor) Write(p []byte) (int, error) {
	n, _ := e.Buffer.Write(p)
	return n, e.fails
}

func (e *editor) Close() error {
	e.closed = time.Now()
	return nil
}

func TestDeliverStaysAfterItHasClosed(t *testing.T) {
	const linger = 100 * time.Millisecond
	for _, tt := range []struct {
		name   string
		answer any
		fails  error
		want   time.Duration
	}{
		{"an answer", hook.StopAnswer{FollowupMessage: "go on"}, nil, linger},
		{"nothing", nil, nil, 0},
		{"nobody reads", hook.StopAnswer{FollowupMessage: "go on"}, errors.New("broken pipe"), 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := &editor{fails: tt.fails, closed: time.Now()}
				if err := hook.Deliver(e, tt.answer, linger); !errors.Is(err, tt.fails) {
					t.Errorf("got %v, want %v", err, tt.fails)
				}
				if stayed := time.Since(e.closed); stayed != tt.want {
					t.Errorf("it stayed for %s, want %s", stayed, tt.want)
				}
			})
		})
	}
}
