package keystroke

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
)

// play is a desktop that writes down what happens.
type play struct {
	began    time.Time
	events   []string
	windows  []desk.Window
	board    desk.Content
	focusAt  time.Duration // from then on the window has the focus,
	lostAt   string        // until this key is about to be pressed
	stolenAt string        // this key goes to another window
	busyTo   time.Duration // until then the user presses keys; 0: the desktop does not report it
	wantedTo time.Duration // after that the line is not wanted any more
	copied   string        // by the user, at the submit key
	pressErr error         // after the key was sent
	arrives  time.Duration // after the submit key

	lost bool
}

func (p *play) did(what string) { p.events = append(p.events, what) }

func (p *play) desk() desk.Desk {
	d := desk.Desk{
		Windows: func(context.Context, []string) ([]desk.Window, error) { return p.windows, nil },
		Front: func(context.Context) (desk.Window, error) {
			switch {
			case p.lost:
				return desk.Window{ID: "other", PID: 9}, nil
			case time.Since(p.began) < p.focusAt:
				return desk.Window{}, desk.ErrNoFront
			}
			return desk.Window{ID: "1"}, nil
		},
		Raise: func(context.Context, desk.Window) error {
			p.did("raise")
			p.lost = false
			return nil
		},
		Boards: []desk.Board{{Name: "clipboard",
			Get: func(context.Context) (desk.Content, error) { return p.board, nil },
			Set: func(_ context.Context, text string) error {
				p.did("copy " + text)
				p.board = desk.Content{Text: text, Types: []string{"STRING"}}
				return nil
			},
		}},
		Press: func(_ context.Context, _ desk.Window, k desk.Key, ready func() error) error {
			if string(k) == p.lostAt {
				p.lost = true
			}
			if err := ready(); err != nil {
				return err
			}
			p.did(string(k))
			p.lost = p.lost || string(k) == p.stolenAt
			if k == desk.Return && p.copied != "" {
				p.board.Text = p.copied
			}
			return p.pressErr
		},
	}
	if p.busyTo != 0 {
		d.Idle = func(context.Context) (time.Duration, error) { return max(0, time.Since(p.began)-p.busyTo), nil }
	}
	return d
}

func (p *play) permit(context.Context) error {
	if p.wantedTo > 0 && time.Since(p.began) >= p.wantedTo {
		return errors.New("not wanted any more")
	}
	return nil
}

func (p *play) arrived(ctx context.Context) error {
	err := proc.Sleep(ctx, p.arrives)
	if err == nil {
		p.did("arrived")
	}
	return err
}

func window(id, title, exe string) desk.Window {
	return desk.Window{ID: id, Title: title, Class: "Cursor", Programs: []string{"/opt/" + exe}}
}

