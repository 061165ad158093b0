package testdesk

import (
	"context"
	"os/exec"
	"strings"
	"time"

	"github.com/jezek/xgb/xproto"
)

// Copy puts a text on the clipboard with xclip, which keeps serving it.
func (x *X) Copy(ctx context.Context, text string) error { return x.Select(ctx, "clipboard", text) }

// Select puts a text into the selection clipboard or primary, as Copy does.
func (x *X) Select(ctx context.Context, name, text string) error {
	before, err := x.owner(name)
	if err != nil {
		return err
	}
	tool, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(tool, "xclip", "-selection", name)
	cmd.Env, cmd.Stdin = x.Env(), strings.NewReader(text)
	if err := cmd.Run(); err != nil {
		return err
	}
	// It leaves a child behind, which takes the selection a moment later.
	return until(ctx, "owner of the "+name, func() (bool, error) {
		owner, err := x.owner(name)
		return owner != before && owner != xproto.WindowNone, err
	})
}

func (x *X) owner(selection string) (xproto.Window, error) {
	name, err := x.atom(strings.ToUpper(selection))
	if err != nil {
		return 0, err
	}
	reply, err := xproto.GetSelectionOwner(x.conn, name).Reply()
	if err != nil {
		return 0, err
	}
	return reply.Owner, nil
}

// Clipboard returns the text on the clipboard.
func (x *X) Clipboard(ctx context.Context) (string, error) { return x.Selection(ctx, "clipboard") }

// Selection returns the text of the selection clipboard or primary.
func (x *X) Selection(ctx context.Context, name string) (string, error) {
	return x.run(ctx, "xclip", "-selection", name, "-o")
}
