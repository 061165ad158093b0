package keystroke

import (
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/platform"
)

// The exact order on every desktop: the first way that works is taken.
func TestOrder(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		desktop platform.Desktop
		want    string
	}{
		{platform.Desktop{Kind: platform.NoDesktop}, "extension"},
		{platform.Desktop{Kind: platform.X11}, "extension robotgo xdotool"},
		{platform.Desktop{Kind: platform.Wayland}, "extension wtype ydotool"},
		{platform.Desktop{Kind: platform.Wayland, XWayland: true}, "extension robotgo xdotool wtype ydotool"},
		{platform.Desktop{Kind: platform.MacOS}, "extension robotgo osascript"},
		{platform.Desktop{Kind: platform.Windows}, "extension robotgo sendkeys"},
		{platform.Desktop{Kind: platform.WSL}, "extension sendkeys"},
	} {
		if got := strings.Join(order(tt.desktop), " "); got != tt.want {
			t.Errorf("%s, XWayland %t: got %s, want %s", tt.desktop.Kind, tt.desktop.XWayland, got, tt.want)
		}
	}
}
