package x11

import (
	"encoding/binary"
	"fmt"
	"net"
	"strconv"
	"strings"
	"testing"
)

// FuzzDisplay asserts of any DISPLAY that where it leads is on this machine's
// sockets or a port of X11, and of any authority file that no more than one of
// its cookies is taken, and only for its display.
func FuzzDisplay(f *testing.F) {
	entry := func(family uint16, fields ...string) []byte {
		data := binary.BigEndian.AppendUint16(nil, family)
		for _, field := range fields {
			data = append(binary.BigEndian.AppendUint16(data, uint16(len(field))), field...)
		}
		return data
	}
	good := entry(familyLocal, "here", "1", magicCookie, "0123456789abcdef")
	for _, display := range []string{":0", ":1.2", "unix:3", "host:10.0", "[::1]:1", "tcp/host:1", "/tmp/x:0", "", ":", ":99999", "a:b", "udp/x:1", ":1.999", "host:-1", "tcp/:0"} {
		f.Add(display, good)
	}
	f.Add(":1", append(entry(familyWild, "", "", "OTHER", "x"), good...))
	f.Add(":1", good[:len(good)-3])
	f.Add(":1", entry(familyLocal, "elsewhere", "1", magicCookie, "0123456789abcdef"))
	f.Fuzz(func(t *testing.T, display string, authority []byte) {
		a, err := parseDisplay(display)
		if err != nil {
			return
		}
		n, err := strconv.ParseUint(a.number, 10, 16)
		switch {
		case err != nil, !strings.Contains(display, ":"+a.number), a.screen < 0 || a.screen > 255:
			t.Errorf("%q: got %+v", display, a)
		case a.network == "unix" && a.address != "/tmp/.X11-unix/X"+a.number && !strings.HasPrefix(display, "/"):
			t.Errorf("%q: got the socket %q", display, a.address)
		case a.network == "tcp":
			if !strings.HasSuffix(a.address, fmt.Sprintf(":%d", 6000+n)) || a.host == "" {
				t.Errorf("%q: got %+v", display, a)
			}
		}
		c := findCookie(authority, "here", a, &net.UnixAddr{Name: "x", Net: "unix"})
		if c != nil && (len(c) != 16 || !strings.Contains(string(authority), magicCookie+"\x00\x10"+string(c))) {
			t.Errorf("got the cookie %q out of %q", c, authority)
		}
	})
}

// FuzzGuard asserts that no line about a grab makes the guard wait longer than
// it may, and that it serves only what the lines say.
func FuzzGuard(f *testing.F) {
	f.Add("500", "12 34 6162 ")
	f.Add("-1", "1 2 zz 61")
	f.Add("99999999999999999999", "x y z")
	f.Add("nonsense", "")
	f.Add("9223372036854775807", "4294967296 -1 00 ff")
	f.Fuzz(func(t *testing.T, limit, kept string) {
		if got := grabbedFor(limit); got < guardGrab || got > guardGrabMost {
			t.Errorf("%q: got %v", limit, got)
		}
		w := &watch{}
		w.keep(kept)
		for _, text := range []string{w.copied, w.selected} {
			if text != "" && !strings.Contains(strings.ToLower(kept), fmt.Sprintf("%x", text)) {
				t.Errorf("%q: got %q", kept, text)
			}
		}
	})
}
