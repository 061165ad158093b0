package x11

import (
	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

func (x *Display) own(w xproto.Window, selection xproto.Atom) (xproto.Timestamp, error) {
	now, err := x.now()
	if err != nil {
		return 0, err
	}
	xproto.SetSelectionOwner(x.conn, w, selection, now)
	owner, err := x.ownerOf(selection)
	switch {
	case err != nil || owner == w:
		return now, err
	case selection == xproto.AtomPrimary:
		return now, errPrimaryLost
	}
	return now, errClipboardLost
}

func (x *Display) owner() (xproto.Window, error) { return x.ownerOf(x.atoms["CLIPBOARD"]) }

func (x *Display) ownerOf(selection xproto.Atom) (xproto.Window, error) {
	reply, err := xproto.GetSelectionOwner(x.conn, selection).Reply()
	if err != nil {
		return 0, err
	}
	return reply.Owner, nil
}

func (x *Display) disown(selection xproto.Atom) error {
	owner, err := x.ownerOf(selection)
	if err != nil || owner != x.self {
		return err
	}
	_, err = x.own(xproto.WindowNone, selection)
	return err
}

// give answers one request with a text, and reports whether the request was for
// the text itself.
func (x *Display) give(e xproto.SelectionRequestEvent, text string, took xproto.Timestamp) (isText bool) {
	property := e.Property
	if property == 0 { // an obsolete client; source: ICCCM, 2.2
		property = e.Target
	}
	put := func(kind xproto.Atom, format byte, data []byte) {
		size := len(data) * 8 / int(format)
		xproto.ChangeProperty(x.conn, xproto.PropModeReplace, e.Requestor, property, kind, format, uint32(size), data)
	}
	switch e.Target {
	case x.atoms["TARGETS"]:
		put(xproto.AtomAtom, 32, x.targets())
	case x.atoms["TIMESTAMP"]:
		put(xproto.AtomInteger, 32, put32(uint32(took)))
	case x.atoms["UTF8_STRING"], x.atoms["text/plain;charset=utf-8"]:
		x.write(e.Requestor, property, e.Target, text)
		isText = true
	case xproto.AtomString, x.atoms["TEXT"], x.atoms["text/plain"]:
		x.write(e.Requestor, property, xproto.AtomString, latin1(text))
		isText = true
	default:
		property = 0
	}
	x.notify(e, property)
	return isText
}

func (x *Display) targets() (data []byte) {
	for _, name := range []string{"TARGETS", "TIMESTAMP", "UTF8_STRING", "text/plain;charset=utf-8", "STRING", "TEXT", "text/plain"} {
		data = append(data, put32(uint32(x.atoms[name]))...)
	}
	return data
}

func put32(n uint32) []byte {
	data := make([]byte, 4)
	xgb.Put32(data, n)
	return data
}

// latin1 is the inverse of utf8Of.
func latin1(text string) string {
	var data []byte
	for _, r := range text {
		if r > 0xff {
			r = '?'
		}
		data = append(data, byte(r))
	}
	return string(data)
}

// write sets a property in pieces that every display accepts.
func (x *Display) write(w xproto.Window, property, kind xproto.Atom, text string) {
	const piece = 1 << 16
	mode := byte(xproto.PropModeReplace)
	for first := true; first || text != ""; first = false {
		n := min(len(text), piece)
		xproto.ChangeProperty(x.conn, mode, w, property, kind, 8, uint32(n), []byte(text[:n]))
		text, mode = text[n:], xproto.PropModeAppend
	}
}

func (x *Display) refuse(e xproto.SelectionRequestEvent) { x.notify(e, 0) }

// notify says in which property the answer is; 0 is a refusal.
func (x *Display) notify(e xproto.SelectionRequestEvent, property xproto.Atom) {
	answer := xproto.SelectionNotifyEvent{
		Time: e.Time, Requestor: e.Requestor, Selection: e.Selection, Target: e.Target, Property: property,
	}
	xproto.SendEvent(x.conn, false, e.Requestor, 0, string(answer.Bytes()))
}
