package keystroke

import "context"

// wlCopy pastes the line: wl-copy puts it on the clipboard, wtype presses
// Shift+Insert and Return.
type wlCopy struct{ m Machine }

func newWlCopy(m Machine) Injector { return wlCopy{m} }

// Name is wl-copy.
func (wlCopy) Name() string { return "wl-copy" }

// Probe looks for the programs, for a compositor that takes keys, and for the
// window.
func (i wlCopy) Probe(ctx context.Context, t Target) error {
	d, _, err := i.desk(ctx, t)
	if err == nil {
		_, err = find(ctx, t, d)
	}
	return err
}

// Type pastes the line and presses Return.
func (i wlCopy) Type(ctx context.Context, t Target) error {
	d, k, err := i.desk(ctx, t)
	if err != nil {
		return err
	}
	return deliver(ctx, t, d, k)
}

func (i wlCopy) desk(ctx context.Context, t Target) (waylandDesk, wtypeKeys, error) {
	d, k, g, err := i.m.wtypeDesk(ctx, t)
	if err != nil {
		return d, k, err
	}
	d.clipboard, err = i.m.wlClipboard(g)
	return d, k, err
}
