package wayland

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
)

// wlOffer has our line in both selections and notices when it is read, which
// wl-copy does not say. It is a client of the data-control protocol, of which there
// are two that differ in their names. Sources: ext-data-control-v1.xml and
// wlr-data-control-unstable-v1.xml.
type wlOffer struct {
	client *wlClient
	line   string

	mu      sync.Mutex
	reads   int
	taken   []uint32      // the sources whose selection another program has now
	broken  error         // the connection is
	changed chan struct{} // closed at every change
}

// Objects of an offer's connection.
const (
	offerSeat = wlFree + iota
	offerManager
	offerDevice
	offerClipboard
	offerPrimary
	offerSync
)

// dataControls are the managers that can set both selections, with the version
// that is needed for it.
var dataControls = []struct {
	iface   string
	version uint32
}{{"ext_data_control_manager_v1", 1}, {"zwlr_data_control_manager_v1", 2}}

func (g globals) dataControl() (iface string, version uint32) {
	for _, d := range dataControls {
		if g[d.iface].version >= d.version {
			return d.iface, d.version
		}
	}
	return "", 0
}

// offer takes both selections for a line, and returns when the compositor has
// done so.
func offer(ctx context.Context, m desk.Machine, line string) (*wlOffer, error) {
	client, err := dial(ctx, m)
	if err != nil {
		return nil, err
	}
	o := &wlOffer{client: client, line: line, changed: make(chan struct{})}
	if err := o.begin(); err != nil {
		return nil, errors.Join(err, client.close())
	}
	return o, nil
}

func (o *wlOffer) begin() error {
	const createSource, getDevice, setClipboard, setPrimary, addType, sync = 0, 1, 0, 2, 0, 0
	c := o.client
	iface, version := c.globals.dataControl()
	err := errors.Join(
		c.conn.SetDeadline(time.Now().Add(time.Second)),
		c.bind("wl_seat", 1, offerSeat),
		c.bind(iface, version, offerManager),
		c.request(offerManager, getDevice, uint32(offerDevice), uint32(offerSeat)),
		c.request(offerManager, createSource, uint32(offerClipboard)),
		c.request(offerManager, createSource, uint32(offerPrimary)),
	)
	for _, source := range []uint32{offerClipboard, offerPrimary} {
		for _, kind := range []string{"text/plain;charset=utf-8", "text/plain", "UTF8_STRING", "STRING", "TEXT"} {
			err = errors.Join(err, c.request(source, addType, kind))
		}
	}
	err = errors.Join(err,
		c.request(offerDevice, setClipboard, uint32(offerClipboard)),
		c.request(offerDevice, setPrimary, uint32(offerPrimary)),
		c.request(wlDisplay, sync, uint32(offerSync)))
	for err == nil {
		var e wlEvent
		if e, err = c.event(); err == nil {
			if e.object == offerSync {
				break
			}
			o.handle(e)
		}
	}
	if err != nil {
		return fmt.Errorf("the Wayland clipboard: %w", err)
	}
	go o.serve()
	return c.conn.SetDeadline(time.Time{})
}

func (o *wlOffer) serve() {
	for {
		e, err := o.client.event()
		if err != nil {
			o.change(func() { o.broken = fmt.Errorf("the Wayland clipboard: %w", err) })
			return
		}
		o.handle(e)
	}
}

// handle writes the line to a reader. A pipe takes it at once, so that does not
// wait.
func (o *wlOffer) handle(e wlEvent) {
	const send, cancelled = 0, 1
	if e.object != offerClipboard && e.object != offerPrimary {
		return
	}
	switch e.opcode {
	case send:
		f := o.client.file()
		if f == nil {
			return
		}
		_, err := f.WriteString(o.line)
		if errors.Join(err, f.Close()) == nil {
			o.change(func() { o.reads++ })
		}
	case cancelled:
		o.change(func() { o.taken = append(o.taken, e.object) })
	}
}

func (o *wlOffer) change(how func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	how()
	close(o.changed)
	o.changed = make(chan struct{})
}

// state returns how often the line was read, a channel that is closed when that
// changes, and why the line is offered no longer.
func (o *wlOffer) state() (reads int, changed <-chan struct{}, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	err = o.broken
	if err == nil && len(o.taken) > 0 {
		err = errTaken
	}
	return o.reads, o.changed, err
}

func (o *wlOffer) holds(source uint32) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.broken == nil && !slices.Contains(o.taken, source)
}

// quietFor waits until the line was not read for some time, and returns how often it
// was read.
func (o *wlOffer) quietFor(ctx context.Context, d time.Duration) (reads int, err error) {
	for {
		reads, changed, err := o.state()
		if err != nil {
			return reads, err
		}
		select {
		case <-changed:
		case <-time.After(d):
			return reads, nil
		case <-ctx.Done():
			return reads, ctx.Err()
		}
	}
}

func (o *wlOffer) readMore(ctx context.Context, than int) error {
	for {
		reads, changed, err := o.state()
		if err != nil || reads > than {
			return err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return errors.New("no program has read it")
		}
	}
}

func (o *wlOffer) close() error { return o.client.close() }
