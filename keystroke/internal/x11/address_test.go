package x11

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
	"github.com/cursor-ralph/cursor-ralph/test/testdesk"
)

func TestParseDisplay(t *testing.T) {
	for _, tt := range []struct {
		display string
		want    address
	}{
		{":0", address{network: "unix", address: "/tmp/.X11-unix/X0", number: "0"}},
		{":12.1", address{network: "unix", address: "/tmp/.X11-unix/X12", number: "12", screen: 1}},
		{"unix:3", address{network: "unix", address: "/tmp/.X11-unix/X3", number: "3"}},
		{"localhost:10.0", address{network: "tcp", address: "localhost:6010", host: "localhost", number: "10"}},
		{"tcp/far:1", address{network: "tcp", address: "far:6001", host: "far", number: "1"}},
		{"[::1]:1", address{network: "tcp", address: "[::1]:6001", host: "[::1]", number: "1"}},
		{"/private/tmp/launch/org.xquartz:0", address{network: "unix", address: "/private/tmp/launch/org.xquartz:0", number: "0"}},
	} {
		if got, err := parseDisplay(tt.display); got != tt.want || err != nil {
			t.Errorf("%s: got %+v, %v; want %+v", tt.display, got, err, tt.want)
		}
	}
	for _, display := range []string{"", "0", ":", ":x", ":-1", ":1.x", "decnet/far:1", "tcp/:1", ":99999"} {
		if got, err := parseDisplay(display); err == nil || !strings.Contains(err.Error(), "names no display") {
			t.Errorf("%q: got %+v, %v; want an error", display, got, err)
		}
	}
}

// authority writes one entry of an authority file.
func authority(family uint16, fields ...string) []byte {
	var b bytes.Buffer
	_ = binary.Write(&b, binary.BigEndian, family) // a buffer takes all
	for _, f := range fields {
		_ = binary.Write(&b, binary.BigEndian, uint16(len(f)))
		b.WriteString(f)
	}
	return b.Bytes()
}

func TestFindCookie(t *testing.T) {
	local := &net.UnixAddr{Name: "/tmp/.X11-unix/X7", Net: "unix"}
	remote := &net.TCPAddr{IP: net.IPv4(10, 1, 2, 3), Port: 6007}
	loopback := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 6007}
	const want, other = "0123456789abcdef", "fedcba9876543210"
	for _, tt := range []struct {
		name string
		data [][]byte
		peer net.Addr
		want string
	}{
		{"none", nil, local, ""},
		{"ours", [][]byte{authority(familyLocal, "me", "7", magicCookie, want)}, local, want},
		{"the second", [][]byte{authority(familyLocal, "me", "6", magicCookie, other),
			authority(familyLocal, "you", "7", magicCookie, other), authority(familyLocal, "me", "7", magicCookie, want)}, local, want},
		{"of any display", [][]byte{authority(familyLocal, "me", "", magicCookie, want)}, local, want},
		{"of any host", [][]byte{authority(familyWild, "", "7", magicCookie, want)}, remote, want},
		{"forwarded by ssh", [][]byte{authority(familyLocal, "me", "7", magicCookie, want)}, loopback, want},
		{"of another machine", [][]byte{authority(familyInternet, "\x0a\x01\x02\x03", "7", magicCookie, want)}, remote, want},
		{"of our machine for another", [][]byte{authority(familyLocal, "me", "7", magicCookie, other)}, remote, ""},
		{"of another machine for ours", [][]byte{authority(familyInternet, "\x0a\x01\x02\x03", "7", magicCookie, other)}, local, ""},
		{"another protocol first", [][]byte{authority(familyLocal, "me", "7", "XDM-AUTHORIZATION-1", other),
			authority(familyLocal, "me", "7", magicCookie, want)}, local, want},
		{"half an entry", [][]byte{authority(familyLocal, "me", "7", magicCookie, want)[:20]}, local, ""},
	} {
		got := findCookie(bytes.Join(tt.data, nil), "me", address{number: "7"}, tt.peer)
		if string(got) != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestCookieOfTheMachine(t *testing.T) {
	dir := t.TempDir()
	cookie := "0123456789abcdef"
	testdesk.Must(t, os.WriteFile(filepath.Join(dir, ".Xauthority"), authority(familyWild, "", "", magicCookie, cookie), 0o600))
	for _, tt := range []struct{ name, env, want string }{
		{"in HOME", "HOME=" + dir, hex.EncodeToString([]byte(cookie))},
		{"in a file that is not there", "XAUTHORITY=" + dir + "/none", strings.Repeat("0", 32)},
		{"nowhere", "HOME=", strings.Repeat("0", 32)},
	} {
		m := desk.Machine{Env: []string{tt.env}}
		if got := cookieFor(m, address{number: "7"}, &net.UnixAddr{}); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

// A display that wants a cookie gets the machine's, and never the one that this
// process's own environment leads to.
func TestCookieOpensTheDisplay(t *testing.T) {
	testdesk.Needs(t, "Xvfb")
	dir := t.TempDir()
	file := filepath.Join(dir, "authority")
	testdesk.Must(t, os.WriteFile(file, authority(familyWild, "", "", magicCookie, "0123456789abcdef"), 0o600))
	t.Setenv("XAUTHORITY", file) // by which the desk of the test gets in
	server, err := testdesk.StartX(testdesk.Patient(t), dir, "-auth", file)
	testdesk.Must(t, err)
	t.Cleanup(func() { testdesk.Must(t, server.Close()) })
	x, err := Open(testdesk.Patient(t), desk.Machine{Env: append(server.Env(), "XAUTHORITY="+file)})
	testdesk.Must(t, err)
	x.Close()
	if x, err := Open(testdesk.Patient(t), desk.Machine{Env: server.Env()}); err == nil || !strings.Contains(err.Error(), "XAUTHORITY") {
		t.Errorf("without the cookie: got %v, %v; want that XAUTHORITY is missing", x, err)
	}
}
