package wayland

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/key"
	"github.com/cursor-ralph/cursor-ralph/platform"
)

// wtypeCodes does what wtype does with its arguments: it returns the codes that
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
	for want, c := range map[string]key.Chord{
		"-Mctrl 23=i -mctrl":                 {Ctrl: true, Key: "i"},
		"-Mshift -Mlogo 38=l -mshift -mlogo": {Super: true, Shift: true, Key: "l"},
		"-Malt 11=0 -malt":                   {Alt: true, Key: "0"},
		"59=f1":                              {Key: "f1"},
		"87=f11":                             {Key: "f11"},
		"-Mshift 110=insert -mshift":         key.Paste,
		"28=return":                          key.Return,
		"-Mctrl 28=return -mctrl":            {Ctrl: true, Key: "return"},
	} {
		a, err := wtypeChord(c)
		if got := strings.Join(wtypeCodes(t, a), " "); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", c, got, err, want)
		}
	}
	if err := (wtypeKeys{}).Press(t.Context(), desk.Window{}, key.Chord{Key: "unheard of"}); !desk.IsNotPressed(err) {
		t.Errorf("an unknown key: got %v, want an error before any key", err)
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
		m := desk.Machine{Env: []string{tt.env}, Desktop: platform.Desktop{Kind: platform.Wayland}}
		_, err := OpenWtype(t.Context(), m, desk.Request{})
		if got := err != nil && strings.Contains(err.Error(), "input method"); got != tt.refuses {
			t.Errorf("%s: %v, want a refusal: %v", tt.env, err, tt.refuses)
		}
	}
}
