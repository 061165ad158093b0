package state_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/state"
)

// Our hook may be installed in two places: two processes have one event. An event that comes again is another one.
func TestOnce(t *testing.T) {
	const event, answer = `{"hook_event_name":"stop"}`, `{"followup_message":"go on"}`
	for _, tt := range []struct {
		name   string
		second string        // event
		after  time.Duration // the first began
		takes  time.Duration // until the first is decided; negative for one that is killed
		want   string        // of the second; empty if it is decided
	}{
		{"just after it", event, 299 * time.Millisecond, 0, answer},
		{"later it is another one", event, 300 * time.Millisecond, 0, ""},
		{"before the answer", event, 2 * time.Second, 3 * time.Second, "none"},
		{"another event", event + " ", 0, 0, ""},
		{"just after one that was killed", event, 299 * time.Millisecond, -1, "none"},
		{"as long as nobody knows that it was", event, 4999 * time.Millisecond, -1, "none"},
		{"long after one that was killed", event, 5 * time.Second, -1, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			decided := 0
			decide := func() json.RawMessage { decided++; return json.RawMessage(answer) }
			once := func(event string, pid int, decide func() json.RawMessage) string {
				got, err := w.store.Once([]byte(event), pid, state.Entry{}, decide)
				w.must(err)
				return string(got)
			}
			begun := *w.clock
			second := func() {
				*w.clock = begun.Add(tt.after)
				got := once(tt.second, 2, decide)
				if want := map[string]string{"": answer, "none": ""}[tt.want]; want != got && tt.want != got {
					t.Errorf("got %q, want %q", got, tt.want)
				}
			}
			func() {
				defer func() { _ = recover() }()
				once(event, 1, func() json.RawMessage {
					switch {
					case tt.takes < 0:
						panic("killed")
					case tt.takes > tt.after:
						second()
					}
					*w.clock = begun.Add(tt.takes)
					return decide()
				})
			}()
			if tt.takes <= tt.after {
				second()
			}
			times := 1
			if tt.want == "" {
				times++
			}
			if tt.takes < 0 {
				times--
			}
			if decided != times {
				t.Errorf("decided %d times, want %d", decided, times)
			}
		})
	}
}

// Of many processes that begin at once, one decides.
func TestOnceAtOnce(t *testing.T) {
	w := newWorld(t)
	for n := range 200 {
		var decided atomic.Int32
		var all sync.WaitGroup
		for pid := range 4 {
			all.Go(func() {
				_, err := w.store.Once(fmt.Append(nil, n), pid, state.Entry{}, func() json.RawMessage {
					decided.Add(1)
					return nil
				})
				w.must(err)
			})
		}
		all.Wait()
		if decided.Load() != 1 {
			t.Fatalf("event %d was decided %d times", n, decided.Load())
		}
	}
}

// A second hook that had nothing to decide does not stand for the next event with the same bytes.
func TestOnceAgainAfterACopy(t *testing.T) {
	w := newWorld(t)
	begun := *w.clock
	for n, want := range []bool{true, false, true, false, true} {
		*w.clock = begun.Add(time.Duration(n/2) * time.Second)
		decided := false
		_, err := w.store.Once([]byte("event"), n, state.Entry{}, func() json.RawMessage { decided = true; return nil })
		w.must(err)
		if decided != want {
			t.Errorf("hook %d: decided is %v, want %v", n, decided, want)
		}
	}
}

// Where the entries are known, the same one has each event once, however soon it comes again.
func TestOnceByEntry(t *testing.T) {
	w := newWorld(t)
	for n, tt := range []struct {
		entry   string
		decided bool
	}{{"user", true}, {"project", false}, {"user", true}, {"user", true}, {"project", false}} {
		decided := false
		_, err := w.store.Once([]byte("event"), n, state.Entry{Name: tt.entry}, func() json.RawMessage { decided = true; return nil })
		w.must(err)
		if decided != tt.decided {
			t.Errorf("hook %d: decided is %v, want %v", n, decided, tt.decided)
		}
	}
}

// The folder in which Cursor runs a hook says which entry it is of: on a busy machine the second begins late. Two in one folder may be two
// entries.
func TestOnceByFolder(t *testing.T) {
	w := newWorld(t)
	begun := *w.clock
	for n, tt := range []struct {
		folder  string
		at      time.Duration
		decided bool
	}{
		{"user", 0, true}, {"project", 900 * time.Millisecond, false}, // one event
		{"project", time.Second, true}, {"user", 1900 * time.Millisecond, false}, // the next one, the other way round
		{"user", 3 * time.Second, true}, {"user", 3299 * time.Millisecond, false}, {"user", 3300 * time.Millisecond, true},
		{"project", 8299 * time.Millisecond, false}, {"project", 14 * time.Second, true},
	} {
		*w.clock = begun.Add(tt.at)
		decided := false
		_, err := w.store.Once([]byte("event"), n, state.Entry{Name: tt.folder, Shared: true}, func() json.RawMessage { decided = true; return nil })
		w.must(err)
		if decided != tt.decided {
			t.Errorf("hook %d: decided is %v, want %v", n, decided, tt.decided)
		}
	}
}

// A long answer is not kept, and what is kept stays small.
func TestOnceKeepsLittle(t *testing.T) {
	w := newWorld(t)
	long := json.RawMessage(`"` + strings.Repeat("x", 20<<10) + `"`)
	for n := range 300 {
		event := fmt.Append(nil, n)
		for pid, want := range []int{len(long), 0} { // the first has it
			if got, err := w.store.Once(event, pid, state.Entry{}, func() json.RawMessage { return long }); err != nil || len(got) != want {
				t.Fatalf("process %d: got %d bytes, %v, want %d", pid, len(got), err, want)
			}
		}
		short := json.RawMessage(`"` + strings.Repeat("x", 10<<10) + `"`)
		_, err := w.store.Once(append(event, 'x'), 1, state.Entry{}, func() json.RawMessage { return short })
		w.must(err)
	}
	for _, path := range []string{w.places.Events(), w.places.Events() + ".1"} {
		switch info, err := os.Stat(path); {
		case errors.Is(err, fs.ErrNotExist) && path == w.places.Events(): // a new one begins with the next event
		case err != nil || info.Size() > 2<<20:
			t.Errorf("%s: got %v, %v", path, info, err)
		}
	}
}
