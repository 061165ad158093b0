package keystroke

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"
)

// programKeyboard presses keys by another program. On X11 that has a connection
// of its own, which a grab of ours would keep waiting, so check and key are two
// steps, and a focus that is lost in between takes the key along. Nobody but
// the editor is given the line: what strays is a key and never a text.
type programKeyboard struct {
	d desk
	// poise makes all ready for a chord, and presses nothing. Drop is called in
	// any case, after press or instead.
	poise func(ctx context.Context, c Chord) (press func() error, drop func(), err error)
}

func (k programKeyboard) press(ctx context.Context, w window, c Chord) error {
	press, drop, err := k.poise(ctx, c)
	if err != nil {
		return unpressed{err}
	}
	defer drop()
	focused, err := k.d.focused(ctx, w)
	switch {
	case err != nil:
		return unpressed{err}
	case !focused:
		return errLostFocus
	}
	return press()
}

// poise starts a program that answers a greeting on its standard input by a
// line when it is ready, which takes much longer than a key, and that presses
// at a word. Within programWait it has to have done all that, or it is killed;
// who presses looks for keys that it left down.
func (m Machine) poise(path string, args []string, greeting, word string) (press func() error, drop func(), err error) {
	ctx, cancel := context.WithTimeout(context.Background(), programWait)
	cmd := exec.CommandContext(ctx, path, args...)
	var complaint strings.Builder
	cmd.Env, cmd.Stderr, cmd.WaitDelay = m.Env, &complaint, 100*time.Millisecond
	hide(cmd)
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		cancel()
		return nil, nil, err
	}
	end := sync.OnceValue(func() error {
		defer cancel()
		_ = in.Close() // without a word it ends and presses nothing
		if err := cmd.Wait(); err != nil {
			text, _, _ := strings.Cut(strings.TrimSpace(complaint.String()), "\n")
			return fmt.Errorf("%s: %w: %.200s", filepath.Base(path), errors.Join(ctx.Err(), err), text)
		}
		return nil
	})
	_, err = io.WriteString(in, greeting)
	if _, err2 := bufio.NewReader(out).ReadString('\n'); err != nil || err2 != nil {
		return nil, nil, errors.Join(end(), errors.New("it did not get ready"))
	}
	press = func() error {
		_, err := io.WriteString(in, word)
		return errors.Join(err, end())
	}
	return press, func() { _ = end() }, nil // what comes of nothing is of no interest
}

// pressing is what a program has to know of an X11 keyboard.
type pressing struct {
	strokes
	held []xproto.Keycode // modifiers that are down, to be released and pressed again
	syms []xproto.Keysym  // of those
}

// pressing looks at the keyboard, and at whether what is copied and selected is
// still ours.
func (x *x11) pressing(ctx context.Context, c Chord) (p pressing, err error) {
	err = x.ask(ctx, func() error {
		b, err := x.board()
		if err != nil {
			return err
		}
		if p.strokes, err = b.strokes(c); err != nil {
			return err
		}
		if p.held, err = x.down(p.modifiers); err != nil {
			return err
		}
		for _, key := range p.held {
			p.syms = append(p.syms, b.syms[int(key-b.first)*b.columns])
		}
		return x.stillOwns(x.wanted(0, c))
	})
	return p, err
}

// stillOwns tells whether the owners are those that are wanted.
func (x *x11) stillOwns(wanted moment) error {
	owner, err := x.owner()
	if err != nil {
		return err
	}
	primary, err := x.ownerOf(xproto.AtomPrimary)
	if err != nil {
		return err
	}
	return moment{owner: owner, primary: primary}.allows(wanted, sent)
}

// down gives those of some keys that are down.
func (x *x11) down(keys []xproto.Keycode) ([]xproto.Keycode, error) {
	reply, err := xproto.QueryKeymap(x.conn).Reply()
	if err != nil {
		return nil, err
	}
	return moment{down: reply.Keys}.held(keys), nil
}

// clean releases what a program that failed has left down: it would repeat.
func (x *x11) clean(p pressing, err error) error {
	if err == nil {
		return nil
	}
	return errors.Join(err, x.ask(context.Background(), func() error {
		left, err := x.down(append(p.with, p.key))
		if err == nil && len(left) > 0 {
			err = xtest.Init(x.conn)
		}
		if err != nil {
			return err
		}
		for _, key := range left {
			xtest.FakeInput(x.conn, xproto.KeyRelease, byte(key), 0, xproto.WindowNone, 0, 0, 0)
		}
		return x.sync()
	}))
}

// probeX11 tells what on a display stands against typing the target's line.
func probeX11(ctx context.Context, m Machine, t Target) error {
	x, err := openX11(ctx, m)
	if err != nil {
		return err
	}
	defer x.close()
	if _, err := find(ctx, t, x); err != nil {
		return err
	}
	_, err = x.strokes(ctx, pasteChord, returnChord, t.FocusKeys)
	return err
}
