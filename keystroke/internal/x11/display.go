// Package x11 types on an X11 display: by itself with the XTEST extension, or by
// a program. It keeps display, focus, clipboard and keyboard in one connection.
package x11

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
)

// The patience with a display: it is dead or hung after that.
const answerWait = 2 * time.Second

// Display is a connection to an X11 display, and the desk there.
type Display struct {
	conn    *xgb.Conn
	wire    *corked
	display string
	root    xproto.Window
	mask    uint32 // of resource ids: the bits that are not the client's
	atoms   map[string]xproto.Atom
	self    xproto.Window // never shown: owner of selections, and our clock
	trip    time.Duration // that the display takes for an answer
	machine desk.Machine
	guard   *guard     // nil: none
	guarded bool       // the guard was started, or could not be
	clip    *clipboard // the last one that was put
	stays   *clipboard // the clipboard that serves the old text, after all else is done; nil: none

	loop      chan struct{} // closed when no more events come
	mu        sync.Mutex
	listeners map[chan xgb.Event]bool
}

// Open connects to the machine's display.
func Open(ctx context.Context, m desk.Machine) (*Display, error) {
	ctx, cancel := context.WithTimeout(ctx, answerWait)
	defer cancel()
	wire, address, cookie, err := dial(ctx, m)
	if err != nil {
		return nil, err
	}
	x := &Display{machine: m, wire: wire, display: m.Getenv("DISPLAY"), loop: make(chan struct{}), listeners: map[chan xgb.Event]bool{}}
	hung := time.AfterFunc(answerWait, func() { _ = wire.Close() }) // which ends what waits for it
	defer hung.Stop()
	// xgb prints what we return as errors.
	xgb.Logger.SetOutput(io.Discard)
	if x.conn, err = xgb.NewConnNetWithCookieHex(wire, cookie); err == nil {
		go x.listen()
		err = x.begin(address.screen)
		if err != nil {
			x.Close()
		}
	} else {
		_ = wire.Close() // unused
	}
	if err != nil {
		switch {
		case !hung.Stop():
			err = errors.New("no answer")
		case strings.Contains(err.Error(), "authentication refused"):
			err = fmt.Errorf("%w; XAUTHORITY or HOME/.Xauthority has to have its cookie", err)
		}
		return nil, fmt.Errorf("display %s: %w", x.display, err)
	}
	return x, nil
}

func (x *Display) begin(screen int) error {
	setup := xproto.Setup(x.conn)
	if screen >= len(setup.Roots) {
		return fmt.Errorf("it has no screen %d", screen)
	}
	x.root, x.mask = setup.Roots[screen].Root, setup.ResourceIdMask
	if err := x.intern(); err != nil {
		return err
	}
	id, err := xproto.NewWindowId(x.conn)
	if err != nil {
		return err
	}
	x.self = id
	began := time.Now()
	defer func() { x.trip = time.Since(began) }()
	return xproto.CreateWindowChecked(x.conn, 0, id, x.root, -10, -10, 1, 1, 0, xproto.WindowClassInputOnly, 0,
		xproto.CwEventMask, []uint32{xproto.EventMaskPropertyChange}).Check()
}

var atomNames = []string{
	"_NET_SUPPORTING_WM_CHECK", "_NET_CLIENT_LIST", "_NET_ACTIVE_WINDOW", "_NET_WM_PID", "_NET_WM_NAME",
	"_NET_WM_WINDOW_TYPE", "_NET_WM_WINDOW_TYPE_NORMAL", "WM_PROTOCOLS", "_NET_WM_PING",
	"CLIPBOARD", "TARGETS", "TIMESTAMP", "MULTIPLE", "INCR", "UTF8_STRING", "TEXT", "text/plain;charset=utf-8", "text/plain",
	"text/html", "image/png", "text/uri-list", "SAVE_TARGETS", "chromium/x-web-custom-data", "CURSOR_RALPH",
}

func (x *Display) intern() error {
	cookies := make([]xproto.InternAtomCookie, len(atomNames))
	for i, name := range atomNames {
		cookies[i] = xproto.InternAtom(x.conn, false, uint16(len(name)), name)
	}
	x.atoms = map[string]xproto.Atom{"STRING": xproto.AtomString}
	for i, name := range atomNames {
		reply, err := cookies[i].Reply()
		if err != nil {
			return err
		}
		x.atoms[name] = reply.Atom
	}
	return nil
}

