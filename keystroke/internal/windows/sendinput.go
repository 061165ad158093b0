package windows

import (
	"context"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
)

// OpenSendInput types through Windows's own SendInput, without another program.
func OpenSendInput(context.Context, desk.Machine, desk.Request) (desk.Session, error) {
	d, err := Desk()
	return desk.Session{Desk: d, Keyboard: keyboard()}, err
}
