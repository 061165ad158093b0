package keystroke

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
)

// The patience of a delivery.
const (
	quiet     = time.Second      // without a key or a movement of the user
	quietWait = 10 * time.Second // for that, at most
	focusWait = 3 * time.Second  // for a window to come to the front
	focusRest = 100 * time.Millisecond
	pasteWait = 250 * time.Millisecond // for the editor to read the line, which cannot be observed
	sendWait  = 100 * time.Millisecond // after the submit key: a browser may read late what was pasted
)

// ErrBusy means that the user did not rest for a second within ten, so that
// nothing was typed. No other way is tried.
var ErrBusy = errors.New("the user is busy: there was no pause of a second within ten")

// deliver types a target's line by the rules that all ways of typing keep:
//
//  1. Find the window, wait until the user rests, bring the window to the front.
//  2. Put the line on the clipboard and paste.
//  3. Press the submit key, put the clipboard back, wait for the arrival.
//
// Where the extension has put the line into the chat's input, 2 is left out.
// Right before each key the target has to permit it, and the window has to have
// the focus.
func deliver(ctx context.Context, t Target, d desk.Desk) (err error) {
	w, err := find(ctx, t, d)
	if err != nil {
		return err
	}
	if t.put == nil { // otherwise keys of the user would join the line
		if err := rested(ctx, t, d); err != nil {
			return err
		}
	}
	if err := t.permit(ctx); err != nil {
		return err
	}
	p := &presser{t: t, d: d, w: w}
	defer func() {
		if err != nil && p.sent {
			err = &SentError{err}
		}
	}()
	if t.put == nil {
		if err := p.toFront(ctx); err != nil {
			return err
		}
		back, err := put(ctx, t, d.Boards)
		if err != nil {
			return err
		}
		back = sync.OnceFunc(back)
		defer back()
		if err := p.paste(ctx); err != nil {
			return err
		}
		return p.send(ctx, back)
	}
	return p.send(ctx, func() {})
}

// rested waits until the user rests. Where the desktop does not report that, it
// does not wait.
func rested(ctx context.Context, t Target, d desk.Desk) error {
	if d.Idle == nil {
		return nil
	}
	for end, reported := time.Now().Add(quietWait), false; ; reported = true {
		idle, err := d.Idle(ctx)
		switch {
		case err != nil:
			return err
		case idle >= quiet:
			return nil
		case time.Now().After(end):
			return ErrBusy
		case !reported:
			t.step("the user is active: waiting")
		}
		if err := proc.Sleep(ctx, quiet-idle); err != nil {
			return err
		}
	}
}

// presser presses keys in a window that has the focus.
type presser struct {
	t    Target
	d    desk.Desk
	w    desk.Window
	sent bool // a key may have been sent
}

func (p *presser) paste(ctx context.Context) error {
	if err := p.press(ctx, desk.Paste); err != nil {
		return fmt.Errorf("paste: %w", err)
	}
	p.t.step("pasted")
	// If the focus went between the check and the key, the line is elsewhere, and
	// the submit key would send something else.
	if front, err := p.isFront(ctx); err != nil || !front {
		return errors.Join(errors.New("another window may have got the paste"), err)
	}
	return proc.Sleep(ctx, pasteWait)
}

// send presses the submit key once. The user may need the clipboard before the line
// arrives.
func (p *presser) send(ctx context.Context, back func()) error {
	if err := p.press(ctx, p.t.submit()); err != nil {
		return fmt.Errorf("%s: %w", p.t.submitName(), err)
	}
	p.t.step("pressed %s", p.t.submitName())
	if err := proc.Sleep(ctx, sendWait); err != nil {
		return err
	}
	back()
	if p.t.Arrived == nil {
		return nil
	}
	return proved(p.t.Arrived(ctx))
}

// press brings the window to the front if it is not, and presses a key there.
func (p *presser) press(ctx context.Context, k desk.Key) error {
	if err := p.toFront(ctx); err != nil {
		return err
	}
	before := p.sent
	err := p.d.Press(ctx, p.w, k, func() error {
		if err := p.t.permit(ctx); err != nil {
			return err
		}
		front, err := p.isFront(ctx)
		if err == nil && !front {
			err = desk.ErrLostFocus
		}
		p.sent = p.sent || err == nil
		return err
	})
	if errors.Is(err, desk.ErrLostFocus) {
		p.sent = before
	}
	return err
}

func (p *presser) isFront(ctx context.Context) (bool, error) {
	front, err := p.d.Front(ctx)
	if errors.Is(err, desk.ErrNoFront) {
		return false, nil
	}
	return err == nil && p.w.Is(front), err
}

func (p *presser) toFront(ctx context.Context) error {
	isFront := func() (bool, error) { return p.isFront(ctx) }
	ok, err := isFront()
	if ok || err != nil {
		return err
	}
	p.t.step("bringing the window %q to the front", p.w.Title)
	if err := p.d.Raise(ctx, p.w); err != nil {
		return err
	}
	ok, err = until(ctx, focusWait, isFront)
	if err == nil && !ok {
		err = fmt.Errorf("the window of Cursor did not come to the front in %s", focusWait)
	}
	if err != nil {
		return err
	}
	return proc.Sleep(ctx, focusRest) // the editor learns of its focus later than the desktop
}

// proved wraps the error of an arrival that did not come in ErrUnproved.
func proved(err error) error {
	if err == nil || errors.Is(err, ErrUnproved) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrUnproved, err)
}
