package state

import (
	"context"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/platform"
)

// TestAStopFoldsTheJournalOnce: the look at the workspace before a stop and the stop
// itself need the same Turn, unless a line was added between them.
func TestAStopFoldsTheJournalOnce(t *testing.T) {
	for name, added := range map[string]bool{"nothing was added": false, "a call was added": true} {
		t.Run(name, func(t *testing.T) {
			must := func(err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
			}
			s := New(platform.Places{Base: t.TempDir(), Archive: t.TempDir()}, time.Now)
			l := loop.New()
			l.Prompt = "the task"
			call := loop.Record{Kind: loop.RecordTool, Tool: "Write", ID: "1", At: time.Now()}
			must(s.Begin(context.Background(), "chat", l))
			must(s.AddToJournal("chat", call))
			l, err := s.Read("chat")
			must(err)
			stop := loop.Event{Kind: loop.EventStop, Stop: loop.Stop{Status: loop.Completed}}
			_, err = s.Turn("chat", l, stop)
			must(err)
			before := s.lastFold.Load()
			if added {
				call.ID = "2"
				must(s.AddToJournal("chat", call))
			}
			l, _, err = s.Apply(context.Background(), "chat", stop)
			must(err)
			if again := s.lastFold.Load() != before; again != added {
				t.Errorf("folded again: %t, want %t", again, added)
			}
			if want := map[bool]int{false: 1, true: 2}[added]; l.ToolCalls != want {
				t.Errorf("got %d tool calls, want %d", l.ToolCalls, want)
			}
		})
	}
}
