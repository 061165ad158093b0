package outer_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// With --fresh-chat the agent begins a new session after so many iterations, and learns what was done; --fresh does it every time.
func TestFreshSessions(t *testing.T) {
	for _, tt := range []struct {
		name string
		set  func(l *loop.State)
		want []bool
	}{
		{"every two", func(l *loop.State) { l.FreshChat = 2 }, []bool{false, false, true, false, true}},
		{"every time", func(l *loop.State) { l.FreshChat = 1 }, []bool{false, true, true, true, true}},
		{"never", func(*loop.State) {}, []bool{false, false, false, false, false}},
		{"by --fresh", func(l *loop.State) { l.Run.Fresh = true }, []bool{true, true, true, true, true}},
	} {
		inWorld(t, tt.name, func(w *world) {
			tt.set(&w.loop)
			l, err := w.start(w.Context(), says("a"), says("b"), says("c"), says("d"), says(promise))
			w.must(err)
			var got []bool
			for i, p := range w.prompts {
				got = append(got, p.Fresh)
				if told := strings.Contains(p.Text, "You know nothing of the turns before"); told != (p.Fresh && i > 0 && !l.Run.Fresh) {
					w.Errorf("turn %d got %q", i+1, p.Text)
				}
			}
			if !slices.Equal(got, tt.want) || l.Status != loop.PromiseAccepted {
				w.Errorf("got %v, %s", got, l.Status)
			}
		})
	}
}
