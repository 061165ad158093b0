package keystroke

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// The patience of a clipboard.
const (
	fetchWait = 3 * time.Second       // for the editor to fetch the line
	fetchRest = 30 * time.Millisecond // without a request, after which the editor has all it wants
	wakeAfter = 20 * time.Millisecond // without a request, after which the editor is woken
)

var (
	errClipboardLost = errors.New("another program took the clipboard")
	errNotFetched    = errors.New("the editor did not ask for it")
)

// x11Clip owns the clipboard of a display, and answers nobody but the editor: a
// paste that strays into another window pastes nothing.
type x11Clip struct {
	x      *x11
	editor xproto.Window
	line   string
	old    x11Text
	lost   chan struct{} // closed when the clipboard is another's

	mu     sync.Mutex
	public bool // the old text is given to all
	took   xproto.Timestamp
	asked  time.Time // when the editor asked last, or was woken
	given  time.Time // when the editor got the line last
}

func (x *x11) put(ctx context.Context, w window, line string) (clip, error) {
	c := &x11Clip{x: x, editor: w.xid(), line: line, lost: make(chan struct{})}
	err := x.ask(ctx, func() (err error) {
		c.old, err = x.keep()
		return err
	})
	if err != nil {
		return nil, err
	}
	x.watched()
	x.guard.keep(c.editor, x.self, c.old.text)
	events, stop := x.events()
	go func() {
		defer stop()
		c.serve(events)
	}()
	err = x.ask(ctx, func() error {
		took, err := x.own(x.self)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.took = took
		return err
	})
	if err != nil {
		stop()
		return nil, err
	}
	x.clip = c
	return c, nil
}

// own makes a window, or none, the owner of the clipboard.
func (x *x11) own(w xproto.Window) (xproto.Timestamp, error) {
	now, err := x.now()
	if err != nil {
		return 0, err
	}
	xproto.SetSelectionOwner(x.conn, w, x.atoms["CLIPBOARD"], now)
	owner, err := x.owner()
	if err == nil && owner != w {
		err = errClipboardLost
	}
	return now, err
}

func (x *x11) owner() (xproto.Window, error) {
	reply, err := xproto.GetSelectionOwner(x.conn, x.atoms["CLIPBOARD"]).Reply()
	if err != nil {
		return 0, err
	}
	return reply.Owner, nil
}

// serve answers until the clipboard is another's, or the connection has ended.
func (c *x11Clip) serve(events <-chan xgb.Event) {
	for {
		select {
		case event := <-events:
			switch e := event.(type) {
			case xproto.SelectionRequestEvent:
				c.answer(e)
			case xproto.SelectionClearEvent:
				if e.Selection == c.x.atoms["CLIPBOARD"] {
					close(c.lost)
					return
				}
			}
		case <-c.x.loop:
			return
		}
	}
}

// answer gives the editor the line, or everybody the old text once that is back.
func (c *x11Clip) answer(e xproto.SelectionRequestEvent) {
	c.mu.Lock()
	defer c.mu.Unlock()
	text, ok := c.line, c.x.sameClient(e.Requestor, c.editor)
	if c.public {
		text, ok = c.old.text, true
	}
	if !ok {
		c.x.refuse(e)
		return
	}
	c.asked = time.Now()
	if c.x.give(e, text, c.took) {
		c.given = c.asked
	}
}

// give answers one request with a text, and tells whether that was the text
// itself and not a word about it.
func (x *x11) give(e xproto.SelectionRequestEvent, text string, took xproto.Timestamp) (isText bool) {
	property := e.Property
	if property == 0 { // an obsolete client; source: ICCCM, 2.2
		property = e.Target
	}
	put := func(kind xproto.Atom, format byte, data []byte) {
		size := len(data) * 8 / int(format)
		xproto.ChangeProperty(x.conn, xproto.PropModeReplace, e.Requestor, property, kind, format, uint32(size), data)
	}
	switch e.Target {
	case x.atoms["TARGETS"]:
		put(xproto.AtomAtom, 32, x.targets())
	case x.atoms["TIMESTAMP"]:
		put(xproto.AtomInteger, 32, put32(uint32(took)))
	case x.atoms["UTF8_STRING"], x.atoms["text/plain;charset=utf-8"]:
		x.write(e.Requestor, property, e.Target, text)
		isText = true
	case xproto.AtomString, x.atoms["TEXT"], x.atoms["text/plain"]:
		x.write(e.Requestor, property, xproto.AtomString, latin1(text))
		isText = true
	default:
		property = 0
	}
	x.notify(e, property)
	return isText
}

