package keystroke

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/platform"
)

// wtypeCodes does what wtype does with its arguments: it gives the codes that
// are pressed, and what is on them. Source: wtype's main.c.
func wtypeCodes(t *testing.T, a wtypeArgs) (pressed []string) {
	t.Helper()
	var keys []string
	for i, args := 0, slices.Concat(a.before, a.after); i < len(args); i += 2 {
		flag, name := args[i], args[i+1]
		if flag == "-M" || flag == "-m" {
			pressed = append(pressed, flag+name)
			continue
		}
		if !slices.Contains(keys, name) {
			keys = append(keys, name)
		}
		switch code := slices.Index(keys, name) + 1; flag {
		case "-k":
			pressed = append(pressed, fmt.Sprintf("%d=%s", code, name))
		case "-p":
		default:
			t.Fatalf("%s presses and does not release", flag)
		}
	}
	return pressed
}

func TestWtypeChord(t *testing.T) {
	for _, tt := range []struct{ chord, want string }{
		{"ctrl+i", "-Mctrl 23=i -mctrl"},
		{"cmd+shift+l", "-Mshift -Mlogo 38=l -mshift -mlogo"},
		{"alt+0", "-Malt 11=0 -malt"},
		{"f1", "59=f1"},
		{"f10", "68=f10"},
		{"f11", "87=f11"},
		{"f12", "88=f12"},
		{"ctrl+1", "-Mctrl 2=1 -mctrl"},
	} {
		c, err := ParseChord(tt.chord)
		if err != nil {
			t.Fatal(err)
		}
		a, err := wtypeChord(c)
		if got := strings.Join(wtypeCodes(t, a), " "); err != nil || got != tt.want {
			t.Errorf("%s: %s, %v; want %s", tt.chord, got, err, tt.want)
		}
	}
	for want, c := range map[string]Chord{"-Mshift 110=insert -mshift": pasteChord, "28=return": returnChord} {
		a, err := wtypeChord(c)
		if got := strings.Join(wtypeCodes(t, a), " "); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", c, got, err, want)
		}
	}
	if err := (wtypeKeys{}).press(t.Context(), window{}, Chord{Key: "unheard of"}); !errors.As(err, new(unpressed)) {
		t.Errorf("an unknown key: got %v, want an error before any key", err)
	}
}

// Every chord that a user may set has a key of its own.
func TestEveryChordHasItsCode(t *testing.T) {
	seen := map[int]string{}
	for _, key := range append(chordKeys(), "insert", "return") {
		code := Chord{Key: key}.code()
		if other, ok := seen[code]; ok || code == 0 {
			t.Errorf("%s has the code %d, as %q", key, code, other)
		}
		seen[code] = key
	}
}

func TestWtypeLine(t *testing.T) {
	a := wtypeLine("/a-1 a")
	got, want := strings.Join(wtypeCodes(t, a), " "), "53=U002F 30=U0061 12=U002D 2=U0031 57=U0020 30=U0061"
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for char := byte(' '); char <= '~'; char++ {
		if codeOf(char) == 0 {
			t.Errorf("%q has no key", char)
		}
	}
}

func TestWtypeParts(t *testing.T) {
	for _, tt := range []struct {
		line string
		want []string
	}{
		{"/ralph-loop --continue 3f2b", []string{"/ralph-loop --continue 3f2b"}},
		{"Ralph", []string{"Ralph"}},
		{"aA", []string{"a", "A"}},
		{"aBbAa;:", []string{"aB", "bA", "a;", ":"}},
		{"", nil},
	} {
		if got := wtypeParts(tt.line); !slices.Equal(got, tt.want) {
			t.Errorf("%q: %q, want %q", tt.line, got, tt.want)
		}
	}
}

func TestWtypeLeavesInputMethodsAlone(t *testing.T) {
	for _, tt := range []struct {
		env     string
		refuses bool
	}{
		{"XMODIFIERS=@im=fcitx", true},
		{"GTK_IM_MODULE=ibus", true},
		{"QT_IM_MODULE=fcitx", true},
		{"XMODIFIERS=@im=none", false},
		{"GTK_IM_MODULE=simple", false},
		{"GTK_IM_MODULE=", false},
	} {
		m := Machine{Env: []string{tt.env}, Desktop: platform.Desktop{Kind: platform.Wayland}}
		err := newWtype(m).Probe(t.Context(), Target{})
		if got := err != nil && strings.Contains(err.Error(), "input method"); got != tt.refuses {
			t.Errorf("%s: %v, want a refusal: %v", tt.env, err, tt.refuses)
		}
	}
}
