package keystroke

import (
	"context"
	"errors"
	"fmt"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/bridge"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
)

// bridgeInjector has Cursor itself send the line.
type bridgeInjector struct{ bridge.Bridge }

// CursorCommand finds the command `cursor`.
func CursorCommand(m Machine) (string, error) { return bridge.New(desk.Machine(m)).Program() }

func newBridge(m desk.Machine) Injector { return bridgeInjector{bridge.New(m)} }

// Name is bridge.
func (bridgeInjector) Name() string { return "bridge" }

// Probe asks Cursor whether it lists the target's chat; for a target without a
// chat, whether it lists any.
func (i bridgeInjector) Probe(ctx context.Context, t Target) error {
	if t.NewChat {
		return errNoNewChat
	}
	if t.put != nil {
		return errNoKeys
	}
	_, err := i.Find(ctx, t.Conversation)
	return err
}

// Type sends the line once. No other way may be tried after it, unless Cursor
// says that it sent nothing.
func (i bridgeInjector) Type(ctx context.Context, t Target) error {
	if err := t.Check(); err != nil {
		return err
	}
	if t.Conversation == "" {
		return errors.New("the line is for no chat")
	}
	chat, err := i.Find(ctx, t.Conversation)
	if err != nil {
		return err
	}
	if err := t.permit(ctx); err != nil {
		return err
	}
	answer, err := chat.Send(ctx, t.Line)
	if err != nil {
		return err
	}
	if answer.NothingSent() {
		return fmt.Errorf("cursor desktop send: %s", answer)
	}
	t.step("cursor desktop send: %s", answer)
	return awaitProof(ctx, t, answer)
}

// awaitProof waits until the line has arrived. Cursor's answer does not
// prove it, and no other way may be tried without proof.
func awaitProof(ctx context.Context, t Target, a bridge.Answer) error {
	err := ErrUnproved
	switch {
	case t.Arrived != nil:
		err = proved(t.Arrived(ctx))
	case a.IsSent():
		err = nil
	}
	if err != nil {
		return &SentError{fmt.Errorf("cursor desktop send: %s; %w", a, err)}
	}
	return nil
}
