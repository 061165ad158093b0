package keystroke

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// desk is a desktop, as a delivery needs it.
type desk interface {
	// windows gives the windows whose class and executable are the editor's.
	windows(ctx context.Context, t Target) ([]window, error)
	// focused tells whether a window has the keyboard's focus now.
	focused(ctx context.Context, w window) (bool, error)
	// activate asks for the focus and need not wait for it.
	activate(ctx context.Context, w window) error
	// idle tells how long the user has touched neither keys nor pointer, or
	// errUnknown where the desktop does not tell.
	idle(ctx context.Context) (time.Duration, error)
	// put puts the line on the clipboard and keeps what was there.
	put(ctx context.Context, w window, line string) (clip, error)
}

// fronter is a desk that knows which window has the focus, whoever's it is.
type fronter interface {
	front(ctx context.Context) (window, error)
}

// clip is a clipboard with our line on it.
type clip interface {
	// fetched waits until the window has read the line, after paste was
	// pressed. Where nobody can tell it waits as long as that usually takes.
	fetched(ctx context.Context) error
	// restore puts back what was there before. What it cannot restore it tells
	// in words, for the log.
	restore(ctx context.Context) (lost string, err error)
}

// keyboard presses keys for a delivery.
type keyboard interface {
	// press presses and releases a chord. The window has had the focus a moment
	// ago; a keyboard that checks it once more, in one step with the key, gives
	// errLostFocus, and then no key went anywhere, nor after an unpressed error.
	press(ctx context.Context, w window, c Chord) error
}

var (
	errUnknown   = errors.New("the desktop does not tell")
	errLostFocus = errors.New("the window of Cursor lost the focus")
)

// The patience of a delivery.
const (
	focusWait   = 3 * time.Second         // for a window to come to the front
	pressWait   = 1500 * time.Millisecond // for a moment in which the window has the focus, when others take it
	quiet       = time.Second             // how long the user has to have been idle
	quietWait   = 10 * time.Second        // how long at most that is waited for
	arrivalWait = 4 * time.Second         // before Return is pressed a second time
	poll        = 10 * time.Millisecond
	restoreWait = 100 * time.Millisecond // what was copied is read a moment after the key
)

// deliver types a target's line by the rules that all ways of typing keep:
//
//  1. The window is found and brought to the front, the user let finish what he types.
//  2. The line goes onto the clipboard, is pasted, and fetched by the editor.
//  3. Return is pressed, the clipboard given back, and the arrival waited for.
//
// Before each key the target is asked whether the line is still wanted, and the
// window has to have the focus.
func deliver(ctx context.Context, t Target, d desk, k keyboard) (err error) {
	if err := t.Check(); err != nil {
		return err
	}
	w, err := find(ctx, t, d)
	if err != nil {
		return err
	}
	if err := rested(ctx, t, d); err != nil {
		return err
	}
	if err := t.permit(ctx); err != nil {
		return err
	}
	if err := focus(ctx, t, d, w); err != nil {
		return err
	}
	sent := false
	defer func() {
		if err != nil && sent {
			err = &SentError{err}
		}
	}()
	press := func(c Chord) error {
		pressed, err := pressFocused(ctx, t, d, k, w, c)
		sent = sent || pressed
		return err
	}
	if t.FocusKeys.Key != "" {
		if err := press(t.FocusKeys); err != nil {
			return fmt.Errorf("%s: %w", t.FocusKeys, err)
		}
	}
	c, err := d.put(ctx, w, t.Line)
	if err != nil {
		return fmt.Errorf("clipboard: %w", err)
	}
	back := sync.OnceFunc(func() { giveBack(ctx, t, c) })
	defer back()
	if err := press(pasteChord); err != nil {
		return fmt.Errorf("paste: %w", err)
	}
	if err := c.fetched(ctx); err != nil {
		return fmt.Errorf("the line was not fetched: %w", err)
	}
	t.step("pasted")
	if t.Test {
		return nil
	}
	return send(ctx, t, press, back)
}

