package wayland

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
)

// wlClipboard is Wayland's clipboard and its primary selection. Both are used,
// because Shift+Insert pastes one or the other: the clipboard in Chromium, the
// primary selection in terminals, and in VS Code what it is bound to.
//
// wl-paste reads them, wl-copy puts back what was there. Meanwhile our line is
// offered by ourselves, where the compositor lets a program do so that has no
// window; for wl-copy does not say when it is read.
type wlClipboard struct {
	m           desk.Machine
	copy, paste string
	control     bool // the compositor has the data-control protocol
}

func clipboardOf(m desk.Machine, g globals) (wlClipboard, error) {
	wlCopy, err := m.Look("wl-copy")
	if err != nil {
		return wlClipboard{}, fmt.Errorf("%w: install wl-clipboard", err)
	}
	wlPaste, err := m.Look("wl-paste")
	if err != nil {
		return wlClipboard{}, fmt.Errorf("%w: install wl-clipboard", err)
	}
	iface, _ := g.dataControl()
	return wlClipboard{m, wlCopy, wlPaste, iface != ""}, nil
}

const (
	// readersWait without a reader means that all readers are done: clipboard
	// managers read a new clipboard at once, or again after an editor has.
	readersWait = 30 * time.Millisecond
	// wlFetchWait is how long an editor may take to read after the paste.
	wlFetchWait = 1500 * time.Millisecond
	// wlSettle is how long reading takes where it cannot be observed.
	wlSettle = 150 * time.Millisecond
)

var errTaken = errors.New("another program has taken the clipboard")

func (c wlClipboard) Put(ctx context.Context, line string) (desk.Clip, error) {
	p := &wlClip{wlClipboard: c, line: line, kept: []*wlKept{
		{name: "clipboard", source: offerClipboard},
		{name: "primary selection", source: offerPrimary, flags: []string{"--primary"}},
	}}
	for _, k := range p.kept {
		if err := c.keep(ctx, k); err != nil {
			return nil, err
		}
	}
	if err := p.take(ctx); err != nil {
		_, undo := p.Restore(ctx)
		return nil, errors.Join(err, undo)
	}
	return p, nil
}

type wlKept struct {
	name   string
	source uint32   // of an offer
	flags  []string // of wl-copy and wl-paste
	had    bool     // a text
	text   string
	lost   string // what cannot be restored
	ours   bool   // our line was put there
}

