package desk_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/keystroke"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
	"github.com/cursor-ralph/cursor-ralph/platform"
	"github.com/cursor-ralph/cursor-ralph/test/faketools"
	"github.com/cursor-ralph/cursor-ralph/test/testdesk"
)

// playHyprland is a Hyprland with one window of the editor, which is this process. The selections are files.
func playHyprland(t *testing.T) (faketools.Tools, keystroke.Machine, keystroke.Target) {
	t.Helper()
	const clipboard = `file=clipboard; [ "$1" != --primary ] || file=primary`
	f := faketools.New(t, map[string]string{
		"hyprctl": `echo "hyprctl $*" >>log; case $* in "-j clients") cat answer-clients ;; "-j activewindow") cat answer-front ;; *) cat "answer-$2" ;; esac`,
		"wtype":   `echo "wtype ${*##* - }" >>log; cat >/dev/null; cat clipboard primary >>pasted`,
		"wl-copy": clipboard + `; case $* in *--clear*) : >$file ;; *) cat >$file ;; esac`,
		"wl-paste": clipboard + `; case $* in *--list-types*) [ -s $file ] || { echo "Nothing is copied" >&2; exit 1; }; echo text/plain ;;
*) cat $file ;; esac`,
		"ydotool": `[ "$1" = help ] && { cat answer-help >&2; exit 1; }; echo "ydotool $* on ${YDOTOOL_SOCKET##*/}" >>log`,
	})
	self, err := os.Executable()
	testdesk.Must(t, err)
	window := fmt.Sprintf(`{"address": "0x5f", "mapped": true, "class": "Cursor", "title": "a.go - repo - Cursor", "pid": %d}`, os.Getpid())
	f.Says("clients", `[`+window+`, {"address": "0x60", "mapped": false, "class": "Cursor", "pid": 0}, {"address": "; rm", "mapped": true, "class": "Cursor"}]`)
	f.Says("front", window)
	f.Says("focuswindow", "ok")
	testdesk.Must(t, os.WriteFile(filepath.Join(f.Dir, "clipboard"), []byte("old\n"), 0o600), os.WriteFile(filepath.Join(f.Dir, "primary"), nil, 0o600))
	m := keystroke.Machine{OS: "linux", Env: append(f.Env(), "XDG_RUNTIME_DIR="+f.Dir), Desktop: platform.Desktop{Kind: platform.Wayland, Compositor: "hyprland"}}
	return f, m, keystroke.Target{Line: testLine, Workspace: "/repo", Editors: []string{desk.Executable(self)}}
}

func TestHyprland(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		about, answer, want string
	}{
		"in front":                {"", "", ""},
		"nothing in front":        {"front", "{}", "did not come to the front"},
		"another window in front": {"front", `{"address": "0x99", "pid": 7}`, "did not come to the front"},
		"no window":               {"clients", "[]", "no window of Cursor"},
		"another class":           {"clients", fmt.Sprintf(`[{"address": "0x5f", "mapped": true, "class": "foot", "title": "Cursor", "pid": %d}]`, os.Getpid()), "no window of Cursor"},
		"another executable":      {"clients", `[{"address": "0x5f", "mapped": true, "class": "Cursor", "title": "Cursor", "pid": 1}]`, "no window of Cursor"},
		"what is no JSON":         {"clients", "unknown request", "hyprctl clients"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, m, target := playHyprland(t)
			if tt.about != "" {
				f.Says(tt.about, tt.answer)
			}
			err := way(t, "wtype", m).Type(t.Context(), target)
			if tt.want != "" {
				if err == nil || !strings.Contains(err.Error(), tt.want) || errors.As(err, new(*keystroke.SentError)) || f.Logged("wtype") != nil {
					t.Errorf("got %v, and wtype was called: %q", err, f.Logged("wtype"))
				}
				return
			}
			testdesk.Must(t, err)
			if got := f.Logged("wtype"); len(got) != 2 || !strings.HasSuffix(got[0], "-M shift -k Insert -m shift") || !strings.HasSuffix(got[1], "-k Return") {
				t.Errorf("wtype was called %q", got)
			}
			if got := f.Read("pasted"); !strings.HasPrefix(got, testLine+testLine) || f.Read("clipboard")+"|"+f.Read("primary") != "old\n|" {
				t.Errorf("pasted was %q, and afterwards there is %q and %q", got, f.Read("clipboard"), f.Read("primary"))
			}
		})
	}
}

