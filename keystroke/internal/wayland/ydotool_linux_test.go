package wayland

import (
	"net"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
	"github.com/cursor-ralph/cursor-ralph/test/testdesk"
)

// What the two helps look like. Sources: ydotool v0.1.8 and v1.0.4.
const (
	helpOld = "Usage: ydotool <cmd> <args>\nAvailable commands:\n  type\n  recorder\n  mousemove\n  key\n  click"
	helpNew = "Usage: ydotool <cmd> <args>\nAvailable commands:\n  click\n  mousemove\n  type\n  key\n  debug\n  bakers\nUse environment variable YDOTOOL_SOCKET to specify daemon socket."
)

// ydotoolFake is a desktop with a ydotool that writes down how it was called.
func ydotoolFake(t *testing.T, help string) (*waylandFake, ydotool) {
	f := newWaylandFake(t, "sway", "zwlr_data_control_manager_v1")
	f.clipboard()
	f.write("help", help+"\n")
	f.program("ydotool", `[ "$1" = help ] && { cat "$DIR/help" >&2; exit 1; }
echo "$* on ${YDOTOOL_SOCKET##*/}" >>"$DIR/calls"
case "$*" in *42*|*insert*) cat "$DIR/clip" "$DIR/primary" >"$DIR/pasted";; esac`)
	return f, ydotool{f.m, filepath.Join(f.dir, "legacy")}
}

// daemon listens where ydotoold 1.x would.
func (f *waylandFake) daemon(name string) {
	f.Helper()
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: filepath.Join(f.dir, name), Net: "unixgram"})
	testdesk.Must(f, err)
	f.Cleanup(func() { _ = conn.Close() }) // what it served is checked elsewhere
}

func TestYdotoolCallsBothGenerationsTheirWay(t *testing.T) {
	for _, tt := range []struct {
		name, help string
		prepare    func(*waylandFake)
		want       string
	}{
		{"1.x, the user's daemon", helpNew, func(f *waylandFake) { f.daemon(".ydotool_socket") },
			"key 42:1 110:1 110:0 42:0 on .ydotool_socket\nkey 28:1 28:0 on .ydotool_socket\n"},
		{"1.x, the system's daemon", helpNew, func(f *waylandFake) { f.daemon("legacy") },
			"key 42:1 110:1 110:0 42:0 on legacy\nkey 28:1 28:0 on legacy\n"},
		{"0.1.x, its daemon", helpOld, func(f *waylandFake) { f.listen("legacy", func(net.Conn) {}) },
			"key --delay 20 shift+insert on \nkey --delay 20 enter on \n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, y := ydotoolFake(t, tt.help)
			target := f.us()
			tt.prepare(f)
			f.write("clip", "before")
			session, err := y.open(t.Context(), target)
			testdesk.Must(t, err)
			if f.read("calls") != "" || f.read("clip") != "before" {
				t.Fatalf("the probe did something: %q, clipboard %q", f.read("calls"), f.read("clip"))
			}
			typeLine(t, session)
			if got := f.read("calls"); got != tt.want {
				t.Errorf("calls %q, want %q", got, tt.want)
			}
			if got, want := f.read("pasted"), target.Line+target.Line; got != want {
				t.Errorf("the selections held %q at the paste, want %q", got, want)
			}
			if got := f.read("clip") + f.read("primary"); got != "before" {
				t.Errorf("the selections hold %q, want %q as before", got, "before")
			}
		})
	}
}