func (c wlClipboard) keep(ctx context.Context, k *wlKept) error {
	types, err := c.m.Run(ctx, "", c.paste, append(k.flags, "--list-types")...)
	if isEmpty(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if strings.Contains(types, wlPassword) { // without its mark a clipboard's history would keep it
		k.lost = fmt.Sprintf("the %s held what is marked as a password, which is not restored", k.name)
		return nil
	}
	var text, other string
	for kind := range strings.Lines(types) {
		kind = strings.TrimSpace(kind)
		switch {
		case kind == "UTF8_STRING" || strings.HasPrefix(kind, "text/plain"):
			text = kind
		case strings.Contains(kind, "/") && other == "":
			other = kind
		}
	}
	switch {
	case text == "":
		k.lost = fmt.Sprintf("the %s held %s, which cannot be restored", k.name, cmp.Or(other, "something without a type"))
		return nil
	case other != "":
		k.lost = fmt.Sprintf("the %s held %s too; only its text is restored", k.name, other)
	}
	k.text, err = c.m.Run(ctx, "", c.paste, append(k.flags, "--no-newline", "--type", text)...)
	k.had = err == nil
	return err
}

// wlPassword marks a clipboard. Source: KDE's Klipper, which does not keep one with it.
const wlPassword = "x-kde-passwordManagerHint"

// isEmpty reports whether wl-paste complained that there is nothing to paste.
// Source: wl-clipboard, src/wl-paste.c; they are not translated.
func isEmpty(err error) bool {
	return err != nil && (strings.Contains(err.Error(), "Nothing is copied") || strings.Contains(err.Error(), "No selection"))
}

// set puts a text into a selection. wl-copy reads it all, takes the selection, and
// only then leaves a child behind that serves it, so the text is there when it
// returns. Without a type it would look for one with xdg-mime.
func (c wlClipboard) set(ctx context.Context, k *wlKept, text string) error {
	return c.leave(ctx, text, append(k.flags, "--type", "text/plain")...)
}

// leave runs wl-copy, whose child keeps its streams and serves the text: it gets none that we would wait for. If it
// fails it runs again, with its stderr for the reason.
func (c wlClipboard) leave(ctx context.Context, stdin string, args ...string) error {
	wlCopy := proc.Command{Path: c.copy, Args: args, Env: c.m.Env, Stdin: stdin}
	first, cancel := context.WithTimeout(ctx, desk.ProgramWait)
	defer cancel()
	_, err := wlCopy.Output(first)
	if errors.As(err, new(*proc.ExitError)) {
		_, err = c.m.Run(ctx, stdin, c.copy, args...)
		return err
	}
	if err != nil {
		return fmt.Errorf("wl-copy: %w", err)
	}
	return nil
}

type wlClip struct {
	wlClipboard
	line  string
	kept  []*wlKept
	offer *wlOffer // nil where the line is wl-copy's, or a clipboard manager's
	reads int      // of the offer before the paste
}

func (p *wlClip) take(ctx context.Context) (err error) {
	for _, k := range p.kept {
		k.ours = true
	}
	if !p.control {
		for _, k := range p.kept {
			err = errors.Join(err, p.set(ctx, k, p.line))
		}
		return err
	}
	if p.offer, err = offer(ctx, p.m, p.line); err != nil {
		return err
	}
	p.reads, err = p.offer.quietFor(ctx, readersWait)
	if errors.Is(err, errTaken) { // a manager may have taken it over, and hold the same text
		err, p.offer = p.offer.close(), nil
		return errors.Join(err, p.held(ctx))
	}
	return err
}

// Fetched waits until the line was read, and by no program that came later
// than put: those that read whatever is new have done so by then.
func (p *wlClip) Fetched(ctx context.Context) error {
	if p.offer == nil {
		if err := proc.Sleep(ctx, wlSettle); err != nil {
			return err
		}
		return p.held(ctx)
	}
	wait, cancel := context.WithTimeout(ctx, wlFetchWait)
	defer cancel()
	if err := p.offer.readMore(wait, p.reads); err != nil {
		return err
	}
	_, err := p.offer.quietFor(ctx, readersWait)
	return err
}

// held returns errTaken unless our line is still in both selections.
func (p *wlClip) held(ctx context.Context) error {
	for _, k := range p.kept {
		if ok, err := p.holds(ctx, k); err != nil || !ok {
			return errors.Join(err, errTaken)
		}
	}
	return nil
}

// holds reports whether our line is still in a selection, and true where that is
// unknown: without data-control wl-paste opens a window for a moment, which would take
// the focus. Source: wl-clipboard(1).
func (p *wlClip) holds(ctx context.Context, k *wlKept) (bool, error) {
	switch {
	case !k.ours:
		return false, nil
	case p.offer != nil:
		return p.offer.holds(k.source), nil
	case !p.control:
		return true, nil
	}
	text, err := p.m.Run(ctx, "", p.paste, append(k.flags, "--no-newline", "--type", "text/plain")...)
	if isEmpty(err) {
		return false, nil
	}
	return err == nil && text == p.line, err
}

// Restore leaves alone what somebody has copied since.
func (p *wlClip) Restore(ctx context.Context) (lost string, err error) {
	var words []string
	for _, k := range p.kept {
		ok, held := p.holds(ctx, k)
		err = errors.Join(err, held)
		if !ok {
			continue
		}
		if k.lost != "" {
			words = append(words, k.lost)
		}
		if k.had {
			err = errors.Join(err, p.set(ctx, k, k.text))
		} else {
			err = errors.Join(err, p.leave(ctx, "", append(k.flags, "--clear")...))
		}
	}
	if p.offer != nil {
		err = errors.Join(err, p.offer.close())
	}
	return strings.Join(words, "; "), err
}
