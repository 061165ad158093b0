package x11

import (
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/key"
	"github.com/cursor-ralph/cursor-ralph/test/testdesk"
)

// A display that hangs later is an error too.
func TestDisplayThatHangsLater(t *testing.T) {
	server := testdesk.NewX(t)
	x, err := Open(testdesk.Patient(t), desk.Machine{Env: server.Env()})
	testdesk.Must(t, err)
	testdesk.Must(t, server.Stop())
	t.Cleanup(func() { testdesk.Must(t, server.Continue()) })
	began := time.Now()
	for _, ask := range []func() error{
		func() error { _, err := x.Idle(testdesk.Patient(t)); return err },
		func() error { _, err := x.Windows(testdesk.Patient(t), nil); return err },
		func() error { _, err := x.Put(testdesk.Patient(t), desk.Window{}, testLine); return err },
		func() error { return x.step(testdesk.Patient(t), desk.Window{}, key.Return, sent) },
	} {
		if err := ask(); err == nil || !strings.Contains(err.Error(), "no answer") {
			t.Errorf("got %v, want no answer", err)
		}
	}
	x.Close()
	if took := time.Since(began); took > 3*answerWait {
		t.Errorf("it took %s", took)
	}
}
