package keystroke

import (
	"bufio"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// The patience of a guard, and with one.
const (
	guardBeat  = 50 * time.Millisecond  // between two signs of life of the typer
	guardGrab  = 150 * time.Millisecond // for the typer to free a desktop that it grabbed
	guardAlive = time.Second            // without a sign of life
	guardStart = time.Second            // for a guard to be ready
	guardLife  = time.Hour              // for a clipboard to be served
)

// What a typer tells its guard, a line each.
const (
	sayTyper = "typer" // and its process id
	sayKeep  = "keep"  // and the editor's window, the clipboard's owner, and what to give back, in hexadecimal
	sayAlive = "alive"
	sayGrab  = "grab"
	sayFree  = "free"
	sayServe = "serve"
	sayLeave = "leave"
)

// guard is a second process that watches one that types, and outlives it: a
// desktop that is grabbed by a process that stands still stands still too, an
// editor that reads a clipboard whose owner dies waits for ever, and what is on
// a clipboard is gone with its owner. A nil guard is told nothing.
type guard struct {
	mu    sync.Mutex
	lines io.WriteCloser
	gone  chan struct{} // closed when no more is told
}

// startGuard starts the machine's guard, or gives nil: typing works without.
func startGuard(m Machine) *guard {
	if len(m.Guard) == 0 {
		return nil
	}
	cmd := exec.Command(m.Guard[0], m.Guard[1:]...)
	cmd.Env, cmd.SysProcAttr = m.Env, ownSession()
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
	late := time.AfterFunc(guardStart, func() { _ = cmd.Process.Kill() }) // which ends the reading
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

// say tells one line, and whether there is anybody to hear it.
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
		_ = pipe.SetWriteDeadline(time.Now().Add(guardStart)) // a pipe has deadlines
	}
	_, err := fmt.Fprintf(g.lines, format+"\n", args...)
	return err == nil
}

// keep tells what to give back if this process dies.
func (g *guard) keep(editor, owner xproto.Window, text string) {
	g.say("%s %d %d %s", sayKeep, editor, owner, hex.EncodeToString([]byte(text)))
}

// serve hands the clipboard over, and ends the watch.
func (g *guard) serve() bool { return g.end(sayServe) }

// leave ends the watch.
func (g *guard) leave() { g.end(sayLeave) }

func (g *guard) end(word string) bool {
	if !g.say(word) {
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	close(g.gone)
	_ = g.lines.Close() // it has heard all that there is
	g.lines = nil
	return true
}

// Guard is the second process: it watches the process that started it, which
// tells on stdin what it does. When that one stands still with the desktop in
// its hands it is killed; when it dies the editor is freed and the clipboard
// restored and served, for an hour at most, and died is called. The display is
// looked up by getenv.
func Guard(stdin io.Reader, stdout io.Writer, getenv func(string) string, died func()) error {
	var m Machine
	for _, name := range []string{"DISPLAY", "XAUTHORITY", "HOME"} {
		m.Env = append(m.Env, name+"="+getenv(name))
	}
	x, err := openX11(context.Background(), m)
	if err != nil {
		return err
	}
	defer x.close()
	w := &watch{x: x, died: died, lines: make(chan string, 100)}
	go w.read(stdin)
	if _, err := fmt.Fprintln(stdout, "ready"); err != nil {
		return err
	}
	if !w.watch() {
		return nil
	}
	return x.serveText(w.text, w.owner)
}

// watch is what a guard knows of the typer.
type watch struct {
	x             *x11
	died          func()      // told that the typer is dead
	lines         chan string // closed when the typer is dead
	typer         int
	editor, owner xproto.Window
	text          string
}

func (w *watch) read(stdin io.Reader) {
	defer close(w.lines)
	r := bufio.NewReader(stdin)
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return
		}
		w.lines <- strings.TrimSuffix(line, "\n")
	}
}

