package keystroke

import (
	"context"
	"errors"
	"fmt"

	"github.com/jezek/xgb/xproto"
)

// front gives the window that has the focus, whoever's it is.
func (x *x11) front(ctx context.Context) (w window, err error) {
	err = x.ask(ctx, func() error {
		focus, err := x.inputFocus()
		if err != nil {
			return err
		}
		ids, err := x.topLevel()
		if err != nil {
			return err
		}
		for _, id := range ids {
			in, err := x.within(focus, id)
			if err == nil && in {
				w, err = x.named(id)
			}
			if err != nil || in {
				return err
			}
		}
		return errors.New("no window has the focus")
	})
	return w, err
}

func (x *x11) named(id xproto.Window) (window, error) {
	title, err := x.property(id, x.atoms["_NET_WM_NAME"])
	return window{id: fmt.Sprintf("%#x", uint32(id)), title: string(title)}, err
}