// What the two helps look like. Sources: ydotool v0.1.8 and v1.0.4.
const (
	helpOld = "Usage: ydotool <cmd> <args>\nAvailable commands:\n  type\n  recorder\n  mousemove\n  key\n  click\n"
	helpNew = "Usage: ydotool <cmd> <args>\nAvailable commands:\n  click\n  mousemove\n  type\n  key\n  debug\n  bakers\n"
)

func TestYdotool(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ help, socket, want string }{
		"1.x":                    {helpNew, ".ydotool_socket", ""},
		"1.x without its daemon": {helpNew, "", "ydotoold is not running"},
		"0.1.x without its own":  {helpOld, ".ydotool_socket", "ydotoold is not running"},
		"an unknown generation":  {"Usage: ydotool", "", "this ydotool is unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := os.Stat("/tmp/.ydotool_socket"); err == nil {
				t.Skip("needs /tmp/.ydotool_socket to be free: a ydotoold is running")
			}
			f, m, target := playHyprland(t)
			f.Says("help", tt.help)
			if tt.socket != "" {
				conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: filepath.Join(f.Dir, tt.socket), Net: "unixgram"})
				testdesk.Must(t, err)
				defer conn.Close()
			}
			err := way(t, "ydotool", m).Type(t.Context(), target)
			if tt.want != "" {
				if err == nil || !strings.Contains(err.Error(), tt.want) || f.Log() != "" {
					t.Errorf("got %v, and %q was called", err, f.Log())
				}
				return
			}
			testdesk.Must(t, err)
			want := "ydotool key 42:1 110:1 110:0 42:0 on .ydotool_socket;ydotool key 28:1 28:0 on .ydotool_socket"
			if got := strings.Join(f.Logged("ydotool"), ";"); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// A helper that does not work is passed over, in time.
func TestRobotgoThatDoesNotWork(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ script, want string }{
		"has no display": {`echo "the display does not open" >&2; exit 3`, "does not open"},
		"crashes":        {`kill -SEGV $$`, "segmentation fault"},
		"hangs":          {`exec sleep 60`, "deadline"},
		"not there":      {"", "not installed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := desk.Machine{OS: "linux", Env: []string{"PATH=/usr/bin:/bin", "DISPLAY=:987"}}
			if tt.script != "" {
				m.Robotgo = filepath.Join(faketools.New(t, map[string]string{"program": tt.script}).Dir, "program")
			}
			began := time.Now()
			_, err := desk.Robotgo(t.Context(), m)
			if took := time.Since(began); err == nil || !strings.Contains(err.Error(), tt.want) || took > 5*time.Second {
				t.Errorf("got %v after %s, want %q", err, took, tt.want)
			}
		})
	}
}

// The helper presses only after everything was asked once more, and is killed if it hangs.
func TestRobotgoPressesAtTheWord(t *testing.T) {
	t.Parallel()
	testdesk.Needs(t, "xdotool", "xclip")
	const pressed = `read word && echo $word >out`
	for name, tt := range map[string]struct {
		script string
		refuse bool
		want   string // the error
		out    string
	}{
		"presses":                 {"echo ready; " + pressed, false, "", "go\n"},
		"is not wanted":           {"echo ready; " + pressed, true, "refused", ""},
		"ends before it is ready": {"echo no display >&2; exit 3", false, "no display", ""},
		"never gets ready":        {"exec sleep 60", false, "did not get ready", ""},
		"hangs while pressing":    {"echo ready; " + pressed + "; exec sleep 60", false, "deadline", "go\n"},
		"crashes while pressing":  {"echo ready; " + pressed + "; kill -SEGV $$", false, "segmentation fault", "go\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := faketools.New(t, map[string]string{"program": `[ "$1" = version ] && exit; ` + tt.script})
			d, err := desk.Robotgo(t.Context(), desk.Machine{OS: "linux", Env: []string{"PATH=/usr/bin:/bin", "DISPLAY=:987"}, Robotgo: filepath.Join(f.Dir, "program")})
			testdesk.Must(t, err)
			asked := false
			err = d.Press(context.Background(), desk.Window{}, desk.Return, func() error {
				asked = true
				if tt.refuse {
					return errors.New("refused")
				}
				return nil
			})
			if (err != nil) != (tt.want != "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if got := f.Read("out"); got != tt.out || asked != (tt.out != "" || tt.refuse) {
				t.Errorf("pressed %q, want %q; asked %t", got, tt.out, asked)
			}
		})
	}
}
