package wayland

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/key"
	"github.com/cursor-ralph/cursor-ralph/platform"
	"github.com/cursor-ralph/cursor-ralph/test/testdesk"
)

// waylandFake is a Wayland desktop with set answers, and with programs
// that are scripts.
type waylandFake struct {
	*testing.T
	dir string
	m   desk.Machine
}

// newWaylandFake listens as a compositor that offers some interfaces.
func newWaylandFake(t *testing.T, compositor string, interfaces ...string) *waylandFake {
	t.Helper()
	dir, err := os.MkdirTemp("", "way") // the name of a socket has at most 107 bytes
	testdesk.Must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) }) // a listener may be removing its socket too
	f := &waylandFake{T: t, dir: dir}
	f.m = desk.Machine{
		OS:      "linux",
		Env:     []string{"PATH=" + dir + ":/usr/bin:/bin", "XDG_RUNTIME_DIR=" + dir, "WAYLAND_DISPLAY=wayland-7", "SWAYSOCK=" + dir + "/ipc", "DIR=" + dir},
		Desktop: platform.Desktop{Kind: platform.Wayland, Compositor: compositor},
	}
	f.listen("wayland-7", func(conn net.Conn) { answerRegistry(conn, interfaces) })
	return f
}

// listen serves each connection to a socket.
func (f *waylandFake) listen(name string, serve func(net.Conn)) {
	f.Helper()
	l, err := net.Listen("unix", filepath.Join(f.dir, name))
	testdesk.Must(f, err)
	f.Cleanup(func() { _ = l.Close() }) // what it served is checked elsewhere
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				serve(conn)
			}()
		}
	}()
}

// answerRegistry reads get_registry and sync, and answers with the interfaces and
// the end of the sync.
func answerRegistry(conn net.Conn, interfaces []string) {
	ask := make([]byte, 24)
	if _, err := io.ReadFull(conn, ask); err != nil {
		return
	}
	word := binary.NativeEndian.AppendUint32
	event := func(object uint32, body []byte) []byte {
		return append(word(word(nil, object), uint32(len(body)+8)<<16), body...)
	}
	var answer []byte
	for n, name := range interfaces {
		text := name + "\x00\x00\x00\x00"[:4-len(name)%4]
		body := append(word(word(nil, uint32(n+1)), uint32(len(name)+1)), text...)
		answer = append(answer, event(2, word(body, 1))...)
	}
	_, _ = conn.Write(append(answer, event(3, word(nil, 0))...)) // the client may be gone
}

// sway answers messages of sway's socket by their types.
func (f *waylandFake) sway(answers map[uint32]string) {
	f.Helper()
	f.listen("ipc", func(conn net.Conn) {
		head := make([]byte, 14)
		if _, err := io.ReadFull(conn, head); err != nil {
			return
		}
		kind := binary.NativeEndian.Uint32(head[10:])
		if _, err := io.CopyN(io.Discard, conn, int64(binary.NativeEndian.Uint32(head[6:]))); err != nil {
			return
		}
		answer := binary.NativeEndian.AppendUint32([]byte("i3-ipc"), uint32(len(answers[kind])))
		answer = append(binary.NativeEndian.AppendUint32(answer, kind), answers[kind]...)
		_, _ = conn.Write(answer) // the client may be gone
	})
}

