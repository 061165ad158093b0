package x11

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"

	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
)

// The patience of a clipboard.
const (
	fetchWait = 3 * time.Second       // for the editor to fetch the line
	fetchRest = 30 * time.Millisecond // without a request, after which the editor has all it wants
	wakeAfter = 20 * time.Millisecond // without a request, after which the editor is woken
)

var (
	errClipboardLost = errors.New("another program took the clipboard")
	errPrimaryLost   = errors.New("another program took what is selected")
	errNotFetched    = errors.New("the editor did not ask for it")
	errTerminal      = errors.New("a terminal of the editor seems to have the focus and not the chat input, for the editor asked for what is selected; --focus-keys brings the focus into the chat input")
)

// clipboard owns the clipboard of a display and answers only the editor: a paste in
// another window pastes nothing. It also owns the primary selection and refuses it
// to every program: Shift+Insert pastes it in a terminal, and the user's text must
// not get into a shell. Source: VS Code's
// terminal.clipboard.contribution.ts, pasteSelection on Linux.
type clipboard struct {
	x                  *Display
	editor             xproto.Window
	line               string
	clipboard, primary *selection
	terminal           chan struct{} // closed when the editor asked for what is selected
	hasTerminal        func()        // closes it
	served             chan struct{} // closed when other programs own everything

	mu     sync.Mutex
	public bool      // every program gets the old texts
	asked  time.Time // when the editor last asked, or was woken
	given  time.Time // when the editor last got the line
}

type selection struct {
	name xproto.Atom
	old  keptText
	lost chan struct{} // closed when another program owns it
	took xproto.Timestamp
}

func (s *selection) isLost() bool { return isClosed(s.lost) }

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func (c *clipboard) selections() []*selection { return []*selection{c.clipboard, c.primary} }

