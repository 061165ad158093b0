package keystroke

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
)

const (
	takeWait    = time.Second // for a text to be on a clipboard
	restoreWait = 2 * time.Second
	poll        = 10 * time.Millisecond
)

// kept is a clipboard with our line on it, and the text to put back.
type kept struct {
	board desk.Board
	line  string
	old   string
}

// put puts the line on the clipboards of a desktop, and returns what puts back the
// texts that they held. If one holds something else than text, nothing is done.
func put(ctx context.Context, t Target, boards []desk.Board) (back func(), err error) {
	var all []kept
	for _, b := range boards {
		c, err := b.Get(ctx)
		if err == nil {
			err = restorable(c.Types)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", b.Name, err)
		}
		all = append(all, kept{b, t.Line, c.Text})
	}
	back = func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), restoreWait)
		defer cancel()
		for _, k := range all {
			if err := k.restore(ctx); err != nil { // it does not change whether the line was typed
				t.step("%s: %v", k.board.Name, err)
			}
		}
	}
	for _, k := range all {
		if err := k.set(ctx, k.line); err != nil {
			back()
			return nil, fmt.Errorf("%s: %w", k.board.Name, err)
		}
	}
	return back, nil
}

// restorable returns why what a clipboard holds is not put back by putting back
// its text. Of formatted text only the text comes back.
func restorable(types []string) error {
	if len(types) > 0 && !slices.ContainsFunc(types, desk.IsText) {
		return errors.New("it holds something else than text, which could not be put back")
	}
	for _, kind := range types {
		kind = strings.ToLower(kind)
		for _, other := range []struct{ in, what string }{
			{"uri-list", "files"}, {"copied-files", "files"}, {"cutselection", "files"}, {"file-url", "files"}, {"filedrop", "files"},
			{"image/", "an image"}, {"bitmap", "an image"}, {"public.png", "an image"}, {"public.tiff", "an image"},
			// Without their mark the histories of clipboards would keep it. Sources: Klipper; nspasteboard.org; Microsoft, "Clipboard Formats".
			{"passwordmanagerhint", "a password"}, {"concealedtype", "a password"}, {"excludeclipboardcontent", "a password"},
		} {
			if strings.Contains(kind, other.in) {
				return fmt.Errorf("it holds %s, which could not be put back", other.what)
			}
		}
	}
	return nil
}

// set puts a text there, which may be there only a moment later.
func (k kept) set(ctx context.Context, text string) error {
	if err := k.board.Set(ctx, text); err != nil {
		return err
	}
	ok, err := until(ctx, takeWait, func() (bool, error) { return k.holds(ctx, text) })
	if err == nil && !ok {
		err = errors.New("another program took it")
	}
	return err
}

func (k kept) holds(ctx context.Context, text string) (bool, error) {
	c, err := k.board.Get(ctx)
	return c.Text == text, err
}

// restore leaves alone what somebody has copied meanwhile.
func (k kept) restore(ctx context.Context) error {
	ours, err := k.holds(ctx, k.line)
	if err != nil || !ours {
		return err
	}
	return k.set(ctx, k.old)
}

// until waits until ok returns true or an error, or for some time at most, and returns what ok returned last.
func until(ctx context.Context, patience time.Duration, ok func() (bool, error)) (bool, error) {
	for end := time.Now().Add(patience); ; {
		if done, err := ok(); done || err != nil || time.Now().After(end) {
			return done, err
		}
		if err := proc.Sleep(ctx, poll); err != nil {
			return false, err
		}
	}
}
