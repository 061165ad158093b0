package wayland_test

import (
	"encoding/binary"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/keystroke"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
	"github.com/cursor-ralph/cursor-ralph/test/testdesk"
)

// ydotoold stands for ydotool's daemon: what the client sends goes to a
// keyboard of sway instead of one of the kernel. The daemon of 0.1.x takes a
// stream of events of 8 bytes, that of 1.x the kernel's struct input_event,
// one a datagram. Sources: ydotool v0.1.8, Daemon/ydotoold.cpp; v1.0.4,
// Client/ydotool.c.
type ydotoold struct {
	k    *testdesk.Keyboard
	fail func(format string, args ...any)
}

func (d ydotoold) event(kind, code uint16, value uint32) {
	const evKey = 1
	if kind != evKey {
		return
	}
	if err := d.k.Key(code, value == 1); err != nil {
		d.fail("ydotoold: %v", err)
	}
}

func (d ydotoold) stream(l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer conn.Close()
			for event := make([]byte, 8); ; {
				if _, err := io.ReadFull(conn, event); err != nil {
					return
				}
				d.event(binary.NativeEndian.Uint16(event), binary.NativeEndian.Uint16(event[2:]), binary.NativeEndian.Uint32(event[4:]))
			}
		}()
	}
}

func (d ydotoold) datagrams(conn *net.UnixConn) {
	for event := make([]byte, 64); ; {
		n, err := conn.Read(event)
		if err != nil {
			return
		}
		tail := event[n-8 : n] // after the time
		d.event(binary.NativeEndian.Uint16(tail), binary.NativeEndian.Uint16(tail[2:]), binary.NativeEndian.Uint32(tail[4:]))
	}
}

// TestYdotoolTypesIntoChromium uses the ydotool of the PATH, and the one that
// CURSOR_RALPH_YDOTOOL names, which may be of the other generation.
func TestYdotoolTypesIntoChromium(t *testing.T) {
	path, err := exec.LookPath("ydotool")
	if err != nil {
		t.Skip("needs ydotool")
	}
	const socket = "/tmp/.ydotool_socket" // built into 0.1.x
	if _, err := os.Stat(socket); err == nil {
		t.Skip("needs " + socket + " to be free: a ydotoold is running")
	}
	w, page := sharedWorld(t)
	k := w.keyboard("us")
	w.sees(page, k, "y") // its first keys may be lost, and a daemon's keyboard is not new
	d := ydotoold{k, t.Errorf}
	stream, err := net.Listen("unix", socket)
	w.must(err)
	w.closes(stream)
	go d.stream(stream)
	own := filepath.Join(t.TempDir(), "socket")
	datagrams, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: own, Net: "unixgram"})
	w.must(err)
	w.closes(datagrams)
	go d.datagrams(datagrams)
	for _, client := range []string{path, os.Getenv("CURSOR_RALPH_YDOTOOL")} {
		if client == "" {
			continue
		}
		w := w.in(t)
		w.m.Env = append(slices.Clone(w.m.Env), "YDOTOOL_SOCKET="+own, "PATH="+filepath.Dir(client)+":"+desk.Machine(w.m).Getenv("PATH"))
		w.Log(w.intoChat("ydotool", page, swayTries(5, 50)))
	}
	w.keyboard("de")
	if err := ydotoolOf(w).Probe(t.Context(), w.target); err == nil || !strings.Contains(err.Error(), `there is one with "German"`) {
		t.Errorf("with a German keyboard: %v", err)
	}
}

func ydotoolOf(w *swayWorld) keystroke.Injector {
	list, err := keystroke.Injectors(w.m, []string{"ydotool"})
	w.must(err)
	return list[0]
}
