package x11

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
)

type address struct {
	network, address string
	host             string // empty: this machine
	number           string
	screen           int
}

// parseDisplay reads the value of DISPLAY: [protocol/][host]:number[.screen],
// or the path of a socket before the colon.
func parseDisplay(display string) (address, error) {
	bad := fmt.Errorf("DISPLAY=%q names no display", display)
	colon := strings.LastIndexByte(display, ':')
	if colon < 0 {
		return address{}, bad
	}
	host := display[:colon]
	number, screen, _ := strings.Cut(display[colon+1:], ".")
	n, err := strconv.ParseUint(number, 10, 16)
	if err != nil {
		return address{}, bad
	}
	a := address{number: number}
	if screen != "" {
		s, err := strconv.ParseUint(screen, 10, 8)
		if err != nil {
			return address{}, bad
		}
		a.screen = int(s)
	}
	switch {
	case strings.HasPrefix(host, "/"): // as XQuartz has it
		a.network, a.address = "unix", host+":"+number
	case host == "" || host == "unix":
		a.network, a.address = "unix", "/tmp/.X11-unix/X"+number
	default:
		protocol, name, found := strings.Cut(host, "/")
		if !found {
			protocol, name = "tcp", host
		}
		if protocol != "tcp" || name == "" {
			return address{}, bad
		}
		a.host = name
		a.network, a.address = "tcp", net.JoinHostPort(strings.Trim(name, "[]"), strconv.FormatUint(6000+n, 10))
	}
	return a, nil
}

// The families of addresses in an authority file. Source: X11/Xauth.h.
const (
	familyInternet  = 0
	familyInternet6 = 6
	familyLocal     = 256
	familyWild      = 65535
)

const magicCookie = "MIT-MAGIC-COOKIE-1"

// cookieFor returns the hexadecimal cookie for a display from the authority file
// that the environment names. Without one it returns zeros: a server that needs no
// cookie ignores them.
func cookieFor(m desk.Machine, a address, peer net.Addr) string {
	none := strings.Repeat("0", 32)
	file := m.Getenv("XAUTHORITY")
	if file == "" && m.Getenv("HOME") != "" {
		file = filepath.Join(m.Getenv("HOME"), ".Xauthority")
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return none
	}
	host, err := os.Hostname()
	if err != nil {
		return none
	}
	if c := findCookie(data, host, a, peer); c != nil {
		return hex.EncodeToString(c)
	}
	return none
}

// findCookie looks through an authority file: entries of a family and four
// counted strings, all in big endian.
func findCookie(data []byte, host string, a address, peer net.Addr) []byte {
	r := bytes.NewReader(data)
	for {
		var family uint16
		if binary.Read(r, binary.BigEndian, &family) != nil {
			return nil
		}
		var fields [4][]byte // address, display, name of the protocol, data
		for i := range fields {
			var n uint16
			if binary.Read(r, binary.BigEndian, &n) != nil {
				return nil
			}
			fields[i] = make([]byte, n)
			if _, err := io.ReadFull(r, fields[i]); err != nil {
				return nil
			}
		}
		if string(fields[2]) == magicCookie && len(fields[3]) == 16 &&
			(len(fields[1]) == 0 || string(fields[1]) == a.number) && matches(family, fields[0], host, peer) {
			return fields[3]
		}
	}
}

func matches(family uint16, address []byte, host string, peer net.Addr) bool {
	tcp, remote := peer.(*net.TCPAddr)
	switch family {
	case familyWild:
		return true
	case familyLocal: // also of what ssh forwards to us
		return (!remote || tcp.IP.IsLoopback()) && string(address) == host
	case familyInternet, familyInternet6:
		return remote && tcp.IP.Equal(net.IP(address))
	}
	return false
}

// dial connects to the display that the machine's environment names, and to
// no other: xgb by itself would look at the environment of this process.
func dial(ctx context.Context, m desk.Machine) (*corked, address, string, error) {
	display := m.Getenv("DISPLAY")
	if display == "" {
		return nil, address{}, "", errors.New("DISPLAY is not set, so there is no X11 display")
	}
	a, err := parseDisplay(display)
	if err != nil {
		return nil, a, "", err
	}
	c, err := new(net.Dialer).DialContext(ctx, a.network, a.address)
	if err != nil {
		return nil, a, "", fmt.Errorf("display %s: %w", display, err)
	}
	return &corked{Conn: c}, a, cookieFor(m, a, c.RemoteAddr()), nil
}

// corked is a connection that can hold back what is written, so that several
// requests leave in one write: a server reads either all or none of them when
// this process is killed.
type corked struct {
	net.Conn
	mu     sync.Mutex
	held   []byte
	corked bool
}

// Write sends, or keeps while the cork is in.
func (c *corked) Write(data []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.corked {
		c.held = append(c.held, data...)
		return len(data), nil
	}
	return c.Conn.Write(data)
}

func (c *corked) cork() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.corked = true
}

func (c *corked) uncork() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	data := slices.Clone(c.held)
	c.corked, c.held = false, c.held[:0]
	if len(data) == 0 {
		return nil
	}
	_, err := c.Conn.Write(data)
	return err
}
