package keystroke

import (
	"encoding/binary"
	"fmt"
	"net"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// FuzzChord asserts that every chord which is read can be written and read
// again, and pressed in each way.
func FuzzChord(f *testing.F) {
	for _, text := range []string{"", "ctrl+i", "Cmd + Shift+L", "alt+f12", "super+0", "f5", "a", "shift+a", "ctrl", "ctrl+", "+", "ctrl++i", "meta+win+option+z", "ctrl+İ", "ctrl+f13", "ctrl+return"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ParseChord(text)
		if err != nil || text == "" {
			if c != (Chord{}) {
				t.Errorf("%q: got %+v, %v", text, c, err)
			}
			return
		}
		if again, err := ParseChord(c.String()); again != c || err != nil {
			t.Errorf("%q: got %+v, %v back, want %+v", text, again, err, c)
		}
		if len(c.Key) == 1 && !c.Ctrl && !c.Alt && !c.Super {
			t.Errorf("%q: got %v, which types a character", text, c)
		}
		_, codes := ydotoolCodes(c)
		_, names := ydotoolNames(c)
		_, typed := wtypeChord(c)
		if _, err := virtualKey(c.Key); codes != nil || names != nil || typed != nil || err != nil {
			t.Errorf("%q: got %v, %v, %v, %v", text, codes, names, typed, err)
		}
	})
}

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

// FuzzWindows asserts of what desktops tell of their windows that a line is
// typed into one alone, and only where its title names the workspace if there
// are several.
func FuzzWindows(f *testing.F) {
	f.Add("12 /Applications/Cursor.app/Contents/MacOS/Cursor\n7 /bin/sh\n", "a - repo - Cursor\x1eb - other - Cursor\x1e", "/home/me/repo", "ok 12 99 "+utf16Base64("a - repo - Cursor"))
	f.Add(" 1 cursor\nx\n99999999999999999999 cursor", "\x1e\x1e", `C:\repo`, "no "+utf16Base64("because"))
	f.Add("", "● main.go — repo [SSH: x] — Cursor", "repo", "ok ;;1 2 !;")
	f.Add("1 cursor", "repo - Cursor\x1erepo - Cursor\x1e", "", "maybe")
	f.Add("", "repo - Cursor\x1ea - repo - Cursor\x1e", "/repo", "ok")
	target := Target{Editors: []string{"cursor"}}
	f.Fuzz(func(t *testing.T, processes, titles, workspace, answer string) {
		for _, pid := range editorProcesses(processes, target) {
			if !strings.Contains(processes, strings.TrimPrefix(strconv.Itoa(pid), "-")) {
				t.Errorf("got the process %d out of %q", pid, processes)
			}
		}
		windows := macWindows(7, titles)
		if n := strings.Count(titles, titleEnd) + 1; len(windows) > n {
			t.Errorf("got %d windows out of %q", len(windows), titles)
		}
		w, err := pick(windows, workspace)
		name := path.Base(strings.ReplaceAll(workspace, `\`, "/"))
		if err == nil && (!slices.Contains(windows, w) || len(windows) > 1 && (workspace == "" || !strings.Contains(w.title, name))) {
			t.Errorf("got %q of %q for %q", w, windows, workspace)
		}
		if err == nil && len(windows) > 1 && len(slices.DeleteFunc(slices.Clone(windows), func(w window) bool { return !names(w.title, name) })) != 1 {
			t.Errorf("got %q, which is not the only one of %q for %q", w, windows, workspace)
		}
		s := &powerShell{asked: 3}
		got, err, ours := s.answer("PS> ralph 3 " + answer)
		if (got != "" || err != nil) && !ours || len(fmt.Sprint(err)) > 2000 {
			t.Errorf("%q: got %q, %v, %v", answer, got, err, ours)
		}
		if _, _, ours := s.answer("ralph 2 ok x"); ours {
			t.Error("got the answer to another request")
		}
		for line := range strings.SplitSeq(got, ";") {
			if w, err := parsePSWindow(line); err == nil && (strings.ContainsAny(w.id, " ;\n") || strings.Count(line, " ") != 2) {
				t.Errorf("%q: got %+v", line, w)
			}
		}
		if back, err := fromUTF16Base64(utf16Base64(titles)); err != nil || back != strings.ToValidUTF8(titles, "\uFFFD") && validOnce(titles) {
			t.Errorf("got %q, %v, want %q", back, err, titles)
		}
		for _, source := range gnomeSource.FindAllString(processes+titles, -1) {
			if strings.Count(source, "'") != 4 {
				t.Errorf("got the layout %q", source)
			}
		}
	})
}

// validOnce tells whether a text is one that UTF-16 can hold.
func validOnce(text string) bool { return strings.ToValidUTF8(text, "") == text }

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

// FuzzGuard asserts that no line about a grab makes the guard wait longer than
// it may, and that what is to be served is what was told.
func FuzzGuard(f *testing.F) {
	f.Add("500", "12 34 6162 ")
	f.Add("-1", "1 2 zz 61")
	f.Add("99999999999999999999", "x y z")
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
