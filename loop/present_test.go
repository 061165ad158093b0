package loop_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// The files in testdata/present were written before the fields of State were
// grouped and before reasons were typed. They must be read forever.

// present returns a file as it was written, and as it is read.
func present(t *testing.T, name string) ([]byte, loop.State) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "present", name))
	if err != nil {
		t.Fatal(err)
	}
	s, err := loop.Parse(data)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return data, s
}

func presentStates(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("testdata/present/*.json")
	if err != nil || len(paths) < 40 {
		t.Fatalf("got %d files (%v), want all", len(paths), err)
	}
	var names []string
	for _, path := range paths {
		names = append(names, filepath.Base(path))
	}
	return names
}

// fieldsOf returns a JSON object's fields. Those that Parse adds to a file which
// lacks them are in byDefault.
func fieldsOf(t *testing.T, data []byte) (fields map[string]any) {
	t.Helper()
	if err := json.Unmarshal(data, &fields); err != nil {
		t.Fatal(err)
	}
	return fields
}

func TestPresentFilesKeepEveryField(t *testing.T) {
	for _, name := range presentStates(t) {
		data, s := present(t, name)
		if len(s.Unknown) > 0 {
			t.Errorf("%s: unknown fields %q", name, s.Unknown)
		}
		written, err := s.Encode()
		if err != nil {
			t.Fatal(err)
		}
		want, got := fieldsOf(t, data), fieldsOf(t, written)
		for field, value := range map[string]any{"version": 1.0, "status": "running"} { // a pending file may lack them
			if want[field] == nil {
				want[field] = value
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: (-want +got):\n%s", name, diff)
		}
	}
}

func TestPresentFilesMeanTheSame(t *testing.T) {
	for _, tt := range []struct {
		name    string
		status  loop.Status
		pause   string
		line    string // the outcome of the injection
		deliver loop.Delivery
	}{
		{"paused-user.json", loop.Paused, "user", "", "paused"},
		{"paused-error.json", loop.Paused, "error", "", "closed"},
		{"paused-struggling.json", loop.Paused, "struggling", "", ""},
		{"paused-idle.json", loop.Paused, "idle", "", ""},
		{"paused-stale.json", loop.Paused, "stale", "", ""},
		{"ended-blocked.json", loop.Blocked, "", "", "closed"},
		{"injection-arrived.json", loop.Waiting, "", "arrived", ""},
		{"injection-failed.json", loop.Waiting, "", "xtest: the focus left Cursor", ""},
		{"injection-followup-arrived.json", loop.Running, "", "the follow-up arrived after all", loop.FollowupLate},
		{"injection-kept-back.json", loop.Waiting, "", "another chat was in front, and the line was kept back there", ""},
		{"injection-loop-ended.json", loop.Cancelled, "", "the loop ended", ""},
		{"injection-paused.json", loop.Paused, "user", "paused by the user", ""},
		{"injection-turn-ended.json", loop.Running, "", "a turn ended before the line arrived", ""},
		{"injection-unreported.json", loop.Paused, "user", "nothing was heard of it", ""}, // as older versions wrote it
		{"injection-user-first.json", loop.Waiting, "", "the user sent a message first", ""},
		{"waiting-lost-followup.json", loop.Waiting, "", "", loop.FollowupLost},
		{"running-again.json", loop.Running, "", "arrived", loop.FollowupAgain},
	} {
		_, s := present(t, tt.name)
		got := []string{string(s.Status), string(s.PauseReason), string(s.Injection.Outcome), string(s.Followup.Outcome)}
		if diff := cmp.Diff([]string{string(tt.status), tt.pause, tt.line, string(tt.deliver)}, got); diff != "" {
			t.Errorf("%s: (-want +got):\n%s", tt.name, diff)
		}
	}
}

// What was stored as a sentence still decides.
func TestPresentFilesDecideTheSame(t *testing.T) {
	const second = time.Second
	typed := func(in string) loop.Event {
		return loop.Event{Kind: loop.EventTyped, Typed: loop.Typed{Conversation: in}}
	}
	for _, tt := range []struct {
		what, name string
		from       func(loop.State) time.Time
		event      loop.Event
		kind       loop.ActionKind
		status     loop.Status
	}{
		{"the line crosses with a pause", "injection-paused.json", lineClosed, typed("waiting"), loop.Refuse, loop.Paused},
		{"the line comes long after a pause", "injection-user-first.json", lineClosed, typed("waiting"), loop.Rest, loop.Waiting},
		{"a second report in the wrong chat", "injection-kept-back.json", lineClosed, typed("other"), loop.Refuse, loop.Waiting},
		{"the line comes after the follow-up", "injection-followup-arrived.json", lineClosed, typed("lost"), loop.Refuse, loop.Running},
		{"the line comes after the turn", "injection-turn-ended.json", lineClosed, typed("waiting"), loop.Refuse, loop.Running},
		{"resume of a loop whose agent is idle", "paused-idle.json", lastEvent, loop.Event{Kind: loop.EventResume}, loop.Rest, loop.Waiting},
		{"a late follow-up", "running-again.json", lastEvent, loop.Event{Kind: loop.EventMessage, Text: lostText(t)}, loop.Refuse, loop.Running},
		{"an outer loop waits for another try", "outer-waiting.json", lastEvent, loop.Event{Kind: loop.EventAgain}, loop.Rest, loop.Running},
		{"a verification is under way", "verifying.json", verifyingSince, loop.Event{Kind: loop.EventContinue, Continue: loop.Continue{Idle: true}}, loop.Refuse, loop.Running},
		{"a turn that was doubted goes on", "paused-doubted.json", lastEvent, loop.Event{Kind: loop.EventStop, Generation: "n", Turn: loop.Turn{Texts: []string{"x"}}, Stop: loop.Stop{Status: loop.Completed, LoopCount: 1}}, loop.Followup, loop.Running},
	} {
		_, s := present(t, tt.name)
		next, action := loop.Decide(s, tt.event, tt.from(s).Add(second/2))
		if action.Kind != tt.kind || next.Status != tt.status {
			t.Errorf("%s: got %q and %s, want %q and %s", tt.what, action.Kind, next.Status, tt.kind, tt.status)
		}
	}
}

func lineClosed(s loop.State) time.Time     { return s.Injection.ClosedAt }
func lastEvent(s loop.State) time.Time      { return s.EventAt }
func verifyingSince(s loop.State) time.Time { return s.Verifying.Since }

// lostText is the follow-up that was lost before a second delivery took its place.
func lostText(t *testing.T) string {
	t.Helper()
	_, s := present(t, "waiting-lost-followup.json")
	return s.LastFollowup
}

func TestPresentJournalFolds(t *testing.T) {
	journal, err := os.ReadFile("testdata/present/running.journal")
	if err != nil {
		t.Fatal(err)
	}
	_, s := present(t, "running.json")
	rest, known := s.Journal.Rest(journal[s.Journal.Start():])
	turn := s.Fold(rest, &loop.Event{Kind: loop.EventStop, Generation: "g4"})
	if !known || turn.ToolCalls != 2 || len(turn.Texts) != 2 || len(turn.Errors) != 1 || !turn.Prompted || turn.Followed {
		t.Errorf("got %+v (known: %t), want what came after the last stop", turn, known)
	}
}
