package x11

import (
	"bufio"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
)

// Guard is package keystroke's Guard.
func Guard(stdin io.Reader, stdout io.Writer, getenv func(string) string, died func()) error {
	var m desk.Machine
	for _, name := range []string{"DISPLAY", "XAUTHORITY", "HOME"} {
		m.Env = append(m.Env, name+"="+getenv(name))
	}
	x, err := Open(context.Background(), m)
	if err != nil {
		return err
	}
	defer x.Close()
	w := &watch{x: x, lines: make(chan string, 100)}
	go w.read(stdin)
	if _, err := fmt.Fprintln(stdout, "ready"); err != nil {
		return err
	}
	serve := w.watch()
	var reported sync.WaitGroup
	defer reported.Wait()
	if w.dead {
		reported.Go(died) // it may take long, and the clipboard is missed meanwhile
	}
	if !serve {
		return nil
	}
	return x.serveTexts(w.owner, map[xproto.Atom]string{x.atoms["CLIPBOARD"]: w.copied, xproto.AtomPrimary: w.selected})
}

type watch struct {
	x                *Display
	lines            chan string // closed when the typer is dead
	dead             bool
	typer            int
	editor, owner    xproto.Window
	copied, selected string
}

// watch returns when the typer needs no guard any more, and whether the clipboard is
// to be served.
func (w *watch) watch() (serve bool) {
	timer := time.NewTimer(guardAlive)
	defer timer.Stop()
	grabbed := false
	for {
		line, ok := w.next(timer)
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case !ok:
			w.awaitDeath()
			w.freeEditor()
			w.dead = true
			return true
		case word == sayTyper:
			_, _ = fmt.Sscan(rest, &w.typer) // without a number nothing is killed
		case word == sayKeep:
			w.keep(rest)
		case word == sayGrab:
			grabbed = true
			timer.Reset(grabbedFor(rest))
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

// next returns the next line, or false when the typer is dead: it is killed when
// the timer has run out.
func (w *watch) next(timer *time.Timer) (string, bool) {
	select {
	case line, ok := <-w.lines:
		return line, ok
	case <-timer.C:
	}
	select {
	case line, ok := <-w.lines: // sent in time: the guard was late
		return line, ok
	case <-time.After(10 * time.Millisecond):
	}
	if w.typer > 1 && os.Getppid() == w.typer { // else it is dead already
		if p, err := os.FindProcess(w.typer); err == nil {
			_ = p.Kill() // fails if it is dead
		}
	}
	for range w.lines {
	}
	return "", false
}

func grabbedFor(rest string) time.Duration {
	n, err := strconv.Atoi(rest)
	if err != nil {
		return guardGrab
	}
	return min(max(guardGrab, time.Duration(n)*time.Millisecond), guardGrabMost)
}

// awaitDeath waits until the display has noticed the typer's death: before that it
// may still run its requests, and make it the clipboard's owner.
func (w *watch) awaitDeath() {
	for end := time.Now().Add(answerWait); w.owner != 0 && time.Now().Before(end); time.Sleep(time.Millisecond) {
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
// dead: it sends a refusal. Which of its windows waits, and for what, is unknown,
// so each gets one of every kind.
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
			for _, selection := range []xproto.Atom{w.x.atoms["CLIPBOARD"], xproto.AtomPrimary} {
				w.x.refuse(xproto.SelectionRequestEvent{Requestor: id, Selection: selection, Target: w.x.atoms[target]})
			}
		}
	}
}

// serveTexts owns selections and serves their texts until other programs take
// them. It takes none from another program.
func (x *Display) serveTexts(from xproto.Window, texts map[xproto.Atom]string) error {
	events, stop := x.events()
	defer stop()
	ours := map[xproto.Atom]xproto.Timestamp{}
	for selection, text := range texts {
		err := x.ask(context.Background(), func() error {
			owner, err := x.ownerOf(selection)
			if err != nil || text == "" || owner != 0 && owner != from {
				return err
			}
			took, err := x.own(x.self, selection)
			if err == nil {
				ours[selection] = took
			}
			return err
		})
		if err != nil && !errors.Is(err, errClipboardLost) && !errors.Is(err, errPrimaryLost) {
			return err
		}
	}
	if len(ours) == 0 {
		return nil
	}
	err := x.await(context.Background(), events, func(event xgb.Event) bool {
		switch e := event.(type) {
		case xproto.SelectionRequestEvent:
			if took, ok := ours[e.Selection]; ok {
				x.give(e, texts[e.Selection], took)
			} else {
				x.refuse(e)
			}
		case xproto.SelectionClearEvent:
			delete(ours, e.Selection)
		}
		return len(ours) == 0
	})
	if errors.Is(err, io.EOF) { // the display has ended
		return nil
	}
	return err
}

func (w *watch) keep(rest string) {
	fields := strings.Split(rest, " ") // a text may be empty
	if len(fields) != 4 {
		return
	}
	_, _ = fmt.Sscan(rest, &w.editor, &w.owner) // 0 is no window
	for i, text := range []*string{&w.copied, &w.selected} {
		if data, err := hex.DecodeString(fields[2+i]); err == nil {
			*text = string(data)
		}
	}
}
