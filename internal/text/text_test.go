package text_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

func TestShorten(t *testing.T) {
	for _, tt := range []struct{ name, got, want string }{
		{"line", text.Line(" a\n\t b  c "), "a b c"},
		{"first", text.First("\n  one \r\ntwo"), "one"},
		{"limit that fits", text.Limit("größe", 5), "größe"},
		{"limit", text.Limit("größer", 5), "größ…"},
		{"limit of nothing", text.Limit("ab", 0), "…"},
		{"head that fits", text.Head("ab", 2), "ab"},
		{"head", text.Head("aßb", 2), "a…"},
		{"tail that fits", text.Tail("ab", 2), "ab"},
		{"tail", text.Tail("aßb", 2), "b"},
		{"tail of what is no text", text.Tail("\x80\x80\x80\x80\x80\x80", 5), "\x80\x80\x80\x80\x80"},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, tt.got, tt.want)
		}
	}
}

func TestClean(t *testing.T) {
	for _, tt := range []struct{ name, got, want string }{
		{"without controls", text.WithoutControls("a\tb\x00\u009b\nc\xff"), "a\tb\nc\ufffd"},
		{"width of marks", text.FixedWidth("e\u0301\u0301\u0301\u0301\u0301x"), "e\u0301\u0301\u0301x"},
		{"width of emoji", text.FixedWidth("👩🏽\u200d💻\ufe0f"), "👩💻"},
		{"width of tabs", text.FixedWidth("a\tb\u200c"), "a    b\u200c"},
		{"notice", text.Notice("$(x) <b>\"a\" &\nb ]]", 80), "＄(x) ‹b›'a' + b ]］"},
		{"notice that is too long", text.Notice("abc", 2), "a…"},
		{"notice for AppleScript", text.Notice("👩\u200d💻\ue000", 9), "👩💻\ufffd"},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, tt.got, tt.want)
		}
	}
	if !text.HasControl("a\nb") || text.HasControl("größe") {
		t.Error("HasControl is wrong about a newline or a letter")
	}
	if text.IsPlain("a\u200b") || text.IsPlain("\xff") || !text.IsPlain("größe a") {
		t.Error("IsPlain is wrong about hidden, invalid or ordinary characters")
	}
}

func TestEscape(t *testing.T) {
	for s, want := range map[string]string{
		"größer\n\t汉字 שלום":              "größer\n\t汉字 שלום",
		"👩\u200d💻":                       "👩\u200d💻",
		"\x1b[2J\r\u009b\x7f\x00":        `\u001b[2J\u000d\u009b\u007f\u0000`,
		"\x9b":                           "\ufffd",
		"\u202e\u2066\u200e\u061c":       `\u202e\u2066\u200e\u061c`,
		"a\u200b\u2060\ufeff\u00ad":      `a\u200b\u2060\ufeff\u00ad`,
		"\u2028\u2029":                   `\u2028\u2029`,
		"\U000e0041 that hides in a tag": `\udb40\udc41 that hides in a tag`,
	} {
		if got := text.Escape(s); got != want {
			t.Errorf("%q: got %q, want %q", s, got, want)
		}
	}
	var back string
	if err := json.Unmarshal([]byte(text.Escape(`"`+"\U000e0041\u200b"+`"`)), &back); back != "\U000e0041\u200b" || err != nil {
		t.Errorf("got %q, %v, want codes that JSON has too", back, err)
	}
}

// FuzzEscape asserts that no terminal obeys escaped text, that escaping twice
// changes nothing, and that no visible character is lost.
func FuzzEscape(f *testing.F) {
	for _, s := range []string{"a\x1b]8;;http://x\x07b\x1b[2J", "\u009b\u0085\x7f", "\u202e\u2066\u200f\u061c", "\xff\x00", "a\tb\nc\r", "漢字 👩\u200d👧"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := text.Escape(s)
		if !utf8.ValidString(got) || strings.ContainsFunc(got, dangerous) || len(got) > 6*len(s) {
			t.Errorf("got %q of %q", got, s)
		}
		if again := text.Escape(got); again != got {
			t.Errorf("got %q of %q, want it unchanged", again, got)
		}
		rest := got
		for _, r := range s {
			if dangerous(r) {
				continue
			}
			i := strings.IndexRune(rest, r)
			if i < 0 {
				t.Fatalf("got %q of %q, without %q", got, s, r)
			}
			rest = rest[i+utf8.RuneLen(r):]
		}
		if line := text.FixedWidth(text.Line(got)); strings.ContainsFunc(line, dangerous) || text.FixedWidth(line) != line {
			t.Errorf("got the line %q of %q", line, s)
		}
		if note := text.Notice(s, 9); utf8.RuneCountInString(note) > 12 || strings.ContainsAny(note, "<>&$`\"\n") || strings.Contains(note, "]]") {
			t.Errorf("got the notice %q of %q", note, s)
		}
	})
}

// dangerous reports whether a terminal obeys a character, or a reader does not see it.
func dangerous(r rune) bool {
	joins := r == '\u200c' || r == '\u200d'
	return unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Cf, r) && !joins || r == '\u2028' || r == '\u2029'
}
