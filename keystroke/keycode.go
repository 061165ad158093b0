package keystroke

import (
	"fmt"
	"strings"
)

// Codes of modifiers. Source of all codes here: linux/input-event-codes.h.
const (
	codeCtrl  = 29
	codeShift = 42
	codeAlt   = 56
	codeSuper = 125
)

// rowsOfKeys are rows of a us keyboard, plain and with Shift, from the code of
// their first key on.
var rowsOfKeys = []struct {
	first          int
	plain, shifted string
}{
	{2, "1234567890-=", "!@#$%^&*()_+"},
	{16, "qwertyuiop[]", "QWERTYUIOP{}"},
	{30, "asdfghjkl;'`", `ASDFGHJKL:"~`},
	{43, `\zxcvbnm,./`, "|ZXCVBNM<>?"},
	{57, " ", " "},
}

// codeOf gives the code of the key that has a character of ASCII on a us
// keyboard, with Shift or without; 0 if none has it.
func codeOf(char byte) int {
	for _, row := range rowsOfKeys {
		for _, keys := range []string{row.plain, row.shifted} {
			if i := strings.IndexByte(keys, char); i >= 0 {
				return row.first + i
			}
		}
	}
	return 0
}

// code gives the code of a chord's key; 0 if it has none.
func (c Chord) code() int {
	var n int
	switch {
	case c.Key == "return":
		return 28
	case c.Key == "insert":
		return 110
	case len(c.Key) == 1:
		return codeOf(c.Key[0])
	case c.Key == "f11":
		return 87
	case c.Key == "f12":
		return 88
	}
	if _, err := fmt.Sscanf(c.Key, "f%d", &n); err == nil && n >= 1 && n <= 10 {
		return 58 + n
	}
	return 0
}

// codes gives the codes of a chord in the order in which they go down; nil if
// its key has none.
func (c Chord) codes() []int {
	key := c.code()
	if key == 0 {
		return nil
	}
	var codes []int
	for _, mod := range []struct {
		held bool
		code int
	}{{c.Ctrl, codeCtrl}, {c.Shift, codeShift}, {c.Alt, codeAlt}, {c.Super, codeSuper}} {
		if mod.held {
			codes = append(codes, mod.code)
		}
	}
	return append(codes, key)
}