// TestDeliver has the rules: the right window before each key, never against the user, exact or nothing, the clipboard
// as it was.
func TestDeliver(t *testing.T) {
	t.Parallel()
	usual := []string{"copy /x", "paste", "return", "copy old", "arrived"}
	text := desk.Content{Text: "old", Types: []string{"TARGETS", "UTF8_STRING"}}
	for name, tt := range map[string]struct {
		play play
		want []string
		sent bool   // the error is one after a key
		says string // the error
	}{
		"as it should be":                       {play: play{}, want: usual},
		"an empty clipboard":                    {play: play{board: desk.Content{}, copied: ""}, want: []string{"copy /x", "paste", "return", "copy ", "arrived"}},
		"formatted text":                        {play: play{board: desk.Content{Text: "old", Types: []string{"text/html", "text/plain;charset=utf-8"}}}, want: usual},
		"an image on the clipboard":             {play: play{board: desk.Content{Types: []string{"TARGETS", "image/png"}}}, says: "something else than text"},
		"files on the clipboard":                {play: play{board: desk.Content{Text: "/a", Types: []string{"text/uri-list", "text/plain"}}}, says: "it holds files"},
		"files on Windows's clipboard":          {play: play{board: desk.Content{Text: "a", Types: []string{"FileDrop", "UnicodeText"}}}, says: "it holds files"},
		"a password on the clipboard":           {play: play{board: desk.Content{Text: "a", Types: []string{"text/plain", "x-kde-passwordManagerHint"}}}, says: "a password"},
		"the user copies something meanwhile":   {play: play{copied: "new"}, want: []string{"copy /x", "paste", "return", "arrived"}},
		"another window is in front":            {play: play{focusAt: 2 * time.Second}, want: append([]string{"raise"}, usual...)},
		"another window stays in front":         {play: play{focusAt: time.Hour}, want: []string{"raise"}, says: "did not come to the front"},
		"the focus is lost right before paste":  {play: play{lostAt: "paste"}, want: []string{"copy /x", "copy old"}, says: "lost the focus"},
		"the focus is lost right before Return": {play: play{lostAt: "return"}, want: []string{"copy /x", "paste", "copy old"}, sent: true, says: "lost the focus"},
		"the paste went elsewhere":              {play: play{stolenAt: "paste"}, want: []string{"copy /x", "paste", "copy old"}, sent: true, says: "another window may have got the paste"},
		"not wanted from the beginning":         {play: play{wantedTo: 1}, says: "not wanted"},
		"not wanted while it comes to the front": {play: play{focusAt: 2 * time.Second, wantedTo: time.Second},
			want: []string{"raise", "copy /x", "copy old"}, says: "not wanted"},
		"not wanted after the paste":       {play: play{wantedTo: 100 * time.Millisecond}, want: []string{"copy /x", "paste", "copy old"}, sent: true, says: "not wanted"},
		"a key may have been pressed":      {play: play{pressErr: errors.New("it hung")}, want: []string{"copy /x", "paste", "copy old"}, sent: true, says: "it hung"},
		"the desk itself saw the focus go": {play: play{pressErr: desk.ErrLostFocus}, want: []string{"copy /x", "paste", "copy old"}, says: "lost the focus"},
		"no window":                        {play: play{windows: []desk.Window{}}, says: "no window of Cursor"},
		"a window of that title alone":     {play: play{windows: []desk.Window{window("1", "repo - Cursor", "sh")}}, says: "no window of Cursor"},
		"a window of another class":        {play: play{windows: []desk.Window{{ID: "1", Class: "XTerm", Programs: []string{"/opt/cursor"}}}}, says: "no window of Cursor"},
		"the workspace's window of two":    {play: play{windows: []desk.Window{window("2", "other - Cursor", "cursor"), window("1", "a.go - repo - Cursor", "cursor")}}, want: usual},
		"two windows of the workspace":     {play: play{windows: []desk.Window{window("2", "repo - Cursor", "cursor"), window("1", "repo - Cursor", "cursor")}}, says: "not clear which"},
		"it never arrives":                 {play: play{arrives: time.Hour}, want: usual[:4], sent: true, says: "nothing shows that the line arrived"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &tt.play
				p.began = time.Now()
				if p.windows == nil {
					p.windows = []desk.Window{window("1", "repo - Cursor", "cursor")}
				}
				if p.board.Types == nil && name != "an empty clipboard" {
					p.board = text
				}
				time.Sleep(time.Nanosecond) // of the test's own clock
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				err := deliver(ctx, Target{Line: "/x", Workspace: "/home/me/repo", Editors: []string{"cursor"}, Permit: p.permit, Arrived: p.arrived}, p.desk())
				if !slices.Equal(p.events, tt.want) {
					t.Errorf("got %q, want %q", p.events, tt.want)
				}
				if errors.As(err, new(*SentError)) != tt.sent || (err != nil) != (tt.says != "") || err != nil && !strings.Contains(err.Error(), tt.says) {
					t.Errorf("got %v, want an error with %q, after a key: %v", err, tt.says, tt.sent)
				}
			})
		})
	}
}

// The user finishes first. Whoever goes on for ten seconds is left alone, by every way.
func TestNeverAgainstTheUser(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name        string
		busyTo      time.Duration
		least, most time.Duration
		busy        bool
	}{
		{"unknown", 0, 0, time.Second, false},
		{"the user typed long ago", -time.Hour, 0, time.Second, false},
		{"the user types for three seconds", 3 * time.Second, 3 * time.Second, 6 * time.Second, false},
		{"the user keeps typing", time.Hour, 10 * time.Second, 12 * time.Second, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &play{began: time.Now(), busyTo: tt.busyTo, windows: []desk.Window{window("1", "repo - Cursor", "cursor")}}
				open := func(context.Context, desk.Machine) (desk.Desk, error) { return p.desk(), nil }
				o := Type(t.Context(), []Injector{typist{name: "first", open: open}, typist{name: "second", open: open}}, Target{Line: "/x", Editors: []string{"cursor"}})
				if took := time.Since(p.began); took < tt.least || took > tt.most {
					t.Errorf("it took %s, want %s to %s", took, tt.least, tt.most)
				}
				if errors.Is(o.Err(), ErrBusy) != tt.busy || len(o.Tries) != 1 || o.Sent == tt.busy || tt.busy && p.events != nil {
					t.Errorf("got %+v and did %q", o, p.events)
				}
			})
		})
	}
}

// Another way is tried only if the one before sent no key.
func TestAnotherWayOnlyWithoutAKey(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		first play
		want  string
	}{
		"none was sent": {play{board: desk.Content{Types: []string{"image/png"}}}, "second"},
		"one was sent":  {play{lostAt: "return"}, "first"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var ways []Injector
				for name, p := range map[string]*play{"first": &tt.first, "second": {}} {
					p.began, p.windows = time.Now(), []desk.Window{window("1", "repo - Cursor", "cursor")}
					ways = append(ways, typist{name: name, open: func(context.Context, desk.Machine) (desk.Desk, error) { return p.desk(), nil }})
				}
				slices.SortFunc(ways, func(a, b Injector) int { return strings.Compare(a.Name(), b.Name()) })
				if o := Type(t.Context(), ways, Target{Line: "/x", Editors: []string{"cursor"}}); o.Method() != tt.want {
					t.Errorf("got %q of %+v, want %q", o.Method(), o.Tries, tt.want)
				}
			})
		})
	}
}