// program puts a shell script on the PATH.
func (f *waylandFake) program(name, script string) {
	f.Helper()
	testdesk.Must(f, os.WriteFile(filepath.Join(f.dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755))
}

// clipboard puts a wl-copy and a wl-paste there that keep texts in files.
func (f *waylandFake) clipboard() {
	f.program("wl-copy", `f=$DIR/clip; case "$*" in *--primary*) f=$DIR/primary;; esac
case "$*" in *--clear*) rm -f "$f";; *) cat >"$f";; esac`)
	f.program("wl-paste", `f=$DIR/clip; case "$*" in *--primary*) f=$DIR/primary;; esac
[ -e "$f" ] || { echo "Nothing is copied" >&2; exit 1; }
case "$*" in *--list-types*) echo text/plain;; *) cat "$f";; esac`)
}

func (f *waylandFake) read(name string) string {
	f.Helper()
	text, err := os.ReadFile(filepath.Join(f.dir, name))
	if err != nil && !os.IsNotExist(err) {
		f.Fatal(err)
	}
	return string(text)
}

// us is one window of this very process, which has the focus, on a us keyboard.
func (f *waylandFake) us() desk.Request {
	f.sway(map[uint32]string{
		swayTree:   fmt.Sprintf(`{"nodes": [{"id": 5, "app_id": "cursor", "pid": %d, "name": "repo - Cursor", "focused": true}]}`, os.Getpid()),
		swayInputs: `[{"type": "pointer"}, {"type": "keyboard", "xkb_active_layout_name": "English (US)"}]`,
	})
	return desk.Request{Line: "/ralph-loop", Editors: desk.Editors{self(f.T)}, Permit: func(context.Context) error { return nil }}
}

// self is the name of this process's executable.
func self(t *testing.T) string {
	t.Helper()
	exe, err := os.Executable()
	testdesk.Must(t, err)
	return desk.Executable(exe)
}

func TestWaylandProbeTellsWhatIsMissing(t *testing.T) {
	const control = "zwlr_data_control_manager_v1"
	wtype := func(f *waylandFake) { f.program("wtype", "exit 1") }
	for _, tt := range []struct {
		name       string
		compositor string
		offers     []string
		prepare    func(*waylandFake)
		want       string // in the error of wl-copy; empty for no error
	}{
		{"all is there", "sway", []string{virtualKeyboard, control}, wtype, ""},
		{"no keys are taken", "gnome", []string{control}, wtype, "gnome takes no keys from programs"},
		{"an unnamed one that takes no keys", "", nil, wtype, "this compositor takes no keys from programs"},
		{"no focus is known", "wayfire", []string{virtualKeyboard, control}, wtype, "wayfire does not say which window has the focus"},
		{"an unknown compositor", "", []string{virtualKeyboard, control}, wtype, "the compositor is not known"},
		{"no hyprctl", "hyprland", []string{virtualKeyboard, control}, wtype, "hyprctl is not installed"},
		{"no wtype", "sway", []string{virtualKeyboard}, func(*waylandFake) {}, "wtype is not installed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newWaylandFake(t, tt.compositor, tt.offers...)
			f.m.Env[0] = "PATH=" + f.dir
			f.clipboard()
			tt.prepare(f)
			_, err := OpenWlCopy(t.Context(), f.m, f.us())
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}

func TestWaylandDisplayIsTriedFirst(t *testing.T) {
	wayland := func(t *testing.T) *waylandFake { return newWaylandFake(t, "sway", virtualKeyboard) }
	for _, tt := range []struct {
		name    string
		prepare func(*waylandFake)
		want    string
	}{
		{"none is set", func(f *waylandFake) { f.m.Env = append(f.m.Env, "WAYLAND_DISPLAY=") }, "WAYLAND_DISPLAY is not set"},
		{"no folder is set", func(f *waylandFake) { f.m.Env = append(f.m.Env, "XDG_RUNTIME_DIR=") }, "XDG_RUNTIME_DIR is not set"},
		{"dead", func(f *waylandFake) { f.m.Env = append(f.m.Env, "WAYLAND_DISPLAY=wayland-9") }, "wayland: "},
		{"hung", func(f *waylandFake) {
			f.m.Env = append(f.m.Env, "WAYLAND_DISPLAY=hung")
			f.listen("hung", func(c net.Conn) { _, _ = io.Copy(io.Discard, c) }) // reads, and never answers
		}, "does not answer"},
		{"another desktop", func(f *waylandFake) { f.m.Desktop.Kind = platform.X11 }, "this is not a Wayland desktop"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := wayland(t)
			tt.prepare(f)
			f.program("wtype", `echo run >"$DIR/wtype was"`)
			var opened sync.WaitGroup
			for name, open := range map[string]func(context.Context, desk.Machine, desk.Request) (desk.Session, error){
				"wl-copy": OpenWlCopy, "wtype": OpenWtype, "ydotool": OpenYdotool,
			} {
				opened.Go(func() {
					ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
					defer cancel()
					if _, err := open(ctx, f.m, desk.Request{}); err == nil || !strings.Contains(err.Error(), tt.want) || ctx.Err() != nil {
						t.Errorf("%s: %v, want %q", name, err, tt.want)
					}
				})
			}
			opened.Wait()
			if f.read("wtype was") != "" {
				t.Error("wtype was run all the same")
			}
		})
	}
}

func TestSwayFindsTheWindowsOfCursor(t *testing.T) {
	f := newWaylandFake(t, "sway")
	view := func(id int, rest string) string {
		return fmt.Sprintf(`{"id": %d, "name": "w%d", "pid": %d, %s}`, id, id, os.Getpid(), rest)
	}
	f.sway(map[uint32]string{swayTree: `{"id": 1, "type": "root", "name": "root", "nodes": [{"id": 2, "type": "workspace", "focused": false, "nodes": [` +
		strings.Join([]string{
			view(10, `"app_id": "cursor"`),
			view(11, `"app_id": null, "window_properties": {"class": "Cursor"}, "focused": true`), // of XWayland
			view(12, `"app_id": "org.cursor.theme"`),
			view(13, `"app_id": "foot"`),
			`{"id": 14, "name": "Cursor", "app_id": "cursor", "pid": 1}`,
			`{"id": 15, "name": "Cursor", "app_id": "cursor"}`,
		}, ", ") + `], "floating_nodes": [` + view(16, `"app_id": "Cursor"`) + `]}]}`})
	s, err := newSway(f.m)
	testdesk.Must(t, err)
	if w, err := s.Front(t.Context()); err != nil || w != (desk.Window{ID: "11", Title: "w11", PID: os.Getpid()}) {
		t.Errorf("in front is %+v, %v", w, err)
	}
	found, err := s.Windows(t.Context(), desk.Editors{self(t)})
	testdesk.Must(t, err)
	var got []string
	for _, w := range found {
		got = append(got, w.ID+" "+w.Title)
		focused, err := s.Focused(t.Context(), w)
		if err != nil || focused != (w.ID == "11") {
			t.Errorf("%s has the focus: %v, %v", w.ID, focused, err)
		}
	}
	slices.Sort(got)
	if want := []string{"10 w10", "11 w11", "16 w16"}; !slices.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
}

func TestSwayWithNoWindowInFront(t *testing.T) {
	f := newWaylandFake(t, "sway")
	f.sway(map[uint32]string{swayTree: `{"nodes": [{"id": 4, "type": "workspace", "focused": true}]}`})
	s, err := newSway(f.m)
	testdesk.Must(t, err)
	if w, err := s.Front(t.Context()); !errors.Is(err, desk.ErrNoFront) {
		t.Errorf("got %+v, %v", w, err)
	}
}

func TestSwayAnswersThatAreNone(t *testing.T) {
	for name, serve := range map[string]func(net.Conn){
		"closed":   func(net.Conn) {},
		"garbage":  func(c net.Conn) { _, _ = c.Write([]byte("HTTP/1.1 400 Bad Request\r\n")) },
		"too long": func(c net.Conn) { _, _ = c.Write([]byte("i3-ipc\xff\xff\xff\xff\x04\x00\x00\x00")) },
		"no JSON":  func(c net.Conn) { _, _ = c.Write([]byte("i3-ipc\x01\x00\x00\x00\x04\x00\x00\x00{")) },
		"hung":     func(c net.Conn) { _, _ = io.Copy(io.Discard, c) },
	} {
		t.Run(name, func(t *testing.T) {
			f := newWaylandFake(t, "sway")
			f.listen("ipc", serve)
			s, err := newSway(f.m)
			testdesk.Must(t, err)
			if ok, err := s.Focused(t.Context(), desk.Window{}); err == nil || ok {
				t.Errorf("focused: %v, %v; want an error", ok, err)
			}
		})
	}
	f := newWaylandFake(t, "sway")
	f.sway(map[uint32]string{swayRun: `[{"success": false, "error": "No matching node."}]`})
	s, err := newSway(f.m)
	testdesk.Must(t, err)
	if err := s.Activate(t.Context(), desk.Window{ID: "7"}); err == nil || !strings.Contains(err.Error(), "No matching node.") {
		t.Errorf("activate: %v, want sway's words", err)
	}
}

// hyprClients is the output of hyprctl -j clients. Source of the format:
// github.com/hyprwm/Hyprland/issues/1810 and github.com/Aylur/ags/issues/96.
const hyprClients = `[{
    "address": "0x839b0800", "mapped": false, "hidden": false, "at": [0, 0], "size": [0, 0],
    "workspace": {"id": -1, "name": ""}, "floating": false, "monitor": -1, "class": "", "title": "", "pid": 0,
    "xwayland": true, "pinned": false, "fullscreen": false, "fullscreenMode": 0, "fakeFullscreen": false, "grouped": [], "swallowing": null
},{
    "address": "0x79a9c60", "mapped": true, "hidden": false, "at": [2571, 11], "size": [1263, 1418],
    "workspace": {"id": 2, "name": "2"}, "floating": false, "monitor": 2, "class": "Cursor", "title": "main.go - \"repo\" - Cursor",
    "initialClass": "Cursor", "initialTitle": "Cursor", "pid": PID, "xwayland": false, "grouped": [], "focusHistoryID": 1
},{
    "address": "0x55; exec rm", "mapped": true, "class": "Cursor", "title": "repo - Cursor", "pid": PID
},{
    "address": "0x1b9e3e0", "mapped": true, "hidden": false, "at": [440, 247], "size": [720, 405],
    "workspace": {"id": 3, "name": "3"}, "class": "kitty", "title": "repo - Cursor", "pid": PID, "focusHistoryID": 0
}]`

func TestHyprland(t *testing.T) {
	for _, tt := range []struct {
		name     string
		dispatch string // of the script
		want     string // what was dispatched
		refused  bool
	}{
		{"the words of before 0.55", `echo ok`, "focuswindow address:0x79a9c60\n", false},
		{
			"Lua", `case "$2" in hl.*) echo ok;; *) echo "error: syntax error near 'address'"; exit 1;; esac`,
			"focuswindow address:0x79a9c60\n" + `hl.dsp.focus({ window = "address:0x79a9c60" })` + "\n", false,
		},
		{
			"neither", `echo "No such window found"`,
			"focuswindow address:0x79a9c60\n" + `hl.dsp.focus({ window = "address:0x79a9c60" })` + "\n", true,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newWaylandFake(t, "hyprland")
			f.program("hyprctl", `case "$*" in
"-j clients") cat "$DIR/clients";;
"-j activewindow") cat "$DIR/active";;
"-j devices") cat "$DIR/devices";;
dispatch*) shift; echo "$*" >>"$DIR/dispatched"; set -- dispatch "$@"; `+tt.dispatch+`;;
*) echo "unknown request"; exit 1;;
esac`)
			f.write("clients", strings.ReplaceAll(hyprClients, "PID", fmt.Sprint(os.Getpid())))
			f.write("active", "{}")
			f.write("devices", `{"mice": [], "keyboards": [{"address": "0x1", "name": "at-translated-set-2-keyboard", "layout": "us,ru", "active_keymap": "Russian", "main": true},
				{"address": "0x2", "name": "ydotoold-virtual-device", "layout": "us", "active_keymap": "English (US)", "main": false}]}`)
			f.testHyprland(tt.want, tt.refused)
		})
	}
}

func (f *waylandFake) write(name, text string) {
	f.Helper()
	testdesk.Must(f, os.WriteFile(filepath.Join(f.dir, name), []byte(text), 0o644))
}

func (f *waylandFake) testHyprland(want string, refused bool) {
	f.Helper()
	h, err := compositorOf(f.m, desk.Request{})
	testdesk.Must(f, err)
	found, err := h.Windows(f.Context(), desk.Editors{self(f.T)})
	if err != nil || len(found) != 1 || found[0].Title != `main.go - "repo" - Cursor` {
		f.Fatalf("windows: %+v, %v", found, err)
	}
	w := found[0]
	if ok, err := h.Focused(f.Context(), w); ok || err != nil {
		f.Errorf("without a focus: %v, %v", ok, err)
	}
	if front, err := h.Front(f.Context()); err == nil {
		f.Errorf("without a focus %+v is in front", front)
	}
	if err := h.Activate(f.Context(), w); (err != nil) != refused {
		f.Errorf("activate: %v, want a refusal: %v", err, refused)
	}
	if got := f.read("dispatched"); got != want {
		f.Errorf("dispatched %q, want %q", got, want)
	}
	for active, want := range map[string]bool{"0x79a9c60": true, "0x1b9e3e0": false} {
		f.write("active", fmt.Sprintf(`{"address": %q, "mapped": true, "class": "Cursor", "title": "a title", "pid": %d}`, active, w.PID))
		if ok, err := h.Focused(f.Context(), w); ok != want || err != nil {
			f.Errorf("%s is active: %v, %v", active, ok, err)
		}
		if front, err := h.Front(f.Context()); err != nil || front != (desk.Window{ID: active, Title: "a title", PID: w.PID}) {
			f.Errorf("%s is active: in front is %+v, %v", active, front, err)
		}
	}
	if names, err := h.layouts(f.Context()); err != nil || !slices.Equal(names, []string{"Russian", "English (US)"}) {
		f.Errorf("layouts: %v, %v", names, err)
	}
}

// A password that its manager has marked is not put back without the mark.
func TestWaylandPutsNoPasswordBack(t *testing.T) {
	f := newWaylandFake(t, "sway", virtualKeyboard)
	f.clipboard()
	f.program("wtype", "cat >/dev/null")
	f.program("wl-paste", `f=$DIR/clip; case "$*" in *--primary*) f=$DIR/primary;; esac
case "$*" in *--list-types*) printf 'text/plain\nx-kde-passwordManagerHint\n';; *) echo read >>"$DIR/read"; cat "$f";; esac`)
	f.write("clip", "hunter2")
	s, err := OpenWlCopy(t.Context(), f.m, f.us())
	testdesk.Must(t, err)
	told := typeLine(t, s)
	if !strings.Contains(told, "the clipboard held what is marked as a password") {
		t.Errorf("it tells %q", told)
	}
	if got := f.read("clip") + f.read("primary") + f.read("read"); got != "" {
		t.Errorf("put back, or read, was %q", got)
	}
}

// The user has to see why wl-copy failed.
func TestWlCopyReasonIsInTheError(t *testing.T) {
	f := newWaylandFake(t, "sway", virtualKeyboard)
	f.clipboard()
	f.program("wtype", "cat >/dev/null")
	f.program("wl-copy", "echo Failed to connect to a Wayland server >&2; exit 1")
	s, err := OpenWlCopy(t.Context(), f.m, f.us())
	testdesk.Must(t, err)
	if _, err := s.Put(t.Context(), desk.Window{}, "/ralph-loop"); err == nil || !strings.Contains(err.Error(), "Failed to connect to a Wayland server") {
		t.Errorf("got %v, want the reason", err)
	}
}

// typeLine does what a delivery does with a way of typing, and returns what the
// clipboard lost.
func typeLine(t *testing.T, s desk.Session) (lost string) {
	t.Helper()
	ctx := t.Context()
	c, err := s.Put(ctx, desk.Window{}, "/ralph-loop")
	testdesk.Must(t, err)
	testdesk.Must(t, s.Press(ctx, desk.Window{ID: "5"}, key.Paste), c.Fetched(ctx), s.Press(ctx, desk.Window{ID: "5"}, key.Return))
	lost, err = c.Restore(ctx)
	testdesk.Must(t, err)
	return lost
}

// Pages of 16 KB make a pipe hold more.
func TestWtypeGateHoldsWhateverThePageIs(t *testing.T) {
	const setSize = 1031 // F_SETPIPE_SZ of linux/fcntl.h
	for _, page := range []int{4 << 10, 16 << 10, 64 << 10} {
		r, w, err := os.Pipe()
		testdesk.Must(t, err)
		control, err := w.SyscallConn()
		testdesk.Must(t, err)
		if err := control.Control(func(fd uintptr) {
			if _, _, errno := syscall.Syscall(syscall.SYS_FCNTL, fd, setSize, uintptr(16*page)); errno != 0 {
				t.Fatal(errno)
			}
		}); err != nil {
			t.Fatal(err)
		}
		testdesk.Must(t, w.SetWriteDeadline(time.Now().Add(50*time.Millisecond)))
		if _, err := w.Write(moreThanAPipe(page)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("a pipe of 16 pages of %d bytes takes it all though nobody reads: %v", page, err)
		}
		_, _ = r.Close(), w.Close() // nothing is in them that matters
	}
}
