package wayland

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// FuzzWayland asserts of what a compositor sends that each event takes what it
// says and no more, and that names are no longer than what came.
func FuzzWayland(f *testing.F) {
	event := func(object, opcode uint32, body string) []byte {
		data := binary.NativeEndian.AppendUint32(nil, object)
		return append(binary.NativeEndian.AppendUint32(data, uint32(len(body)+8)<<16|opcode), body...)
	}
	f.Add(slices.Concat(event(wlRegistry, 0, "\x01\x00\x00\x00\x08\x00\x00\x00wl_seat\x00\x07\x00\x00\x00"), event(wlCallback, 0, "\x00\x00\x00\x00")))
	f.Add(event(wlDisplay, 0, "\x01\x00\x00\x00\x02\x00\x00\x00\x04\x00\x00\x00bad\x00"))
	f.Add(event(wlRegistry, 0, "\x01\x00\x00\x00\xff\xff\xff\xff"))
	f.Add([]byte("\x02\x00\x00\x00\x00\x00\x04\x00"))
	f.Fuzz(func(t *testing.T, sent []byte) {
		c := &wlClient{unread: sent, globals: globals{}}
		o := &wlOffer{client: c, changed: make(chan struct{})}
		for {
			before := len(c.unread)
			e, ok, err := c.next()
			if !ok || err != nil {
				if len(fmt.Sprint(err)) > before+100 {
					t.Errorf("got %q", err)
				}
				return
			}
			if used := before - len(c.unread); used < 8 || len(e.rest) != used-8 {
				t.Fatalf("got an event of %d bytes out of %d", len(e.rest)+8, used)
			}
			o.handle(e)
			n := len(e.rest)
			_ = e.number()
			if name := e.text(); len(name) > n || len(e.rest) > n || strings.HasSuffix(name, "\x00") {
				t.Errorf("got %q, and %d of %d bytes are left", name, len(e.rest), n)
			}
			_ = e.number()
		}
	})
}
