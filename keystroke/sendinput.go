package keystroke

import (
	"context"
)

// sendInput types through Windows's own SendInput, without another program.
type sendInput struct{ m Machine }

func newSendInput(m Machine) Injector { return sendInput{m} }

// Name is sendinput.
func (sendInput) Name() string { return "sendinput" }

// Probe looks for the window.
func (i sendInput) Probe(ctx context.Context, t Target) error {
	d, err := newWinDesk(i.m)
	if err != nil {
		return err
	}
	_, err = find(ctx, t, d)
	return err
}

// Type delivers the line with clipboard and Shift+Insert.
func (i sendInput) Type(ctx context.Context, t Target) error {
	d, err := newWinDesk(i.m)
	if err != nil {
		return err
	}
	return deliver(ctx, t, d, newWinKeyboard())
}