// Close ends the connection, and waits until it has ended. Only a clipboard
// that nobody else keeps goes on being served, until another takes it.
func (x *Display) Close() {
	if c := x.stays; c != nil {
		x.stays = nil
		go func() {
			select {
			case <-c.served:
				x.Close()
			case <-x.loop:
			}
		}()
		return
	}
	hung := time.AfterFunc(answerWait, func() { _ = x.wire.Close() }) // which ends what waits for it
	defer hung.Stop()
	x.conn.Close()
	<-x.loop
	x.guard.leave()
}

func (x *Display) watched() {
	if !x.guarded {
		x.guarded, x.guard = true, startGuard(x.machine)
	}
}

// ask runs questions that wait for the display's answers, and closes the connection
// if the answers do not come. A delivery's context does not interrupt them: the
// clipboard has to be restored afterwards.
func (x *Display) ask(ctx context.Context, questions func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	hung := time.AfterFunc(answerWait, func() { _ = x.wire.Close() }) // which ends what waits for it
	err := questions()
	if !hung.Stop() || errors.Is(err, io.EOF) {
		return fmt.Errorf("display %s: no answer", x.display)
	}
	return err
}

// isAnswer reports whether an error is the display's answer, for example about a
// window that is gone, rather than an error of the connection.
func isAnswer(err error) bool {
	var answer xgb.Error
	return errors.As(err, &answer)
}

func (x *Display) listen() {
	defer close(x.loop)
	for {
		event, err := x.conn.WaitForEvent()
		if event == nil && err == nil {
			return
		}
		if event == nil {
			continue // an error of a request whose answer nobody waits for
		}
		x.mu.Lock()
		for events := range x.listeners {
			select {
			case events <- event:
			default: // it does not read
			}
		}
		x.mu.Unlock()
	}
}

func (x *Display) events() (events chan xgb.Event, stop func()) {
	events = make(chan xgb.Event, 1000)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.listeners[events] = true
	return events, func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		delete(x.listeners, events)
	}
}

// await waits for an event, also until the connection has ended.
func (x *Display) await(ctx context.Context, events <-chan xgb.Event, is func(xgb.Event) bool) error {
	for {
		select {
		case event := <-events:
			if is(event) {
				return nil
			}
		case <-ctx.Done():
			return ctx.Err()
		case <-x.loop:
			return io.EOF
		}
	}
}

// now returns the time of the display: that of an empty change to our own window. Source: ICCCM, 2.1.
func (x *Display) now() (xproto.Timestamp, error) {
	events, stop := x.events()
	defer stop()
	xproto.ChangeProperty(x.conn, xproto.PropModeAppend, x.self, x.atoms["CURSOR_RALPH"], xproto.AtomString, 8, 0, nil)
	ctx, cancel := context.WithTimeout(context.Background(), answerWait)
	defer cancel()
	var now xproto.Timestamp
	err := x.await(ctx, events, func(event xgb.Event) bool {
		e, ok := event.(xproto.PropertyNotifyEvent)
		if ok && e.Window == x.self && e.Atom == x.atoms["CURSOR_RALPH"] {
			now = e.Time
		}
		return now != 0
	})
	return now, err
}

// property returns the first bytes of a window's property; nil if the window or
// the property does not exist.
func (x *Display) property(w xproto.Window, name xproto.Atom) ([]byte, error) {
	reply, err := xproto.GetProperty(x.conn, false, w, name, xproto.GetPropertyTypeAny, 0, 16384).Reply()
	switch {
	case isAnswer(err):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return reply.Value, nil
}

func (x *Display) numbers(w xproto.Window, name string) ([]uint32, error) {
	data, err := x.property(w, x.atoms[name])
	var list []uint32
	for ; len(data) >= 4; data = data[4:] {
		list = append(list, xgb.Get32(data))
	}
	return list, err
}

func (x *Display) number(w xproto.Window, name string) (uint32, error) {
	list, err := x.numbers(w, name)
	if len(list) == 0 {
		return 0, err
	}
	return list[0], err
}

// sameClient reports whether two resources belong to one client: the server gives
// each client its own high bits.
func (x *Display) sameClient(a, b xproto.Window) bool {
	return uint32(a)&^x.mask == uint32(b)&^x.mask
}
