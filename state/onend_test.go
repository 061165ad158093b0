package state_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/platform"
	"github.com/cursor-ralph/cursor-ralph/state"
	"github.com/cursor-ralph/cursor-ralph/test/loopfiles"
)

// onEnds is a store whose loop chat-1 was requested with a command, and the loops whose end it has reported.
func onEnds(t *testing.T, command string) (*state.Store, platform.Places, *[]loop.State) {
	t.Helper()
	dir := t.TempDir()
	places := loopfiles.Places(t, dir, filepath.Join(dir, "archive"))
	s, ended := state.New(places, time.Now), new([]loop.State)
	s.Ended = func(l loop.State) { *ended = append(*ended, l) }
	l := loop.New()
	l.Prompt, l.OnEnd = "make it green", command
	if err := s.Claim(t.Context(), "chat-1", func(live string) error {
		data, err := l.Encode()
		if err != nil {
			return err
		}
		return os.WriteFile(live, data, 0o600)
	}); err != nil {
		t.Fatal(err)
	}
	return s, places, ended
}

func apply(t *testing.T, s *state.Store, e loop.Event) loop.State {
	t.Helper()
	l, _, err := s.Apply(t.Context(), "chat-1", e)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// edit changes the loop's file by hand.
func edit(t *testing.T, path, from, to string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(data), from) {
		t.Fatalf("got %v and %s, want %s in it", err, data, from)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(data), from, to, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// A command that came into a loop's file after the start does not run, and none is lost.
func TestOnEndIsTheOneThatWasRequested(t *testing.T) {
	stop := loop.Event{Kind: loop.EventStop, Stop: loop.Stop{Status: loop.Completed}}
	for _, tt := range []struct {
		name, requested, from, to string
		stops                     int
		want                      string
	}{
		{"removed in the first turn", "good", `"on_end": "good"`, `"off_end": "good"`, 0, "good"},
		{"removed later", "good", `"on_end": "good"`, `"off_end": "good"`, 1, "good"},
		{"added in the first turn", "", `"prompt"`, `"on_end": "evil", "prompt"`, 0, ""},
		{"added later", "", `"prompt"`, `"on_end": "evil", "prompt"`, 1, ""},
		{"changed in the first turn", "good", `"on_end": "good"`, `"on_end": "evil"`, 0, "good"},
		{"changed later", "good", `"on_end": "good"`, `"on_end": "evil"`, 1, "good"},
		{"unchanged", "good", `"prompt"`, `"prompt"`, 1, "good"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, places, ended := onEnds(t, tt.requested)
			for range tt.stops {
				apply(t, s, stop)
			}
			edit(t, places.Live("chat-1"), tt.from, tt.to)
			l := apply(t, s, stop)
			if changed := tt.from != tt.to; l.OnEnd != tt.want || strings.Contains(strings.Join(l.Notices, " ")+l.LastFollowup, "--on-end was changed") != changed {
				t.Errorf("got %q, notices %q, %q", l.OnEnd, l.Notices, l.LastFollowup)
			}
			edit(t, places.Live("chat-1"), `"prompt"`, `"on_end": "evil", "prompt"`)
			apply(t, s, loop.Event{Kind: loop.EventCancel})
			switch {
			case tt.want == "" && len(*ended) != 0:
				t.Errorf("got %d ends with a command, want none", len(*ended))
			case tt.want != "" && (len(*ended) != 1 || (*ended)[0].OnEnd != tt.want):
				t.Errorf("got %d ends, want one with %s", len(*ended), tt.want)
			}
		})
	}
}

// A new loop with the task of an older one, whose record still says that it runs, has the
// command of its own request.
func TestOnEndOfANewLoopWithTheSameTask(t *testing.T) {
	s, places, _ := onEnds(t, "old")
	apply(t, s, loop.Event{Kind: loop.EventStop, Stop: loop.Stop{Status: loop.Completed}})
	if err := os.Remove(places.Live("chat-1")); err != nil { // as a cleared /tmp does
		t.Fatal(err)
	}
	for _, command := range []string{"", "new"} {
		l := loop.New()
		l.Prompt, l.OnEnd, l.CreatedAt = "make it green", command, time.Now()
		claimed := s.Claim(t.Context(), "chat-1", func(live string) error {
			data, err := l.Encode()
			return errors.Join(err, os.WriteFile(live, data, 0o600))
		})
		if got, err := s.Live("chat-1", false); got.OnEnd != command || errors.Join(err, claimed) != nil {
			t.Errorf("got %q, %v, %v, want %q", got.OnEnd, err, claimed, command)
		}
		if err := os.Remove(places.Live("chat-1")); err != nil {
			t.Fatal(err)
		}
	}
}

// Nor can the loop's file say that its end was acted on before it came.
func TestAnEndThatTheFileCallsTold(t *testing.T) {
	s, places, _ := onEnds(t, "good")
	edit(t, places.Live("chat-1"), `"prompt"`, `"end_told": true, "prompt"`)
	l := apply(t, s, loop.Event{Kind: loop.EventCancel})
	if _, first, err := s.TakeEnd(t.Context(), "chat-1", l.ShortID()); !first || err != nil {
		t.Errorf("got %t, %v, want the command to run", first, err)
	}
}

// Of all that have seen an end one acts on it, and again after the next end.
func TestOneActsOnAnEnd(t *testing.T) {
	s, _, ended := onEnds(t, "good")
	l := apply(t, s, loop.Event{Kind: loop.EventStop, Stop: loop.Stop{Status: loop.Completed}})
	take := func() int32 {
		var first atomic.Int32
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if _, ok, err := s.TakeEnd(context.Background(), "chat-1", l.ShortID()); err == nil && ok {
					first.Add(1)
				}
			})
		}
		all.Wait()
		return first.Load()
	}
	if got := take(); got != 0 {
		t.Errorf("got %d while it goes on", got)
	}
	if _, _, err := s.TakeEnd(t.Context(), "chat-1", l.ShortID()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v while it goes on", err)
	}
	apply(t, s, loop.Event{Kind: loop.EventCancel})
	if got := take(); got != 1 || len(*ended) != 1 {
		t.Errorf("got %d of 8, and %d ends, want one", got, len(*ended))
	}
	apply(t, s, loop.Event{Kind: loop.EventContinue, Continue: loop.Continue{Idle: true}})
	apply(t, s, loop.Event{Kind: loop.EventCancel})
	if got := take(); got != 1 || len(*ended) != 2 {
		t.Errorf("got %d of 8 at the second end, and %d ends", got, len(*ended))
	}
}