// targets are what a text can be had as.
func (x *x11) targets() (data []byte) {
	for _, name := range []string{"TARGETS", "TIMESTAMP", "UTF8_STRING", "text/plain;charset=utf-8", "STRING", "TEXT", "text/plain"} {
		data = append(data, put32(uint32(x.atoms[name]))...)
	}
	return data
}

func put32(n uint32) []byte {
	data := make([]byte, 4)
	xgb.Put32(data, n)
	return data
}

// latin1 is the other way of utf8Of.
func latin1(text string) string {
	var data []byte
	for _, r := range text {
		if r > 0xff {
			r = '?'
		}
		data = append(data, byte(r))
	}
	return string(data)
}

// write sets a property in pieces that every display takes.
func (x *x11) write(w xproto.Window, property, kind xproto.Atom, text string) {
	const piece = 1 << 16
	mode := byte(xproto.PropModeReplace)
	for first := true; first || text != ""; first = false {
		n := min(len(text), piece)
		xproto.ChangeProperty(x.conn, mode, w, property, kind, 8, uint32(n), []byte(text[:n]))
		text, mode = text[n:], xproto.PropModeAppend
	}
}

func (x *x11) refuse(e xproto.SelectionRequestEvent) { x.notify(e, 0) }

// notify says where the answer is, or by no property that there is none.
func (x *x11) notify(e xproto.SelectionRequestEvent, property xproto.Atom) {
	answer := xproto.SelectionNotifyEvent{
		Time: e.Time, Requestor: e.Requestor, Selection: e.Selection, Target: e.Target, Property: property,
	}
	xproto.SendEvent(x.conn, false, e.Requestor, 0, string(answer.Bytes()))
}

// fetched waits for the editor.
func (c *x11Clip) fetched(ctx context.Context) error {
	return c.wait(ctx, fetchWait, fetchRest)
}

// wait waits until the editor has the line and asked no more for a while. An
// editor that does not go on asking is woken: Chromium sometimes reads late.
func (c *x11Clip) wait(ctx context.Context, patience, rest time.Duration) error {
	end := time.Now().Add(patience)
	for {
		select {
		case <-c.lost:
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
		if err := sleep(ctx, 2*time.Millisecond); err != nil {
			return err
		}
	}
}

func (c *x11Clip) progress() (given time.Time, silent time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.given, time.Since(c.asked)
}

// wake sends the editor a message that means nothing to it.
func (c *x11Clip) wake() {
	c.mu.Lock()
	c.asked = time.Now()
	c.mu.Unlock()
	message := xproto.ClientMessageEvent{
		Format: 32, Window: c.editor, Type: c.x.atoms["CURSOR_RALPH"],
		Data: xproto.ClientMessageDataUnionData32New(make([]uint32, 5)),
	}
	xproto.SendEvent(c.x.conn, false, c.editor, 0, string(message.Bytes()))
}

// restore gives the old text back.
func (c *x11Clip) restore(ctx context.Context) (lost string, err error) {
	x := c.x
	// From now on keys may be pressed without it, and under a new guard.
	defer func() { x.clip, x.guarded = nil, false }()
	select {
	case <-c.lost:
		return "another program has put something there meanwhile, which was left there", nil
	default:
	}
	switch {
	case c.old.text == "":
		return c.old.lost, x.ask(ctx, x.disown)
	case x.guard.serve():
		select {
		case <-c.lost:
			return c.old.lost, nil
		case <-time.After(x11Wait):
		}
	}
	c.mu.Lock()
	c.public = true
	c.mu.Unlock()
	x.stays = c
	return join(c.old.lost, "its text is back, but only as long as this process lives"), nil
}

// disown leaves the clipboard to nobody, as it was.
func (x *x11) disown() error {
	owner, err := x.owner()
	if err != nil || owner != x.self {
		return err
	}
	_, err = x.own(xproto.WindowNone)
	return err
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}
