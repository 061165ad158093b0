package watcher_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cursor-ralph/cursor-ralph/internal/watcher"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

func start() time.Time { return time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC) }

func open(id string, after time.Duration) watcher.Loop {
	return watcher.Loop{ID: "c1", Running: true, Followup: id, DueAt: start().Add(after), Wait: 20 * time.Second}
}

func stalls(after time.Duration) watcher.Loop {
	return watcher.Loop{ID: "c2", Running: true, StallsAt: start().Add(after), StallAfter: 30 * time.Minute}
}

func TestWhatIsDueAndWhenToLookAgain(t *testing.T) {
	for _, tt := range []struct {
		name  string
		loops []watcher.Loop
		due   []loop.EventKind
		next  time.Duration
	}{
		{"nothing", nil, nil, watcher.Poll},
		{"a loop without a wait", []watcher.Loop{{ID: "c1", Running: true}}, nil, watcher.Poll},
		{"a follow-up that is overdue", []watcher.Loop{open("f", 0)}, []loop.EventKind{loop.EventFollowupLost}, watcher.Poll},
		{"one that is due soon", []watcher.Loop{open("f", time.Second)}, nil, time.Second},
		{"one that is due later", []watcher.Loop{open("f", time.Minute)}, nil, watcher.Poll},
		{"a stalled loop", []watcher.Loop{stalls(-time.Second)}, []loop.EventKind{loop.EventStalled}, watcher.Poll},
		{"the next of two", []watcher.Loop{open("f", 3*time.Second), stalls(2 * time.Second)}, nil, 2 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			due, next := new(watcher.Schedule).Due(tt.loops, start(), 0)
			if diff := cmp.Diff(tt.due, kinds(due)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if got := next.Sub(start()); got != tt.next {
				t.Errorf("got the next look in %s, want %s", got, tt.next)
			}
		})
	}
}

func kinds(due []watcher.Duty) (list []loop.EventKind) {
	for _, d := range due {
		list = append(list, d.Kind)
	}
	return list
}

func TestAFollowupIsDueOnce(t *testing.T) {
	var s watcher.Schedule
	for i, want := range []int{1, 0, 1, 0} {
		id := []string{"f1", "f1", "f2", "f2"}[i]
		since := time.Duration(i) * time.Second
		if due, _ := s.Due([]watcher.Loop{open(id, 0)}, start().Add(since), since); len(due) != want {
			t.Errorf("look %d: got %d duties want %d", i+1, len(due), want)
		}
	}
}

func TestASuspendIsNoSilence(t *testing.T) {
	var s watcher.Schedule
	l, woke := open("f", 10*time.Second), start().Add(8*time.Hour)
	for _, look := range []struct {
		now   time.Time
		awake time.Duration
		want  int
	}{
		{start(), 0, 0},
		{woke, 5 * time.Second, 0},
		{woke.Add(19 * time.Second), 24 * time.Second, 0},
		{woke.Add(20 * time.Second), 25 * time.Second, 1},
	} {
		if due, _ := s.Due([]watcher.Loop{l}, look.now, look.awake); len(due) != look.want {
			t.Errorf("after %s: got %d duties want %d", look.now.Sub(start()), len(due), look.want)
		}
	}
}

// TestALongSleepIsASuspend: also where the monotonic clock goes on meanwhile.
func TestALongSleepIsASuspend(t *testing.T) {
	var s watcher.Schedule
	l := []watcher.Loop{open("f", 10*time.Second)}
	for _, look := range []struct {
		after time.Duration
		want  int
	}{{0, 0}, {8 * time.Hour, 0}, {8*time.Hour + 19*time.Second, 0}, {8*time.Hour + 20*time.Second, 1}} {
		if due, _ := s.Due(l, start().Add(look.after), look.after); len(due) != look.want {
			t.Errorf("after %s: got %d duties want %d", look.after, len(due), look.want)
		}
	}
}

// TestAStaleLoopIsNotWatched: else a chat that was given up would keep the
// watcher for ever.
func TestAStaleLoopIsNotWatched(t *testing.T) {
	l := loop.New()
	l.Status, l.EventAt = loop.Running, start()
	loops := []watcher.Loop{watcher.Of("c1", l, 0)}
	for after, want := range map[time.Duration]bool{time.Hour: true, 24*time.Hour + time.Minute: false} {
		if got := watcher.AnyRuns(loops, start().Add(after)); got != want {
			t.Errorf("after %s: got %t want %t", after, got, want)
		}
	}
}

func TestWhatIsKeptOfALoop(t *testing.T) {
	l := loop.New()
	l.Status, l.EventAt = loop.Running, start()
	l.Shown = true
	l.Delivery = loop.Delivery{ID: "f", Way: loop.WayFollowup, OpenedAt: start(), DueAt: start().Add(20 * time.Second)}
	stale := start().Add(24 * time.Hour)
	want := watcher.Loop{ID: "c1", Running: true, StaleAt: stale, Followup: "f", DueAt: start().Add(20 * time.Second), Wait: 20 * time.Second,
		StallsAt: start().Add(time.Hour), StallAfter: time.Hour}
	if diff := cmp.Diff(want, watcher.Of("c1", l, time.Hour)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	l.StalledAt = l.EventAt
	want.StallsAt, want.StallAfter = time.Time{}, 0
	if diff := cmp.Diff(want, watcher.Of("c1", l, time.Hour)); diff != "" {
		t.Errorf("a stall that was reported: -want +got:\n%s", diff)
	}
	l.Status = loop.Paused
	if diff := cmp.Diff(watcher.Loop{ID: "c1", StaleAt: stale}, watcher.Of("c1", l, time.Hour)); diff != "" {
		t.Errorf("paused: -want +got:\n%s", diff)
	}
}
