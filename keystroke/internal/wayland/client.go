package wayland

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
)

// wlClient is a connection to a Wayland compositor: requests go out, events
// come in. Each has the object, its size and its number, then its arguments.
// Source: the Wayland book, "Wire protocol", and wayland.xml.
type wlClient struct {
	conn    *net.UnixConn
	unread  []byte
	files   []*os.File // that came with events not yet read
	globals globals
}

// Objects that every client has here.
const (
	wlDisplay = 1 + iota
	wlRegistry
	wlCallback
	wlFree // the first number that is free
)

type globals map[string]global

type global struct{ name, version uint32 }

func (g globals) has(iface string) bool {
	_, ok := g[iface]
	return ok
}

// dial connects to the compositor and learns what it offers. It fails for
// a display that is dead or hangs, before any program is run that would wait.
func dial(ctx context.Context, m desk.Machine) (*wlClient, error) {
	path, err := socketOf(m)
	if err != nil {
		return nil, err
	}
	conn, err := new(net.Dialer).DialContext(ctx, "unix", path)
	if err != nil {
		return nil, fmt.Errorf("wayland: %w", err)
	}
	c := &wlClient{conn: conn.(*net.UnixConn), globals: globals{}}
	if err := c.begin(ctx); err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

func socketOf(m desk.Machine) (string, error) {
	display, dir := m.Getenv("WAYLAND_DISPLAY"), m.Getenv("XDG_RUNTIME_DIR")
	switch {
	case display == "":
		return "", errors.New("WAYLAND_DISPLAY is not set")
	case filepath.IsAbs(display):
		return display, nil
	case dir == "":
		return "", errors.New("XDG_RUNTIME_DIR is not set")
	}
	return filepath.Join(dir, display), nil
}

// begin makes the first two requests of every client: the registry, and an event
// after all that is in it.
func (c *wlClient) begin(ctx context.Context) error {
	deadline := time.Now().Add(time.Second)
	if d, ok := ctx.Deadline(); ok && d.Before(deadline) {
		deadline = d
	}
	const getRegistry, sync = 1, 0
	if err := errors.Join(
		c.conn.SetDeadline(deadline),
		c.request(wlDisplay, getRegistry, uint32(wlRegistry)),
		c.request(wlDisplay, sync, uint32(wlCallback)),
	); err != nil {
		return fmt.Errorf("wayland: %w", err)
	}
	for {
		e, err := c.event()
		if err != nil {
			return fmt.Errorf("the Wayland compositor does not answer: %w", err)
		}
		switch e.object {
		case wlCallback:
			return c.conn.SetDeadline(time.Time{})
		case wlRegistry:
			name := e.number()
			c.globals[e.text()] = global{name, e.number()}
		}
	}
}

func (c *wlClient) bind(iface string, version, id uint32) error {
	return c.request(wlRegistry, 0, c.globals[iface].name, iface, version, id)
}

func (c *wlClient) request(object, opcode uint32, args ...any) error {
	var body []byte
	for _, arg := range args {
		switch arg := arg.(type) {
		case uint32:
			body = binary.NativeEndian.AppendUint32(body, arg)
		case string: // with its zero, filled up to whole words
			body = binary.NativeEndian.AppendUint32(body, uint32(len(arg)+1))
			body = append(body, arg+"\x00\x00\x00\x00"[:4-len(arg)%4]...)
		}
	}
	message := binary.NativeEndian.AppendUint32(nil, object)
	message = binary.NativeEndian.AppendUint32(message, uint32(len(body)+8)<<16|opcode)
	_, err := c.conn.Write(append(message, body...))
	return err
}

// wlEvent is an event, whose arguments are read one after the other.
type wlEvent struct {
	object, opcode uint32
	rest           []byte
}

func (e *wlEvent) number() uint32 {
	if len(e.rest) < 4 {
		return 0
	}
	n := binary.NativeEndian.Uint32(e.rest)
	e.rest = e.rest[4:]
	return n
}

func (e *wlEvent) text() string {
	n := int(e.number())
	if n > len(e.rest) {
		return ""
	}
	text := strings.TrimRight(string(e.rest[:n]), "\x00")
	e.rest = e.rest[min(len(e.rest), (n+3)&^3):]
	return text
}

// event waits for the next event. An error of the protocol is an error.
func (c *wlClient) event() (wlEvent, error) {
	for {
		if e, ok, err := c.next(); ok || err != nil {
			return e, err
		}
		data, control := make([]byte, 4096), make([]byte, 512)
		n, controls, _, _, err := c.conn.ReadMsgUnix(data, control)
		if err != nil {
			return wlEvent{}, err
		}
		if n == 0 {
			return wlEvent{}, errors.New("it closed the connection")
		}
		files, err := filesOf(control[:controls])
		if err != nil {
			return wlEvent{}, err
		}
		c.unread, c.files = append(c.unread, data[:n]...), append(c.files, files...)
	}
}

// next takes an event from what was read, if it is there as a whole.
func (c *wlClient) next() (wlEvent, bool, error) {
	if len(c.unread) < 8 {
		return wlEvent{}, false, nil
	}
	word := binary.NativeEndian.Uint32(c.unread[4:])
	size := int(word >> 16)
	if size < 8 {
		return wlEvent{}, false, fmt.Errorf("an event of %d bytes", size)
	}
	if len(c.unread) < size {
		return wlEvent{}, false, nil
	}
	e := wlEvent{binary.NativeEndian.Uint32(c.unread), word & 0xffff, c.unread[8:size]}
	c.unread = c.unread[size:]
	if e.object == wlDisplay && e.opcode == 0 {
		object, code := e.number(), e.number()
		return e, false, fmt.Errorf("error %d of object %d: %s", code, object, e.text())
	}
	return e, true, nil
}

func (c *wlClient) file() *os.File {
	if len(c.files) == 0 {
		return nil
	}
	f := c.files[0]
	c.files = c.files[1:]
	return f
}

func (c *wlClient) close() error { return c.conn.Close() }
