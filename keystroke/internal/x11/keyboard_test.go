package x11

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jezek/xgb/xproto"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/key"
)

// boardOf makes a keyboard of rows: the keysyms of one key after the other, from
// key 10 on, four columns each.
func boardOf(rows ...[4]xproto.Keysym) board {
	b := board{first: 10, columns: 4}
	for _, r := range rows {
		b.syms = append(b.syms, r[:]...)
	}
	return b
}

func TestStrokes(t *testing.T) {
	b := boardOf(
		[4]xproto.Keysym{0xff63},                 // 10
		[4]xproto.Keysym{0xff0d},                 // 11
		[4]xproto.Keysym{0xffe1},                 // 12
		[4]xproto.Keysym{0xffe3},                 // 13
		[4]xproto.Keysym{0xffe9, 0xffe7},         // 14
		[4]xproto.Keysym{0xff7f},                 // 15: Num_Lock
		[4]xproto.Keysym{0xffe5},                 // 16: Caps_Lock
		[4]xproto.Keysym{0x6d1, 0x6f1, 'i', 'I'}, // 17: in the second group
		[4]xproto.Keysym{'x', 'X', 'l', 'L'},     // 18
		[4]xproto.Keysym{'l', 'L', 'z', 'Z'},     // 19
		[4]xproto.Keysym{0xffc6},                 // 20
	)
	b.modifiers = [8][]xproto.Keycode{0: {12}, 1: {16}, 2: {13}, 3: {14}, 4: {15}}
	all := []xproto.Keycode{12, 13, 14}
	for _, tt := range []struct {
		chord key.Chord
		want  strokes
	}{
		{key.Paste, strokes{10, []xproto.Keycode{12}, 1, all}},
		{key.Return, strokes{11, nil, 0, all}},
		{key.Chord{Ctrl: true, Key: "i"}, strokes{17, []xproto.Keycode{13}, 4, all}},
		{key.Chord{Ctrl: true, Alt: true, Key: "l"}, strokes{19, []xproto.Keycode{13, 14}, 4 | 8, all}},
		{key.Chord{Key: "f9"}, strokes{20, nil, 0, all}},
	} {
		got, err := b.strokes(tt.chord)
		if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(strokes{})); diff != "" || err != nil {
			t.Errorf("%s: %v, (-want +got):\n%s", tt.chord, err, diff)
		}
	}
	for chord, want := range map[key.Chord]string{
		{Ctrl: true, Key: "q"}:  "no key q",
		{Super: true, Key: "i"}: "no key cmd",
		{Key: "f1"}:             "no key f1",
	} {
		if got, err := b.strokes(chord); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %+v, %v; want %q", chord, got, err, want)
		}
	}
}

func TestMomentAllows(t *testing.T) {
	ok := moment{focus: 5, owner: 7, primary: 7, free: true}
	with := func(change func(*moment)) moment {
		m := ok
		change(&m)
		return m
	}
	for _, tt := range []struct {
		name  string
		m     moment
		owner xproto.Window // of the clipboard and of what is selected, 0 for any
		how   way
		want  string
	}{
		{"selection of another", with(func(m *moment) { m.primary = 9 }), 7, sent, "took what is selected"},
		{"all in order", ok, 7, faked, ""},
		{"before the clipboard is ours", with(func(m *moment) { m.owner, m.primary = 9, 9 }), 0, faked, ""},
		{"focus elsewhere", with(func(m *moment) { m.focus = 6 }), 7, sent, "lost the focus"},
		{"focus nowhere", with(func(m *moment) { m.focus = 0 }), 7, sent, "lost the focus"},
		{"clipboard of another", with(func(m *moment) { m.owner = 9 }), 7, sent, "took the clipboard"},
		{"clipboard of nobody", with(func(m *moment) { m.owner = 0 }), 7, sent, "took the clipboard"},
		{"keyboard grabbed", with(func(m *moment) { m.free = false }), 7, faked, "grabbed the keyboard"},
		{"keyboard grabbed, which does not matter", with(func(m *moment) { m.free = false }), 7, sent, ""},
	} {
		got := ""
		if err := tt.m.allows(moment{focus: 5, owner: tt.owner, primary: tt.owner}, tt.how); err != nil {
			got = err.Error()
		}
		if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
	down := make([]byte, 32)
	down[12/8] |= 1 << (12 % 8)
	if got := (moment{down: down}).held([]xproto.Keycode{11, 12, 13}); len(got) != 1 || got[0] != 12 {
		t.Errorf("held %v, want 12", got)
	}
}