// It does not matter what the file says when something other than a stop ends the loop.
func TestOnEndThatIsRemovedBeforeTheEnd(t *testing.T) {
	for _, kind := range []loop.EventKind{loop.EventBlocked, loop.EventCancel, loop.EventReplace} {
		s, places, ended := onEnds(t, "good")
		edit(t, places.Live("chat-1"), `"on_end": "good"`, `"off_end": "good"`)
		if l := apply(t, s, loop.Event{Kind: kind, Text: "no key"}); !l.Status.Ended() || len(*ended) != 1 || (*ended)[0].OnEnd != "good" {
			t.Errorf("%s: got %s, %d ends, want one with the command", kind, l.Status, len(*ended))
		}
	}
}

// A kill has left the ended loop among the live ones. The next event reports the end, with the command that was requested.
func TestAnEndThatAKillKeptFromTheArchive(t *testing.T) {
	for _, edited := range []string{``, `"end_told": true,`, `"on_end": "evil",`} {
		s, places, ended := onEnds(t, "good")
		edit(t, places.Live("chat-1"), `"status": "running"`, edited+`"status": "CANCELLED", "ended_at": "2026-01-02T00:00:00Z"`)
		if edited != "" {
			edit(t, places.Live("chat-1"), `"on_end": "good"`, `"off_end": "good"`)
		}
		for range 2 {
			_, _, err := s.Apply(t.Context(), "chat-1", loop.Event{Kind: loop.EventStop, Stop: loop.Stop{Status: loop.Completed}})
			if !errors.Is(err, fs.ErrNotExist) || len(*ended) != 1 || (*ended)[0].OnEnd != "good" || (*ended)[0].EndTold {
				t.Errorf("%s: got %v, %d ends, want one with the command", edited, err, len(*ended))
			}
		}
	}
}

// An end on which nobody has acted is found, whether or not the loop has come to the archive.
func TestEndsOnWhichNobodyHasActed(t *testing.T) {
	since := time.Now().Add(-time.Hour)
	for _, moved := range []bool{true, false} {
		s, places, _ := onEnds(t, "good")
		if got := s.OnEndDue(since); len(got) != 0 {
			t.Errorf("got %d while it goes on", len(got))
		}
		if moved {
			apply(t, s, loop.Event{Kind: loop.EventCancel})
		} else {
			edit(t, places.Live("chat-1"), `"status": "running"`, `"status": "CANCELLED", "ended_at": "`+time.Now().UTC().Format(time.RFC3339)+`"`)
		}
		got := s.OnEndDue(since)
		if len(got) != 1 || got[0].ConversationID != "chat-1" {
			t.Fatalf("moved %t: got %d, want one", moved, len(got))
		}
		if late := s.OnEndDue(time.Now().Add(time.Minute)); len(late) != 0 {
			t.Errorf("moved %t: got %d that ended before", moved, len(late))
		}
		if _, first, err := s.TakeEnd(t.Context(), "chat-1", got[0].ShortID()); !first || err != nil {
			t.Errorf("got %t, %v", first, err)
		}
		if got := s.OnEndDue(since); len(got) != 0 {
			t.Errorf("got %d after somebody has acted", len(got))
		}
	}
}

// A kill has left the ended loop among the live ones: its move to the archive does not undo that somebody acted on the end.
func TestAnEndThatAKillInterrupted(t *testing.T) {
	s, places, _ := onEnds(t, "good")
	live, err := os.ReadFile(places.Live("chat-1"))
	if err != nil {
		t.Fatal(err)
	}
	l := apply(t, s, loop.Event{Kind: loop.EventCancel})
	over := strings.Replace(string(live), `"status": "running"`, `"status": "CANCELLED", "ended_at": "2026-01-02T00:00:00Z"`, 1)
	if err := os.WriteFile(places.Live("chat-1"), []byte(over), 0o600); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		if _, first, err := s.TakeEnd(t.Context(), "chat-1", l.ShortID()); err != nil || first != (i == 0) {
			t.Errorf("try %d: got %t, %v", i, first, err)
		}
		_, _, _ = s.Apply(t.Context(), "chat-1", loop.Event{Kind: loop.EventStop, Stop: loop.Stop{Status: loop.Completed}})
	}
}