// watch tells, when it is over, whether the clipboard is to be served.
func (w *watch) watch() (serve bool) {
	timer := time.NewTimer(guardAlive)
	defer timer.Stop()
	grabbed := false
	for {
		line, ok := w.next(timer)
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case !ok:
			w.bury()
			w.freeEditor()
			w.died()
			return true
		case word == sayTyper:
			_, _ = fmt.Sscan(rest, &w.typer) // of no use to anybody: then nobody is killed
		case word == sayKeep:
			w.keep(rest)
		case word == sayGrab:
			grabbed = true
			timer.Reset(guardGrab)
			continue
		case word == sayFree:
			grabbed = false
		case word == sayServe:
			return true
		case word == sayLeave:
			return false
		}
		if !grabbed {
			timer.Reset(guardAlive)
		}
	}
}

// next gives the next line, or false when the typer is dead: it is killed when
// the timer has run out.
func (w *watch) next(timer *time.Timer) (string, bool) {
	select {
	case line, ok := <-w.lines:
		return line, ok
	case <-timer.C:
	}
	select {
	case line, ok := <-w.lines: // told in time: it was us who were late
		return line, ok
	case <-time.After(10 * time.Millisecond):
	}
	if w.typer > 1 && os.Getppid() == w.typer { // else it is dead already
		if p, err := os.FindProcess(w.typer); err == nil {
			_ = p.Kill() // it is dead, or nobody can help
		}
	}
	for range w.lines {
	}
	return "", false
}

func (w *watch) keep(rest string) {
	var text string
	_, _ = fmt.Sscan(rest, &w.editor, &w.owner, &text) // an empty text is none
	if data, err := hex.DecodeString(text); err == nil {
		w.text = string(data)
	}
}

// bury waits until the display has noticed the death: before that it may still
// do what the dead one asked for, and give it the clipboard.
func (w *watch) bury() {
	for end := time.Now().Add(x11Wait); w.owner != 0 && time.Now().Before(end); time.Sleep(time.Millisecond) {
		err := w.x.ask(context.Background(), func() error {
			_, err := xproto.GetGeometry(w.x.conn, xproto.Drawable(w.owner)).Reply()
			return err
		})
		if err != nil {
			return
		}
	}
}

// freeEditor ends the wait of an editor that reads a clipboard whose owner is
// dead: it is told that there is nothing. Which of its windows waits, and for
// what, the dead cannot tell, so each is told.
func (w *watch) freeEditor() {
	if w.editor == 0 {
		return
	}
	var tree *xproto.QueryTreeReply
	err := w.x.ask(context.Background(), func() (err error) {
		tree, err = xproto.QueryTree(w.x.conn, w.x.root).Reply()
		return err
	})
	if err != nil {
		return // the display is dead
	}
	for _, id := range append(tree.Children, w.editor) {
		if !w.x.sameClient(id, w.editor) {
			continue
		}
		for _, target := range append(atomNames, "STRING") {
			w.x.refuse(xproto.SelectionRequestEvent{
				Requestor: id, Selection: w.x.atoms["CLIPBOARD"], Target: w.x.atoms[target],
			})
		}
	}
}

// serveText owns the clipboard and gives a text to everybody until another
// program takes the clipboard. It is not taken from another.
func (x *x11) serveText(text string, from xproto.Window) error {
	events, stop := x.events()
	defer stop()
	var took xproto.Timestamp
	err := x.ask(context.Background(), func() error {
		owner, err := x.owner()
		if err == nil && (text == "" || owner != 0 && owner != from) {
			err = errClipboardLost
		}
		if err == nil {
			took, err = x.own(x.self)
		}
		return err
	})
	if err != nil {
		if errors.Is(err, errClipboardLost) {
			return nil
		}
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), guardLife)
	defer cancel()
	err = x.await(ctx, events, func(event xgb.Event) bool {
		switch e := event.(type) {
		case xproto.SelectionRequestEvent:
			x.give(e, text, took)
		case xproto.SelectionClearEvent:
			return e.Selection == x.atoms["CLIPBOARD"]
		}
		return false
	})
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
