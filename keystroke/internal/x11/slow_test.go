//go:build unix

package x11_test

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/keystroke"
	"github.com/cursor-ralph/cursor-ralph/test/short"
	"github.com/cursor-ralph/cursor-ralph/test/testdesk"
)

// slow returns the name of a display that takes some time longer for an answer,
// as one does at the other end of ssh -X.
func slow(t *testing.T, x *testdesk.X, trip time.Duration) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	testdesk.Must(t, err)
	t.Cleanup(func() { _ = l.Close() }) // nobody connects any more
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("unix", "/tmp/.X11-unix/X"+strings.TrimPrefix(x.Display(), ":"))
			if err != nil {
				_ = near.Close() // the display has ended
				return
			}
			go delay(far, near, trip/2)
			go delay(near, far, trip/2)
		}
	}()
	return fmt.Sprintf("127.0.0.1:%d", l.Addr().(*net.TCPAddr).Port-6000)
}

// delay hands on what comes, each time after a while.
func delay(to io.WriteCloser, from io.Reader, by time.Duration) {
	type piece struct {
		due  time.Time
		data []byte
	}
	pieces := make(chan piece, 10000)
	go func() {
		defer to.Close()
		for p := range pieces {
			time.Sleep(time.Until(p.due)) // the delay is the point
			_, _ = to.Write(p.data)       // the reader may be gone
		}
	}()
	defer close(pieces)
	for {
		data := make([]byte, 1<<16)
		n, err := from.Read(data)
		pieces <- piece{time.Now().Add(by), data[:n]}
		if err != nil {
			return
		}
	}
}

// The guard does not mistake a slow display for a typing process that hangs.
func TestGuardLetsASlowDisplayAnswer(t *testing.T) {
	short.Skip(t)
	r := sharedRoom(t)
	ctx := testdesk.Patient(t)
	for _, trip := range []time.Duration{90 * time.Millisecond, 160 * time.Millisecond}[:tries(1, 2)] {
		display := slow(t, r.x, trip)
		for range tries(1, 10) {
			testdesk.Must(t, r.x.Copy(ctx, "kept"), r.x.Select(ctx, "primary", "selected"))
			r.fresh()
			cmd := child(t, r.x, "typer", strings.ToLower(r.editor.Exe))
			cmd.Env = append(cmd.Env, "DISPLAY="+display)
			out, err := cmd.Output()
			if err != nil {
				t.Errorf("%s: the typer ended by %v after:\n%s", trip, err, out)
			}
			testdesk.Must(t, r.arrived(ctx))
			r.exact()
			r.holds("clipboard", "kept")
			r.holds("primary", "selected")
			if strings.Contains(string(out), "clipboard") {
				t.Errorf("%s: steps:\n%s", trip, out)
			}
		}
	}
	m := keystroke.Machine{OS: "linux", Env: append(r.x.Env(), "DISPLAY="+slow(t, r.x, 600*time.Millisecond))}
	if err := way(t, m, "xtest").Type(ctx, r.target(&steps{})); err == nil || !strings.Contains(err.Error(), "too long to be held") {
		t.Errorf("got %v, want that the display is too slow", err)
	}
}
