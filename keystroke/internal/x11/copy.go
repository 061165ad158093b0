package x11

import (
	"context"
	"errors"
	"time"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
)

// Copy leaves a line on the clipboard. The guard serves it, for a clipboard ends
// with its owner.
func Copy(ctx context.Context, m desk.Machine, line string) error {
	x, err := Open(ctx, m)
	if err != nil {
		return err
	}
	defer x.Close()
	before, err := x.owner()
	if err != nil {
		return err
	}
	g := startGuard(m)
	if g == nil {
		return errors.New("there is no guard that would serve it")
	}
	g.keep(0, before, line, "") // whose clipboard it takes
	if !g.serve() {
		return errors.New("the guard has died")
	}
	ok, err := desk.Until(ctx, time.Second, func() (bool, error) {
		now, err := x.owner()
		return now != 0 && now != before, err
	})
	if err == nil && !ok {
		err = errors.New("the guard did not take the clipboard")
	}
	return err
}
