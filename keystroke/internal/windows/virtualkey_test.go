package windows

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/key"
	"github.com/cursor-ralph/cursor-ralph/test/testdesk"
)

// eventWords writes events as "down up" lists, such as "a0+ 2d+ 2d- a0-".
func eventWords(events []keyEvent) string {
	var words []string
	for _, e := range events {
		sign := "+"
		if e.up {
			sign = "-"
		}
		words = append(words, fmt.Sprintf("%x%s", e.vk, sign))
	}
	return strings.Join(words, " ")
}

func TestVirtualKeys(t *testing.T) {
	for _, tt := range []struct {
		name  string
		chord key.Chord
		held  []uint16
		want  string
	}{
		{"paste", key.Paste, nil, "a0+ 2d+ 2d- a0-"},
		{"return", key.Return, nil, "d+ d-"},
		{"ctrl+enter", key.Chord{Ctrl: true, Key: "return"}, nil, "a2+ d+ d- a2-"},
		{"ctrl+enter while ctrl is held", key.Chord{Ctrl: true, Key: "return"}, []uint16{vkRControl}, "a3- a2+ d+ d- a2- a3+"},
		{"modifiers go up in the other order", key.Chord{Ctrl: true, Shift: true, Alt: true, Super: true, Key: "l"}, nil,
			"a2+ a0+ a4+ 5b+ 4c+ 4c- 5b- a4- a0- a2-"},
		{"a function key", key.Chord{Key: "f12"}, nil, "7b+ 7b-"},
		{"a digit", key.Chord{Ctrl: true, Key: "1"}, nil, "a2+ 31+ 31- a2-"},
		{"held shift is released and put back", key.Paste, []uint16{vkRShift}, "a1- a0+ 2d+ 2d- a0- a1+"},
		{"held alt opens no menu", key.Return, []uint16{vkLMenu}, "e8+ e8- a4- d+ d- a4+ e8+ e8-"},
		{"a held Windows key opens no menu", key.Return, []uint16{0xA2, vkRWin}, "e8+ e8- a2- 5c- d+ d- a2+ 5c+ e8+ e8-"},
	} {
		events, err := virtualKeys(tt.chord, tt.held)
		if got := eventWords(events); err != nil || got != tt.want {
			t.Errorf("%s: got %s, %v, want %s", tt.name, got, err, tt.want)
		}
	}
	if events, err := virtualKeys(key.Chord{Key: "escape"}, nil); err == nil {
		t.Errorf("a key that there is not: got %s", eventWords(events))
	}
}

// Whatever is held, the keyboard is afterwards as it was.
func TestVirtualKeysLeaveTheKeyboardAsItWas(t *testing.T) {
	for mask := range 1 << len(modifierKeys()) {
		var held []uint16
		down := map[uint16]bool{}
		for i, vk := range modifierKeys() {
			if mask&(1<<i) != 0 {
				held, down[vk] = append(held, vk), true
			}
		}
		events, err := virtualKeys(key.Paste, held)
		testdesk.Must(t, err)
		for _, e := range events {
			if e.vk == vkInsert && !e.up {
				for _, vk := range modifierKeys() {
					if down[vk] != (vk == 0xA0) {
						t.Fatalf("%x held: Insert is pressed with %v", held, down)
					}
				}
			}
			down[e.vk] = !e.up
		}
		for _, vk := range append(modifierKeys(), vkInsert, vkNothing) {
			if want := slices.Contains(held, vk); down[vk] != want {
				t.Fatalf("%x held: afterwards %x is down %v", held, vk, down[vk])
			}
		}
	}
}

func TestExtendedKeys(t *testing.T) {
	for vk, want := range map[uint16]bool{vkInsert: true, vkRControl: true, vkRShift: true, 0xA0: false, 0x0D: false, 'I': false} {
		if got := extendedKey(vk); got != want {
			t.Errorf("%#x: got %v, want %v", vk, got, want)
		}
	}
}
