package keystroke

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
	"github.com/cursor-ralph/cursor-ralph/test/testdesk"
)

// play is a desktop, a clipboard and a keyboard that write down what happens.
type play struct {
	began    time.Time
	events   []string
	focusAt  time.Duration    // before that another window has the focus
	away     [2]time.Duration // from and to
	busyTo   time.Duration    // until then the user presses keys; 0: the desktop does not report it
	wantedTo time.Duration    // after that the line is not wanted any more
	arrives  time.Duration
	pressErr error
}

func (p *play) did(what string) { p.events = append(p.events, what) }

func (p *play) Windows(context.Context, desk.Editors) ([]desk.Window, error) {
	return []desk.Window{{ID: "1"}}, nil
}
func (p *play) Front(context.Context) (desk.Window, error) { return desk.Window{}, desk.ErrNoFront }
func (p *play) Focused(context.Context, desk.Window) (bool, error) {
	now := time.Since(p.began)
	return now >= p.focusAt && (now < p.away[0] || now >= p.away[1]), nil
}
func (p *play) Activate(context.Context, desk.Window) error { p.did("activate"); return nil }
func (p *play) idleNow() (time.Duration, error) {
	if p.busyTo == 0 {
		return 0, desk.ErrUnknown
	}
	return max(0, time.Since(p.began)-p.busyTo), nil
}
func (p *play) Idle(context.Context) (time.Duration, error) { return p.idleNow() }
func (p *play) Put(context.Context, desk.Window, string) (desk.Clip, error) {
	p.did("put")
	return p, nil
}
func (p *play) Fetched(ctx context.Context) error {
	p.did("fetched")
	return proc.Sleep(ctx, 100*time.Millisecond)
}
func (p *play) Restore(context.Context) (string, error) { p.did("restore"); return "", nil }
func (p *play) Press(_ context.Context, _ desk.Window, c Chord) error {
	p.did(c.String())
	return p.pressErr
}
func (p *play) permit(context.Context) error {
	if p.wantedTo > 0 && time.Since(p.began) >= p.wantedTo {
		return errors.New("not wanted any more")
	}
	return nil
}

func (p *play) arrived(ctx context.Context) error {
	err := proc.Sleep(ctx, p.arrives-time.Since(p.began))
	if err == nil {
		p.did("arrived")
	}
	return err
}

func TestDeliver(t *testing.T) {
	const late = 20 * time.Second
	for _, tt := range []struct {
		name  string
		play  play
		focus Chord
		test  bool
		want  []string
		sent  bool // the error is one after a key
		fails bool
	}{
		{"as it should be", play{arrives: late}, Chord{}, false, []string{"put", "shift+insert", "fetched", "return", "restore", "arrived"}, false, false},
		{"with focus keys, Return is pressed twice", play{arrives: late}, Chord{Ctrl: true, Key: "i"}, false,
			[]string{"ctrl+i", "put", "shift+insert", "fetched", "return", "restore", "return", "arrived"}, false, false},
		{"with focus keys, once if it arrives", play{arrives: time.Second}, Chord{Ctrl: true, Key: "i"}, false,
			[]string{"ctrl+i", "put", "shift+insert", "fetched", "return", "restore", "arrived"}, false, false},
		{"a desk that knows no window in front cannot be tested", play{}, Chord{}, true, nil, false, true},
		{"another window is in front for a while", play{focusAt: 2 * time.Second, arrives: late}, Chord{}, false,
			[]string{"activate", "put", "shift+insert", "fetched", "return", "restore", "arrived"}, false, false},
		{"another window stays in front", play{focusAt: time.Hour}, Chord{}, false, []string{"activate"}, false, true},
		{"not wanted while another window is in front", play{focusAt: 2 * time.Second, wantedTo: time.Second}, Chord{}, false, []string{"activate", "put", "restore"}, false, true},
		{"not wanted while the focus is away before Return", play{away: [2]time.Duration{100 * time.Millisecond, 600 * time.Millisecond}, wantedTo: 300 * time.Millisecond}, Chord{}, false,
			[]string{"put", "shift+insert", "fetched", "restore"}, true, true},
		{"the focus is away for a moment before Return", play{away: [2]time.Duration{100 * time.Millisecond, 600 * time.Millisecond}, arrives: late}, Chord{}, false,
			[]string{"put", "shift+insert", "fetched", "return", "restore", "arrived"}, false, false},
		{"not wanted from the beginning", play{wantedTo: 1}, Chord{}, false, nil, false, true},
		{"no key could be pressed", play{pressErr: desk.NotPressed(errors.New("no"))}, Chord{}, false, []string{"put", "shift+insert", "restore"}, false, true},
		{"a key may have been pressed", play{pressErr: errors.New("no")}, Chord{}, false, []string{"put", "shift+insert", "restore"}, true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &tt.play
				p.began = time.Now()
				time.Sleep(time.Nanosecond) // of the test's own clock
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				err := deliver(ctx, Target{Line: "/x", FocusKeys: tt.focus, Test: tt.test, Permit: p.permit, Arrived: p.arrived}, p, p)
				if got := slices.Compact(p.events); !slices.Equal(got, tt.want) {
					t.Errorf("got %q, want %q", got, tt.want)
				}
				var sent *SentError
				if errors.As(err, &sent) != tt.sent || (err != nil) != tt.fails {
					t.Errorf("got %v, want an error: %v, after a key: %v", err, tt.fails, tt.sent)
				}
			})
		})
	}
}

// The user finishes first, but cannot hold the line off forever.
func TestTheUserFinishesFirst(t *testing.T) {
	for _, tt := range []struct {
		name        string
		busyTo      time.Duration
		least, most time.Duration
	}{
		{"unknown", 0, 0, time.Second},
		{"the user typed long ago", -time.Hour, 0, time.Second},
		{"the user types for three seconds", 3 * time.Second, 3 * time.Second, 6 * time.Second},
		{"the user keeps typing", time.Hour, 9 * time.Second, 12 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &play{began: time.Now(), busyTo: tt.busyTo}
				testdesk.Must(t, deliver(t.Context(), Target{Line: "/x"}, p, p))
				if took := time.Since(p.began); took < tt.least || took > tt.most {
					t.Errorf("it took %s, want %s to %s", took, tt.least, tt.most)
				}
			})
		})
	}
}
