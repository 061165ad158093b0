package x11

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// The limits of what is kept of a clipboard.
const (
	keepWait = time.Second // for its owner to give it: often the editor, busy at the end of a turn
	keepSize = 4 << 20
)

type keptText struct {
	text string
	lost string // what cannot be put back, in words
}

// Why an owner's text is missing.
var (
	errRefused = errors.New("it was refused")
	errTooLong = fmt.Errorf("it has more than %d MB", keepSize>>20)
)

// keep reads a selection. Only an error of the connection is an error.
func (x *Display) keep(selection xproto.Atom) (keptText, error) {
	owner, err := x.ownerOf(selection)
	if owner == 0 || err != nil {
		return keptText{}, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), min(keepWait+10*x.trip, answerWait*3/4))
	defer cancel()
	text, more, err := x.keepText(ctx, selection)
	switch {
	case isClosed(x.loop): // the connection has ended
		return keptText{}, fmt.Errorf("display %s: no answer", x.display)
	case errors.Is(err, errRefused):
		return keptText{lost: "it held " + more + ", which is lost"}, nil
	case errors.Is(err, context.DeadlineExceeded):
		return keptText{lost: "its owner did not answer, so what it held is lost"}, nil
	case err != nil:
		return keptText{lost: "what it held is lost: " + err.Error()}, nil
	case more != "":
		return keptText{text: text, lost: "it held " + more + " too, which is lost"}, nil
	}
	return keptText{text: text}, nil
}

// keepText reads what is available as text, and names what else would be missed.
func (x *Display) keepText(ctx context.Context, selection xproto.Atom) (text, more string, err error) {
	data, err := x.convert(ctx, selection, "TARGETS")
	if err != nil && !errors.Is(err, errRefused) {
		return "", "", err
	}
	has := map[xproto.Atom]bool{x.atoms["UTF8_STRING"]: err != nil} // an owner without a list is asked all the same
	for ; len(data) >= 4; data = data[4:] {
		has[xproto.Atom(xgb.Get32(data))] = true
	}
	for _, kind := range []struct{ target, words string }{
		{"image/png", "an image"}, {"text/uri-list", "files"}, {"text/html", "formatted text"},
	} {
		if has[x.atoms[kind.target]] {
			more = kind.words
			break
		}
	}
	switch {
	case has[x.atoms["UTF8_STRING"]]:
		data, err = x.convert(ctx, selection, "UTF8_STRING")
		return string(data), more, err
	case has[xproto.AtomString]:
		data, err = x.convert(ctx, selection, "STRING")
		return utf8Of(data), more, err
	case more == "":
		more = "something other than text"
	}
	return "", more, errRefused
}

// utf8Of reads Latin 1, which is what STRING is made of. Source: ICCCM, 2.6.2.
func utf8Of(latin []byte) string {
	text := make([]rune, len(latin))
	for i, b := range latin {
		text[i] = rune(b)
	}
	return string(text)
}

func (x *Display) convert(ctx context.Context, selection xproto.Atom, target string) ([]byte, error) {
	now, err := x.now()
	if err != nil {
		return nil, err
	}
	events, stop := x.events()
	defer stop()
	property := selection // of our own window: any name will do, but a late answer must not be taken for another
	xproto.DeleteProperty(x.conn, x.self, property)
	xproto.ConvertSelection(x.conn, x.self, selection, x.atoms[target], property, now)
	var answer xproto.SelectionNotifyEvent
	err = x.await(ctx, events, func(event xgb.Event) (ok bool) {
		answer, ok = event.(xproto.SelectionNotifyEvent)
		return ok && answer.Selection == selection && answer.Target == x.atoms[target] && answer.Requestor == x.self
	})
	if err != nil {
		return nil, err
	}
	if answer.Property == 0 {
		return nil, errRefused
	}
	data, kind, err := x.take(property)
	if err != nil || kind != x.atoms["INCR"] {
		return data, err
	}
	return x.takePieces(ctx, events, property)
}

// take reads what an owner wrote on our window and deletes it, which tells the owner
// to go on.
func (x *Display) take(property xproto.Atom) ([]byte, xproto.Atom, error) {
	reply, err := xproto.GetProperty(x.conn, true, x.self, property, xproto.GetPropertyTypeAny, 0, keepSize/4).Reply()
	if err != nil {
		return nil, 0, err
	}
	if reply.BytesAfter > 0 {
		return nil, 0, errTooLong
	}
	return reply.Value, reply.Type, nil
}

// takePieces reads what comes bit by bit, until an empty one. Source: ICCCM,
// 2.7.2, INCR.
func (x *Display) takePieces(ctx context.Context, events <-chan xgb.Event, property xproto.Atom) (all []byte, err error) {
	for {
		err := x.await(ctx, events, func(event xgb.Event) bool {
			e, ok := event.(xproto.PropertyNotifyEvent)
			return ok && e.Window == x.self && e.Atom == property && e.State == xproto.PropertyNewValue
		})
		if err != nil {
			return nil, err
		}
		piece, kind, err := x.take(property)
		switch {
		case err != nil:
			return nil, err
		case kind == 0 || kind == x.atoms["INCR"]: // the announcement, seen again
			continue
		case len(piece) == 0:
			return all, nil
		case len(all)+len(piece) > keepSize:
			return nil, errTooLong
		}
		all = append(all, piece...)
	}
}
