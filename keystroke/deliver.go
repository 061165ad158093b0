package keystroke

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/key"
)

// The patience of a delivery.
const (
	focusWait   = 3 * time.Second         // for a window to come to the front
	pressWait   = 1500 * time.Millisecond // for a moment in which the window has the focus, when others take it
	quiet       = time.Second             // without a key or a movement of the user
	quietWait   = 10 * time.Second        // for that, at most
	arrivalWait = 4 * time.Second         // before the submit key is pressed a second time
	restoreWait = 100 * time.Millisecond  // what was copied is read a moment after the key
)

// deliver types a target's line by the rules that all ways of typing keep:
//
//  1. Find the window, wait until the user rests, bring the window to the front.
//  2. Put the line on the clipboard, paste, wait until the editor has fetched it.
//  3. Press the submit key, put the clipboard back, wait for the arrival.
//
// Where the extension has put the line into the chat's input, 2 is left out.
// Before each key the target has to permit it, and the window has to have the focus.
func deliver(ctx context.Context, t Target, d desk.Desk, k desk.Keyboard) (err error) {
	w, err := find(ctx, t, d)
	if err != nil {
		return err
	}
	if t.put == nil { // otherwise keys of the user would join the line
		err = rested(ctx, t, d)
	}
	if err != nil {
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
	if t.put != nil {
		return send(ctx, t, press, func() {})
	}
	if t.FocusKeys.Key != "" {
		if err := press(t.FocusKeys); err != nil {
			return fmt.Errorf("%s: %w", t.FocusKeys, err)
		}
	}
	c, err := d.Put(ctx, w, t.Line)
	if err != nil {
		return fmt.Errorf("clipboard: %w", err)
	}
	back := sync.OnceFunc(func() { giveBack(ctx, t, c) })
	defer back()
	if err := press(key.Paste); err != nil {
		return fmt.Errorf("paste: %w", err)
	}
	if err := c.Fetched(ctx); err != nil {
		return fmt.Errorf("the line was not fetched: %w", err)
	}
	t.step("pasted")
	if t.Test {
		return nil
	}
	return send(ctx, t, press, back)
}

func find(ctx context.Context, t Target, d desk.Desk) (desk.Window, error) {
	if t.Test {
		return d.Front(ctx)
	}
	windows, err := d.Windows(ctx, t.Editors)
	if err != nil {
		return desk.Window{}, err
	}
	return pick(windows, t.Workspace)
}

func rested(ctx context.Context, t Target, d desk.Desk) error {
	end := time.Now().Add(quietWait)
	for reported := false; time.Now().Before(end); reported = true {
		idle, err := d.Idle(ctx)
		if errors.Is(err, desk.ErrUnknown) || err == nil && idle >= quiet {
			return nil
		}
		if err != nil {
			return err
		}
		if !reported {
			t.step("the user is active: waiting")
		}
		if err := proc.Sleep(ctx, quiet-idle); err != nil {
			return err
		}
	}
	return nil
}

func focus(ctx context.Context, t Target, d desk.Desk, w desk.Window) error {
	ok, err := d.Focused(ctx, w)
	if ok || err != nil {
		return err
	}
	t.step("bringing the window %q to the front", w.Title)
	if err := d.Activate(ctx, w); err != nil {
		return err
	}
	ok, err = desk.Until(ctx, focusWait, func() (bool, error) { return d.Focused(ctx, w) })
	if err == nil && !ok {
		err = fmt.Errorf("the window of Cursor did not come to the front in %s", focusWait)
	}
	return err
}

// pressFocused presses a chord in a moment in which the window has the focus.
func pressFocused(ctx context.Context, t Target, d desk.Desk, k desk.Keyboard, w desk.Window, c Chord) (pressed bool, err error) {
	end := time.Now().Add(pressWait)
	for {
		ok, err := d.Focused(ctx, w)
		if err == nil && ok {
			// Each time: the loop may have been stopped while another window had
			// the focus.
			if err := t.permit(ctx); err != nil {
				return false, err
			}
			err = k.Press(ctx, w, c)
			if !errors.Is(err, desk.ErrLostFocus) {
				return !desk.IsNotPressed(err), err
			}
		}
		switch {
		case err != nil && !errors.Is(err, desk.ErrLostFocus):
			return false, err
		case time.Now().After(end):
			return false, cmp.Or(err, desk.ErrLostFocus)
		}
		if err := proc.Sleep(ctx, time.Millisecond); err != nil {
			return false, err
		}
	}
}

// send presses the submit key, and a second time only where the chat input is known
// to have the focus. In between it restores the clipboard, which the user may need
// before the line arrives.
func send(ctx context.Context, t Target, press func(Chord) error, back func()) error {
	submit, name := t.submit(), t.submitName()
	if err := press(submit); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	t.step("pressed %s", name)
	back()
	if t.Arrived == nil {
		return nil
	}
	if t.FocusKeys.Key != "" && t.put == nil {
		first, cancel := context.WithTimeout(ctx, arrivalWait)
		err := t.Arrived(first)
		cancel()
		if err == nil || ctx.Err() != nil {
			return proved(err)
		}
		if err := press(submit); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		t.step("pressed %s a second time", name)
	}
	return proved(t.Arrived(ctx))
}

// proved wraps the error of an arrival that did not come in ErrUnproved.
func proved(err error) error {
	if err == nil || errors.Is(err, ErrUnproved) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrUnproved, err)
}

// giveBack restores the clipboard, after the paste had its time. Errors go to the
// log only: they do not change whether the line was typed.
func giveBack(ctx context.Context, t Target, c desk.Clip) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), restoreWait+2*time.Second)
	defer cancel()
	_ = proc.Sleep(ctx, restoreWait) // ctx cannot be done before
	lost, err := c.Restore(ctx)
	if lost != "" {
		t.step("clipboard: %s", lost)
	}
	if err != nil {
		t.step("clipboard: %v", err)
	}
}
