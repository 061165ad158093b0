package wayland

import (
	"context"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
)

// IsEmpty reports whether wl-paste found nothing to paste.
var IsEmpty = isEmpty

// Leave puts a text into a selection.
func Leave(ctx context.Context, m desk.Machine, text string, flags ...string) error {
	path, err := m.Look("wl-copy")
	if err != nil {
		return err
	}
	return wlClipboard{m: m, copy: path}.leave(ctx, text, flags...)
}