// find gives the window to type into.
func find(ctx context.Context, t Target, d desk) (window, error) {
	if t.Test {
		front, ok := d.(fronter)
		if !ok {
			return window{}, errors.New("this way of typing cannot be tested")
		}
		return front.front(ctx)
	}
	windows, err := d.windows(ctx, t)
	if err != nil {
		return window{}, err
	}
	return pick(windows, t.Workspace)
}

// rested waits until the user touches nothing, for at most quietWait.
func rested(ctx context.Context, t Target, d desk) error {
	end := time.Now().Add(quietWait)
	for told := false; time.Now().Before(end); told = true {
		idle, err := d.idle(ctx)
		if errors.Is(err, errUnknown) || err == nil && idle >= quiet {
			return nil
		}
		if err != nil {
			return err
		}
		if !told {
			t.step("the user is active: waiting")
		}
		if err := sleep(ctx, quiet-idle); err != nil {
			return err
		}
	}
	return nil
}

// focus brings the window to the front, unless it is there.
func focus(ctx context.Context, t Target, d desk, w window) error {
	ok, err := d.focused(ctx, w)
	if ok || err != nil {
		return err
	}
	t.step("bringing the window %q to the front", w.title)
	if err := d.activate(ctx, w); err != nil {
		return err
	}
	end := time.Now().Add(focusWait)
	for time.Now().Before(end) {
		if ok, err := d.focused(ctx, w); ok || err != nil {
			return err
		}
		if err := sleep(ctx, poll); err != nil {
			return err
		}
	}
	return fmt.Errorf("the window of Cursor did not come to the front in %s", focusWait)
}

// pressFocused presses a chord in a moment in which the window has the focus.
func pressFocused(ctx context.Context, t Target, d desk, k keyboard, w window, c Chord) (pressed bool, err error) {
	end := time.Now().Add(pressWait)
	for {
		ok, err := d.focused(ctx, w)
		if err == nil && ok {
			// Each time, for the user may have changed his mind while another
			// window had the focus.
			if err := t.permit(ctx); err != nil {
				return false, err
			}
			err = k.press(ctx, w, c)
			if !errors.Is(err, errLostFocus) {
				return !errors.As(err, new(unpressed)), err
			}
		}
		switch {
		case err != nil && !errors.Is(err, errLostFocus):
			return false, err
		case time.Now().After(end):
			return false, cmp.Or(err, errLostFocus)
		}
		if err := sleep(ctx, time.Millisecond); err != nil {
			return false, err
		}
	}
}

// send presses Return, and a second time only where the chat input is known to
// have the focus. In between the clipboard is given back: the user is not to
// miss it while the arrival is waited for.
func send(ctx context.Context, t Target, press func(Chord) error, back func()) error {
	if err := press(returnChord); err != nil {
		return fmt.Errorf("return: %w", err)
	}
	t.step("pressed Return")
	back()
	if t.Arrived == nil {
		return nil
	}
	if t.FocusKeys.Key != "" {
		first, cancel := context.WithTimeout(ctx, arrivalWait)
		err := t.Arrived(first)
		cancel()
		if err == nil || ctx.Err() != nil {
			return proved(err)
		}
		if err := press(returnChord); err != nil {
			return fmt.Errorf("return: %w", err)
		}
		t.step("pressed Return a second time")
	}
	return proved(t.Arrived(ctx))
}

// proved makes of an arrival that did not come what a caller looks for.
func proved(err error) error {
	if err == nil || errors.Is(err, ErrUnproved) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrUnproved, err)
}

// giveBack restores the clipboard, after what was pressed had its time. What
// went wrong is for the log: the line was typed or not, whatever became of this.
func giveBack(ctx context.Context, t Target, c clip) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), restoreWait+2*time.Second)
	defer cancel()
	_ = sleep(ctx, restoreWait) // ctx cannot be done before
	lost, err := c.restore(ctx)
	if lost != "" {
		t.step("clipboard: %s", lost)
	}
	if err != nil {
		t.step("clipboard: %v", err)
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
