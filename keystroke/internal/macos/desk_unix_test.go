//go:build unix

package macos

import (
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
)

func TestMacLost(t *testing.T) {
	for _, tt := range []struct{ text, types, want string }{
		{"", "\n", ""},
		{"a", "public.utf8-plain-text\nNSStringPboardType\npublic.utf16-external-plain-text", ""},
		{"a", "public.rtf\nNeXT Rich Text Format v1.0 pasteboard type\npublic.utf8-plain-text", "only the text"},
		{"a", "public.html\npublic.utf8-plain-text", "only the text"},
		{"a", "public.file-url\npublic.utf8-plain-text", "only the text"},
		{"", "public.png\npublic.tiff", "not text"},
		{"a", "org.nspasteboard.ConcealedType\npublic.utf8-plain-text", "password"},
	} {
		if got := macLost(tt.text, tt.types); !strings.Contains(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%q, %s: got %q, want %q", tt.text, tt.types, got, tt.want)
		}
	}
}

// No Mac is here: what matters in the script is looked for in its text.
func TestAppleScriptChecksFirst(t *testing.T) {
	handler := func(name string) string {
		_, rest, _ := strings.Cut(macScript, "\non "+name+"(")
		body, _, ok := strings.Cut(rest, "\nend "+name+"\n")
		if !ok {
			t.Fatalf("there is no handler %s", name)
		}
		return body
	}
	for _, tt := range []struct{ handler, first, then string }{
		{"titlesOf", "if not (exists (first application process whose unix id is thePid)) then return", "set theEditor"},
		{"inFront", `if (subrole of theFocused) is not "AXStandardWindow" then return "no"`, `return "yes"`},
		{"pressKey", `if inFront(thePid, theTitle) is "no" then return "lost"`, "key code"},
	} {
		before, _, ok := strings.Cut(handler(tt.handler), tt.then)
		if !ok || !strings.Contains(before, tt.first) {
			t.Errorf("%s: %s is not before %s", tt.handler, tt.first, tt.then)
		}
	}
}

func TestPastesByPlace(t *testing.T) {
	for layout, want := range map[string]bool{
		"": true, "com.apple.keylayout.US": true, "com.apple.keylayout.German": true, "com.apple.keylayout.Russian": true,
		"com.apple.keylayout.Dvorak": false, "com.apple.keylayout.Dvorak-Left": false, "com.apple.keylayout.DVORAK-QWERTYCMD": true,
		"com.apple.keylayout.Colemak": true,
	} {
		if err := pastesByPlace(layout); (err == nil) != want {
			t.Errorf("%s: got %v, want %v", layout, err, want)
		}
	}
}

func TestMacDeskElsewhere(t *testing.T) {
	if _, err := Desk(desk.Machine{OS: "linux"}); err == nil {
		t.Error("a Mac's desktop on Linux")
	}
	if _, err := Desk(desk.Machine{OS: "darwin", Env: []string{"PATH=" + t.TempDir()}}); err == nil || !strings.Contains(err.Error(), "osascript is not installed") {
		t.Errorf("got %v", err)
	}
}
