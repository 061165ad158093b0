package wayland

import (
	"encoding/binary"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
)

// FuzzSway asserts of any answer of sway, or of what sits on its socket, that it
// ends in time, that the window in front is a node with a process, and that the
// id of a window can be put into a command.
func FuzzSway(f *testing.F) {
	answer := func(body string) []byte {
		head := binary.NativeEndian.AppendUint32([]byte("i3-ipc"), uint32(len(body)))
		return append(binary.NativeEndian.AppendUint32(head, swayTree), body...)
	}
	f.Add(answer(`{"id":1,"nodes":[{"id":7,"name":"a - Cursor","focused":true,"pid":12,"app_id":"cursor"}],"floating_nodes":[{"id":-3,"pid":1,"window_properties":{"class":"Cursor"}}]}`))
	f.Add(answer(`{}`))
	f.Add(answer(`{"id":9e99}`)[:12])
	f.Add(answer(strings.Repeat(`{"nodes":[`, 50) + strings.Repeat(`]}`, 50)))
	f.Add([]byte("i3-ipc\xff\xff\xff\x7f\x04\x00\x00\x00"))
	f.Add([]byte("SSH-2.0"))
	socket := filepath.Join(f.TempDir(), "sway")
	l, err := net.Listen("unix", socket)
	if err != nil {
		f.Fatal(err)
	}
	defer l.Close()
	s := sway{socket}
	f.Fuzz(func(t *testing.T, sent []byte) {
		served := make(chan error, 1)
		go func() { served <- serveOnce(l, sent) }()
		w, err := s.Front(t.Context())
		if failed := <-served; failed != nil {
			t.Fatal(failed)
		}
		if _, odd := strconv.ParseInt(w.ID, 10, 64); err == nil && (odd != nil || w.PID == 0) || err != nil && w != (desk.Window{}) || len(fmt.Sprint(err)) > 1000 {
			t.Errorf("got %+v, %v", w, err)
		}
	})
}

// serveOnce reads what a client asks, and answers with the bytes.
func serveOnce(l net.Listener, bytes []byte) error {
	conn, err := l.Accept()
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.Read(make([]byte, 100)); err != nil {
		return err
	}
	_, _ = conn.Write(bytes) // the client may have seen enough
	return nil
}