func TestYdotoolRefuses(t *testing.T) {
	layout := func(inputs string) func(*waylandFake) {
		return func(f *waylandFake) {
			f.daemon("legacy")
			f.sway(map[uint32]string{swayInputs: inputs})
		}
	}
	for _, tt := range []struct {
		name, help string
		prepare    func(*waylandFake)
		want       string
	}{
		{"1.x without its daemon", helpNew, func(*waylandFake) {}, "ydotoold is not running"},
		{"1.x with the daemon of 0.1.x", helpNew, func(f *waylandFake) { f.listen("legacy", func(net.Conn) {}) }, "ydotoold is not running"},
		{"1.x with another socket set", helpNew, func(f *waylandFake) { f.daemon("legacy") }, "ydotoold is not running"},
		{"0.1.x without its daemon", helpOld, func(*waylandFake) {}, "start ydotoold"},
		{"0.1.x with the daemon of 1.x", helpOld, func(f *waylandFake) { f.daemon("legacy") }, "start ydotoold"},
		{"an unknown generation", "Usage: ydotool", func(*waylandFake) {}, "this ydotool is unknown"},
		{"German", helpNew, layout(`[{"type": "keyboard", "xkb_active_layout_name": "German"}]`), `there is one with "German"`},
		{"a second keyboard with another layout", helpNew, layout(`[{"type": "keyboard", "xkb_active_layout_name": "English (US)"}, {"type": "keyboard", "xkb_active_layout_name": "Russian"}]`), `there is one with "Russian"`},
		{"a variant of us", helpNew, layout(`[{"type": "keyboard", "xkb_active_layout_name": "English (Dvorak)"}]`), `there is one with "English (Dvorak)"`},
		{"no keyboard", helpNew, layout(`[{"type": "pointer"}]`), "is unknown here"},
		{"gnome whose gsettings fails", helpNew, func(f *waylandFake) {
			f.daemon("legacy")
			f.program("gsettings", "echo No such schema >&2; exit 1")
		}, "No such schema"},
		{"kde", helpNew, func(f *waylandFake) { f.daemon("legacy") }, "is unknown here"},
		{"gnome with two layouts", helpNew, func(f *waylandFake) {
			f.daemon("legacy")
			f.program("gsettings", `echo "[('xkb', 'us'), ('xkb', 'us+dvorak')]"`)
		}, `there is one with "('xkb', 'us+dvorak')"`},
		{"gnome with the system's layout", helpNew, func(f *waylandFake) {
			f.daemon("legacy")
			f.program("gsettings", `echo "@a(ss) []"`)
		}, "is unknown here"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, y := ydotoolFake(t, tt.help)
			tt.prepare(f)
			if strings.Contains(tt.name, "another socket set") {
				y.m.Env = append(y.m.Env, "YDOTOOL_SOCKET="+filepath.Join(f.dir, "elsewhere"))
			}
			target := desk.Request{Editors: desk.Editors{self(t)}}
			if name, _, _ := strings.Cut(tt.name, " "); name == "gnome" || name == "kde" {
				y.m.Desktop.Compositor, target.Unchecked = name, true
			}
			if _, err := y.open(t.Context(), target); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
			if got := f.read("calls"); got != "" {
				t.Errorf("called all the same: %q", got)
			}
		})
	}
}

// Where the compositor reports neither focus nor layout, GNOME's settings and the
// user's consent will do.
func TestYdotoolUnderGNOME(t *testing.T) {
	f, y := ydotoolFake(t, helpNew)
	f.daemon("legacy")
	f.program("gsettings", `[ "$*" = "get org.gnome.desktop.input-sources sources" ] && echo "[('xkb', 'us')]"`)
	y.m.Desktop.Compositor = "gnome"
	target := desk.Request{Editors: desk.Editors{self(t)}}
	if _, err := y.open(t.Context(), target); err == nil || !strings.Contains(err.Error(), "gnome does not say which window has the focus") {
		t.Errorf("without consent: %v", err)
	}
	target.Unchecked = true
	session, err := y.open(t.Context(), target)
	testdesk.Must(t, err)
	typeLine(t, session)
	if got, want := f.read("calls"), "key 42:1 110:1 110:0 42:0 on legacy\nkey 28:1 28:0 on legacy\n"; got != want {
		t.Errorf("calls %q, want %q", got, want)
	}
}
