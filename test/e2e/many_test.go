//go:build unix

package e2e_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/test/short"
)

// Many chats of one folder work at once, also where each event reaches two hooks: nothing is lost, counted twice or
// told to another chat.
func TestManyChatsAtOnceKeepTheirOwnLoops(t *testing.T) {
	const iterations, calls = 4, 3
	each(t, short.First([]variant{with("user and project", func(v *variant) { v.installs = both() }), usual()}, 1), func(w *world) {
		var chats []*chat
		for range short.Times(4, 12) {
			chats = append(chats, w.chat())
		}
		for n, c := range chats {
			w.sub(fmt.Sprint("chat ", n), func(part *world) {
				part.Parallel()
				ctx, cancel := context.WithTimeout(part.Context(), patience) // it may have waited for its turn
				defer cancel()
				part.ctx, c.world = ctx, part
				task := fmt.Sprintf("task-%d-", n)
				c.starts(fmt.Sprintf(`%s --max-iterations %d`, task, iterations))
				for i := range iterations {
					for range calls {
						c.works()
					}
					c.runs(fmt.Sprintf("%s context %s told-%d-%d", c.program(), c.ID, n, i))
					if i < iterations-1 {
						message := c.goesOn()
						part.wantPart("continuation", message, task)
						part.wantPart("continuation", message, fmt.Sprintf("told-%d-%d", n, i))
						part.wantPart("continuation", message, fmt.Sprintf("[Ralph loop %d/%d]", i+2, iterations))
					}
				}
				c.rests()
				got := part.wantStatus(c.ID, "MAX_ITERATIONS_REACHED", iterations)
				if got.ToolCalls != iterations*calls || len(got.History) != iterations {
					part.Errorf("got %d tool calls in %d iterations, want %d in %d", got.ToolCalls, len(got.History), iterations*calls, iterations)
				}
			})
		}
	})
}
