package x11

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/jezek/xgb/xproto"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
)

// The patience of a guard, and with one.
const (
	guardBeat     = 50 * time.Millisecond  // between two signs of life of the typer
	guardGrab     = 150 * time.Millisecond // for the typer to free a desktop that it grabbed
	guardGrabMost = time.Second            // for that on a display that is slow to answer
	guardAlive    = time.Second            // without a sign of life
	guardReady    = 5 * time.Second        // for a guard to start: without one a kill costs the user's clipboard
	guardWrite    = time.Second            // for a guard to take a line
)

// The messages from the typing process to its guard, one per line.
const (
	sayTyper = "typer" // and its process id
	sayKeep  = "keep"  // and the editor's window, the clipboard's owner, and what was copied and what was selected, in hexadecimal
	sayAlive = "alive"
	sayGrab  = "grab" // and for how many milliseconds at most
	sayFree  = "free"
	sayServe = "serve"
	sayLeave = "leave"
)

// guard is a second process that watches the typing process and outlives it. A
// process that hangs with the desktop grabbed freezes the desktop, an editor that
// reads a clipboard whose owner died waits forever, and a clipboard ends with its
// owner. A nil guard does nothing.
type guard struct {
	mu    sync.Mutex
	lines io.WriteCloser
	gone  chan struct{} // closed when the watch has ended
}

// startGuard starts the machine's guard, or returns nil: typing works without.
func startGuard(m desk.Machine) *guard {
	if len(m.Guard) == 0 {
		return nil
	}
	cmd := exec.Command(m.Guard[0], m.Guard[1:]...)
	cmd.Env, cmd.SysProcAttr = m.Env, ownSession()
	cmd.Dir = "/" // it outlives us, and must not keep a workspace's folder busy
	lines, err := cmd.StdinPipe()
	if err != nil {
		return nil
	}
	answer, err := cmd.StdoutPipe()
	if err != nil || cmd.Start() != nil {
		return nil
	}
	g := &guard{lines: lines, gone: make(chan struct{})}
	g.say("%s %d", sayTyper, os.Getpid())
	late := time.AfterFunc(guardReady, func() { _ = cmd.Process.Kill() }) // which ends the reading
	word, err := bufio.NewReader(answer).ReadString('\n')
	ready := late.Stop() && err == nil && word == "ready\n"
	go func() { _ = cmd.Wait() }() // it ends when it has nothing to do any more
	if !ready {
		g.leave()
		return nil
	}
	go g.beat()
	return g
}

func (g *guard) beat() {
	ticker := time.NewTicker(guardBeat)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			g.say(sayAlive)
		case <-g.gone:
			return
		}
	}
}

func (g *guard) say(format string, args ...any) bool {
	if g == nil {
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.lines == nil {
		return false
	}
	if pipe, ok := g.lines.(interface{ SetWriteDeadline(time.Time) error }); ok {
		_ = pipe.SetWriteDeadline(time.Now().Add(guardWrite)) // a pipe has deadlines
	}
	_, err := fmt.Fprintf(g.lines, format+"\n", args...)
	return err == nil
}

func (g *guard) grabs(trip time.Duration) { g.say("%s %d", sayGrab, grabLimit(trip).Milliseconds()) }

// grabLimit is how long a desktop may be grabbed: for two answers of the
// display, and some more time.
func grabLimit(trip time.Duration) time.Duration {
	return min(max(guardGrab, 8*trip), guardGrabMost)
}

func (g *guard) serve() bool { return g.end(sayServe) }

func (g *guard) leave() { g.end(sayLeave) }

func (g *guard) end(word string) bool {
	if !g.say(word) {
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	close(g.gone)
	_ = g.lines.Close() // all lines are sent
	g.lines = nil
	return true
}

// keep says what to put back if this process dies.
func (g *guard) keep(editor, owner xproto.Window, copied, selected string) {
	g.say("%s %d %d %x %x", sayKeep, editor, owner, copied, selected)
}
