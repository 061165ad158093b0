package testdesk

import (
	"context"
	"slices"
	"sync"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// Other is a window of another program. It records each key that it gets and,
// as a terminal does, asks for what is on the clipboard at Shift+Insert.
type Other struct {
	x      *X
	conn   *xgb.Conn
	window xproto.Window
	syms   *xproto.GetKeyboardMappingReply
	first  xproto.Keycode

	mu     sync.Mutex
	keys   []KeyEvent
	pasted []string
	asked  []string // selections that are still to be asked for
	synced int      // how many marks of Sync have come
	done   chan struct{}
}

// KeyEvent is one event of a key that another window got.
type KeyEvent struct {
	Code  byte
	Sym   uint32 // without modifiers, in the layout at the window's start
	State uint16
	Down  bool
}

// NewOther opens a window with a class, such as XTerm, a title, and the process
// that it says it belongs to.
func (x *X) NewOther(ctx context.Context, class, title string, pid int) (*Other, error) {
	conn, err := xgb.NewConnDisplay(x.display)
	if err != nil {
		return nil, err
	}
	o := &Other{x: x, conn: conn, done: make(chan struct{})}
	if err := o.open(class, title, pid); err != nil {
		conn.Close()
		return nil, err
	}
	go o.events()
	return o, until(ctx, "window of "+class, func() (bool, error) {
		a, err := xproto.GetWindowAttributes(conn, o.window).Reply()
		return err == nil && a.MapState == xproto.MapStateViewable, err
	})
}

func (o *Other) open(class, title string, pid int) error {
	setup := xproto.Setup(o.conn)
	screen := setup.DefaultScreen(o.conn)
	var err error
	if o.window, err = xproto.NewWindowId(o.conn); err != nil {
		return err
	}
	const events = xproto.EventMaskKeyPress | xproto.EventMaskKeyRelease
	if err := xproto.CreateWindowChecked(o.conn, screen.RootDepth, o.window, screen.Root, 900, 500, 300, 200, 0,
		xproto.WindowClassInputOutput, screen.RootVisual, xproto.CwBackPixel|xproto.CwEventMask,
		[]uint32{screen.WhitePixel, events}).Check(); err != nil {
		return err
	}
	for _, p := range []struct {
		name   string
		kind   xproto.Atom
		format byte
		data   []byte
	}{
		{"WM_CLASS", xproto.AtomString, 8, []byte(class + "\x00" + class + "\x00")},
		{"WM_NAME", xproto.AtomString, 8, []byte(title)},
		{"_NET_WM_PID", xproto.AtomCardinal, 32, word(uint32(pid))},
	} {
		atom, err := o.x.atom(p.name)
		if err != nil {
			return err
		}
		if err := xproto.ChangePropertyChecked(o.conn, xproto.PropModeReplace, o.window, atom, p.kind, p.format,
			uint32(len(p.data)/int(p.format/8)), p.data).Check(); err != nil {
			return err
		}
	}
	o.first = setup.MinKeycode
	if o.syms, err = xproto.GetKeyboardMapping(o.conn, o.first, byte(setup.MaxKeycode-o.first+1)).Reply(); err != nil {
		return err
	}
	return xproto.MapWindowChecked(o.conn, o.window).Check()
}

func word(n uint32) []byte {
	b := make([]byte, 4)
	xgb.Put32(b, n)
	return b
}

// Window is the window's id.
func (o *Other) Window() uint32 { return uint32(o.window) }

// Focus sets the input focus to the window without asking the window manager.
func (o *Other) Focus() error { return o.x.FocusWindow(o.Window()) }

// Activate brings the window to the front by the window manager.
func (o *Other) Activate(ctx context.Context) error { return o.x.Activate(ctx, o.Window()) }

// Keys returns the events of keys since the last Reset.
func (o *Other) Keys() []KeyEvent {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.keys)
}

// Pasted returns the texts that it got for a Shift+Insert.
func (o *Other) Pasted() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.pasted)
}

// Sync waits until the window has seen all that was sent to it before, and its
// pastes have been answered. The owner of a selection may take a while for that.
func (o *Other) Sync(ctx context.Context) error {
	o.mu.Lock()
	synced := o.synced
	o.mu.Unlock()
	mark := xproto.ClientMessageEvent{Format: 32, Window: o.window, Type: xproto.AtomNotice,
		Data: xproto.ClientMessageDataUnionData32New(make([]uint32, 5))}
	if err := xproto.SendEventChecked(o.conn, false, o.window, xproto.EventMaskNoEvent, string(mark.Bytes())).Check(); err != nil {
		return err
	}
	return until(ctx, "answer to a paste", func() (bool, error) {
		o.mu.Lock()
		defer o.mu.Unlock()
		return o.synced > synced && len(o.asked) == 0, nil
	})
}

// Reset forgets what was recorded.
func (o *Other) Reset() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.keys, o.pasted = nil, nil
}

// Close closes the window.
func (o *Other) Close() {
	o.conn.Close()
	<-o.done
}

func (o *Other) events() {
	defer close(o.done)
	for {
		event, err := o.conn.WaitForEvent()
		if event == nil && err == nil {
			return // closed
		}
		switch e := event.(type) {
		case xproto.KeyPressEvent:
			o.key(e.Detail, e.State, true)
		case xproto.KeyReleaseEvent:
			o.key(e.Detail, e.State, false)
		case xproto.ClientMessageEvent:
			o.marked()
		case xproto.SelectionNotifyEvent:
			o.answered(e)
		}
	}
}

func (o *Other) marked() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.synced++
}

const keysymInsert = 0xff63

func (o *Other) key(code xproto.Keycode, state uint16, down bool) {
	sym := o.syms.Keysyms[int(code-o.first)*int(o.syms.KeysymsPerKeycode)]
	o.mu.Lock()
	defer o.mu.Unlock()
	o.keys = append(o.keys, KeyEvent{byte(code), uint32(sym), state, down})
	if down && sym == keysymInsert && state&Shift != 0 {
		o.asked = append(o.asked, "PRIMARY", "CLIPBOARD")
		if len(o.asked) == 2 {
			o.ask()
		}
	}
}

// ask asks for the next selection: one at a time, so that each answer belongs to
// the last question.
func (o *Other) ask() {
	selection, err := o.x.atom(o.asked[0])
	if err != nil {
		return
	}
	utf8, err := o.x.atom("UTF8_STRING")
	if err != nil {
		return
	}
	xproto.ConvertSelection(o.conn, o.window, selection, utf8, selection, xproto.TimeCurrentTime)
}

func (o *Other) answered(e xproto.SelectionNotifyEvent) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if e.Property != xproto.AtomNone {
		const most = 1 << 20
		p, err := xproto.GetProperty(o.conn, true, o.window, e.Property, xproto.GetPropertyTypeAny, 0, most).Reply()
		if err == nil && len(p.Value) > 0 {
			o.pasted = append(o.pasted, string(p.Value))
		}
	}
	if o.asked = o.asked[1:]; len(o.asked) > 0 {
		o.ask()
	}
}