// Put takes the clipboard and the selection, and keeps their texts.
func (x *Display) Put(ctx context.Context, w desk.Window, line string) (desk.Clip, error) {
	c := &clipboard{x: x, editor: xid(w), line: line, terminal: make(chan struct{}), served: make(chan struct{}),
		clipboard: &selection{name: x.atoms["CLIPBOARD"], lost: make(chan struct{})},
		primary:   &selection{name: xproto.AtomPrimary, lost: make(chan struct{})}}
	c.hasTerminal = sync.OnceFunc(func() { close(c.terminal) })
	x.watched() // first: it may take seconds, in which the user may copy something else
	for _, s := range c.selections() {
		err := x.ask(ctx, func() (err error) {
			s.old, err = x.keep(s.name)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	x.guard.keep(c.editor, x.self, c.clipboard.old.text, c.primary.old.text)
	events, stop := x.events()
	go func() {
		defer stop()
		c.serve(events)
	}()
	if err := c.take(ctx); err != nil {
		lost, err2 := c.Restore(context.WithoutCancel(ctx))
		if lost != "" {
			err = fmt.Errorf("%w; %s", err, lost)
		}
		return nil, errors.Join(err, err2)
	}
	x.clip = c
	return c, nil
}

// take makes us the owner. What is selected comes first: without it the line
// would be of no use.
func (c *clipboard) take(ctx context.Context) error {
	for _, s := range []*selection{c.primary, c.clipboard} {
		err := c.x.ask(ctx, func() error {
			took, err := c.x.own(c.x.self, s.name)
			c.mu.Lock()
			defer c.mu.Unlock()
			s.took = took
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *clipboard) serve(events <-chan xgb.Event) {
	for {
		select {
		case event := <-events:
			switch e := event.(type) {
			case xproto.SelectionRequestEvent:
				c.answer(e)
			case xproto.SelectionClearEvent:
				if c.cleared(e.Selection) {
					return
				}
			}
		case <-c.x.loop:
			return
		}
	}
}

func (c *clipboard) cleared(selection xproto.Atom) bool {
	all := true
	for _, s := range c.selections() {
		if s.name == selection && !s.isLost() {
			close(s.lost)
		}
		all = all && s.isLost()
	}
	if all {
		close(c.served)
	}
	return all
}

// answer sends the line to the editor, or the old texts to everybody once those
// are back.
func (c *clipboard) answer(e xproto.SelectionRequestEvent) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.clipboard
	if e.Selection == c.primary.name {
		s = c.primary
	}
	editor := c.x.sameClient(e.Requestor, c.editor)
	switch {
	case c.public && s.old.text != "":
		c.x.give(e, s.old.text, s.took)
	case c.public || !editor:
		c.x.refuse(e)
	case s == c.primary:
		c.x.refuse(e)
		c.hasTerminal()
	default:
		c.asked = time.Now()
		if c.x.give(e, c.line, s.took) {
			c.given = c.asked
		}
	}
}

// Fetched waits for the editor to read the line.
func (c *clipboard) Fetched(ctx context.Context) error {
	return c.wait(ctx, fetchWait, fetchRest)
}

// wait waits until the editor has the line and asked no more for a while. An
// editor that does not go on asking is woken: Chromium sometimes reads late.
func (c *clipboard) wait(ctx context.Context, patience, rest time.Duration) error {
	end := time.Now().Add(patience)
	if rest > 0 {
		rest += 2 * c.x.trip // a request that was on its way
	}
	for {
		select {
		case <-c.terminal:
			return errTerminal
		case <-c.clipboard.lost:
			return errClipboardLost
		case <-c.x.loop:
			return fmt.Errorf("display %s: no answer", c.x.display)
		default:
		}
		given, silent := c.progress()
		switch {
		case !given.IsZero() && silent >= rest:
			return nil
		case time.Now().After(end):
			return fmt.Errorf("%w in %s", errNotFetched, patience)
		case given.IsZero() && silent >= wakeAfter:
			c.wake()
		}
		if err := proc.Sleep(ctx, 2*time.Millisecond); err != nil {
			return err
		}
	}
}

func (c *clipboard) progress() (given time.Time, silent time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.given, time.Since(c.asked)
}

// wake sends the editor a message that it ignores.
func (c *clipboard) wake() {
	c.mu.Lock()
	c.asked = time.Now()
	c.mu.Unlock()
	message := xproto.ClientMessageEvent{
		Format: 32, Window: c.editor, Type: c.x.atoms["CURSOR_RALPH"],
		Data: xproto.ClientMessageDataUnionData32New(make([]uint32, 5)),
	}
	xproto.SendEvent(c.x.conn, false, c.editor, 0, string(message.Bytes()))
}

// Restore puts the old texts back.
func (c *clipboard) Restore(ctx context.Context) (lost string, err error) {
	x := c.x
	x.clip = nil // from now on keys may be pressed without it
	var words []string
	var back []*selection // whose text is restored
	for _, s := range c.selections() {
		what := s.old.lost
		switch {
		case s.isLost():
			what = "another program has put something there meanwhile, which was left there"
		case s.old.text == "":
			err = errors.Join(err, x.ask(ctx, func() error { return x.disown(s.name) }))
		default:
			back = append(back, s)
		}
		if what != "" && s == c.primary {
			what = "of what was selected: " + what
		}
		if what != "" {
			words = append(words, what)
		}
	}
	if len(back) > 0 && !c.handedOver(back) {
		c.mu.Lock()
		c.public = true
		c.mu.Unlock()
		x.stays = c
		words = append(words, "its text is back, but only as long as this process lives")
	}
	return strings.Join(words, "; "), err
}

func (c *clipboard) handedOver(back []*selection) bool {
	if !c.x.guard.serve() {
		return false
	}
	c.x.guarded = false // keys may be pressed under a new one
	late := time.After(answerWait)
	for _, s := range back {
		select {
		case <-s.lost:
		case <-late:
			return false
		}
	}
	return true
}
