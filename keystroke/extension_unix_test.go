//go:build unix

package keystroke

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
	"github.com/cursor-ralph/cursor-ralph/test/testdesk"
)

const (
	extensionChat = "4f1d1b0e-8d0c-4d2b-9a51-0d6f5c1e7a90"
	token         = "0123456789abcdef0123456789abcdef"
)

// fakeWindow plays a window with our extension: its answers are scripted.
type fakeWindow struct {
	dir, token string
	silent     string                    // hangs at this method
	answers    map[string]map[string]any // by method; what is missing is a success, what has a code a refusal
	does       func(method string)       // when a request comes
	mu         sync.Mutex
	asked      []string
}

func (w *fakeWindow) did(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = append(w.asked, what)
}

func (w *fakeWindow) log() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.asked, " ")
}

// open announces a window in the folder.
func (w *fakeWindow) open(t *testing.T, name string) {
	t.Helper()
	address := filepath.Join(w.dir, name+".sock")
	l, err := net.Listen("unix", address)
	testdesk.Must(t, err)
	gone, leave := context.WithCancel(context.Background())
	server := &http.Server{Handler: w, ReadHeaderTimeout: time.Minute, BaseContext: func(net.Listener) context.Context { return gone }}
	t.Cleanup(func() { leave(); server.Close() })
	go func() { _ = server.Serve(l) }()
	announceWindow(t, w.dir, name, map[string]any{})
}

func announceWindow(t *testing.T, dir, name string, change map[string]any) {
	t.Helper()
	a := map[string]any{"version": 1, "pid": os.Getpid(), "address": filepath.Join(dir, name+".sock"), "token": token, "editor": "Cursor"}
	for k, v := range change {
		a[k] = v
	}
	data, err := json.Marshal(a)
	testdesk.Must(t, err, os.WriteFile(filepath.Join(dir, name+".json"), data, 0o600))
}

func (w *fakeWindow) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	method := strings.TrimPrefix(r.URL.Path, "/")
	var m struct{ Rested bool }
	if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
		panic(err)
	}
	if m.Rested {
		w.did("rested")
	}
	w.did(method)
	if w.does != nil {
		w.does(method)
	}
	if w.silent == method {
		<-r.Context().Done() // until the other side goes
		return
	}
	answer := map[string]any{"place": "front", "folders": []string{"/work/repo"}}
	for k, v := range w.answers[method] {
		answer[k] = v
	}
	if r.Header.Get("Authorization") != "Bearer "+w.token {
		answer = refused("denied", false)
	}
	if answer["code"] != nil {
		out.WriteHeader(http.StatusConflict)
	}
	_ = json.NewEncoder(out).Encode(answer)
}

func newWindow(t *testing.T) *fakeWindow {
	dir, err := os.MkdirTemp("", "x") // a short path: it holds a socket
	testdesk.Must(t, err, os.Chmod(dir, 0o700))
	t.Cleanup(func() { os.RemoveAll(dir) })
	return &fakeWindow{dir: dir, token: token, answers: map[string]map[string]any{}}
}

func extensionTarget() Target {
	return Target{Line: "/ralph-loop --continue " + extensionChat, Conversation: extensionChat, Workspace: "/work/repo", Editors: []string{"cursor"}}
}

// keysOf is a way that presses keys on a desktop that is played.
func keysOf(p *play) Injector {
	p.began = time.Now().Add(-time.Minute)
	p.windows = []desk.Window{window("1", "repo - Cursor", "cursor")}
	return typist{"keys", desk.Machine{}, func(context.Context, desk.Machine) (desk.Desk, error) { return p.desk(), nil }}
}

func refused(code string, touched bool) map[string]any {
	return map[string]any{"code": code, "reason": "because", "touched": touched}
}

// The extension puts the line in, and a key presses the submit key: nothing else
// is pressed and the clipboard is not used.
func TestExtensionPutsAndAKeySubmits(t *testing.T) {
	t.Parallel()
	w, p := newWindow(t), &play{}
	w.answers["find"] = map[string]any{"active": true}
	w.open(t, "a")
	target, steps := extensionTarget(), []string(nil)
	target.Arrived = func(context.Context) error { return nil }
	target.Step = func(words string) { steps = append(steps, words) }
	o := Type(t.Context(), []Injector{extensionInjector{folder: w.dir, os: "linux"}, keysOf(p)}, target)
	if o.Err() != nil || o.Method() != "keys" || !slices.Equal(p.events, []string{"return"}) {
		t.Errorf("got %v by %q, keys %q", o.Tries, o.Method(), p.events)
	}
	// Asked whether the chat is still in front before each key.
	if got, want := w.log(), "find find rest show focus put check check sent"; got != want {
		t.Errorf("the window was asked %q, want %q", got, want)
	}
	if !slices.Contains(steps, "extension: the user is active") || !slices.Contains(steps, `extension: "show": "ok"`) {
		t.Errorf("got the steps %q", steps)
	}
}

// Whatever a window does, the line is put into a chat once at most, and no key is
// pressed unless it is there.
func TestExtensionGoesWrong(t *testing.T) {
	t.Parallel()
	unknown := map[string]any{"place": "unknown", "folders": []string{"/other"}}
	for _, tt := range []struct {
		name    string
		prepare func(t *testing.T, w *fakeWindow)
		falls   bool   // the keys deliver the whole line
		put     bool   // the line may be in an input: nothing is tried after that
		want    string // part of the extension's error
	}{
		{"no folder", func(t *testing.T, w *fakeWindow) { testdesk.Must(t, os.RemoveAll(w.dir)) }, true, false, "no window of the editor runs our extension"},
		{"no file", func(*testing.T, *fakeWindow) {}, true, false, "no window of the editor runs our extension"},
		{"a folder that others may change", func(t *testing.T, w *fakeWindow) {
			w.open(t, "a")
			testdesk.Must(t, os.Chmod(w.dir, 0o777))
		}, true, false, "refused"},
		{"a file that others can read", func(t *testing.T, w *fakeWindow) {
			w.open(t, "a")
			testdesk.Must(t, os.Chmod(filepath.Join(w.dir, "a.json"), 0o644))
		}, true, false, "others can open"},
		{"a link in the file's place", func(t *testing.T, w *fakeWindow) {
			w.open(t, "a")
			testdesk.Must(t, os.Rename(filepath.Join(w.dir, "a.json"), filepath.Join(w.dir, "b")), os.Symlink("b", filepath.Join(w.dir, "a.json")))
		}, true, false, "refused"},
		{"a link in the socket's place", func(t *testing.T, w *fakeWindow) {
			w.open(t, "a")
			testdesk.Must(t, os.Symlink("a.sock", filepath.Join(w.dir, "b.sock")))
			announceWindow(t, w.dir, "a", map[string]any{"address": filepath.Join(w.dir, "b.sock")})
		}, true, false, "is not our socket"},
		{"a socket in a folder of everyone", func(t *testing.T, w *fakeWindow) {
			announceWindow(t, w.dir, "a", map[string]any{"address": "/tmp/x.sock"})
		}, true, false, "refused"},
		{"a relative address", func(t *testing.T, w *fakeWindow) { announceWindow(t, w.dir, "a", map[string]any{"address": "x.sock"}) }, true, false, "is not a socket"},
		{"another user's file", func(t *testing.T, w *fakeWindow) {
			if os.Getuid() != 0 {
				t.Skip("needs root")
			}
			w.open(t, "a")
			testdesk.Must(t, os.Chown(filepath.Join(w.dir, "a.json"), 65534, 65534))
		}, true, false, "refused"},
		{"another user's socket", func(t *testing.T, w *fakeWindow) {
			if os.Getuid() != 0 {
				t.Skip("needs root")
			}
			w.open(t, "a")
			testdesk.Must(t, os.Chown(filepath.Join(w.dir, "a.sock"), 65534, 65534))
		}, true, false, "is not our socket"},
		{"a file of a process that is gone", func(t *testing.T, w *fakeWindow) {
			w.open(t, "a")
			announceWindow(t, w.dir, "a", map[string]any{"pid": 1 << 22})
		}, true, false, "no window of the editor runs our extension"},
		{"a socket that nobody serves", func(t *testing.T, w *fakeWindow) {
			l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(w.dir, "a.sock"), Net: "unix"})
			testdesk.Must(t, err)
			l.SetUnlinkOnClose(false)
			l.Close()
			announceWindow(t, w.dir, "a", nil)
		}, true, false, "connection refused"},
		{"not JSON", func(t *testing.T, w *fakeWindow) {
			testdesk.Must(t, os.WriteFile(filepath.Join(w.dir, "a.json"), []byte("{"), 0o600))
		}, true, false, "unexpected end"},
		{"no token", func(t *testing.T, w *fakeWindow) { announceWindow(t, w.dir, "a", map[string]any{"token": ""}) }, true, false, "not an announcement"},
		{"another version in the file", func(t *testing.T, w *fakeWindow) { announceWindow(t, w.dir, "a", map[string]any{"version": 2}) }, true, false, "speaks version 2"},
		{"a window with another token", func(t *testing.T, w *fakeWindow) { w.token = strings.Repeat("f", 32); w.open(t, "a") }, true, false, "denied"},
		{"it hangs when asked for the chat", func(t *testing.T, w *fakeWindow) { w.silent = "find"; w.open(t, "a") }, false, false, "no answer in time"},
		{"it does not have the chat", func(t *testing.T, w *fakeWindow) { w.answers["find"] = unknown; w.open(t, "a") }, true, false, "none of 1 windows shows the chat"},
		{"it is no Cursor", func(t *testing.T, w *fakeWindow) { w.answers["find"] = refused("not-here", false); w.open(t, "a") }, true, false, "not-here"},
		{"two windows have it", func(t *testing.T, w *fakeWindow) { w.open(t, "a"); w.open(t, "b") }, true, false, "2 windows may have the chat"},
		{"the chat is not shown", func(t *testing.T, w *fakeWindow) { w.answers["show"] = refused("not-shown", false); w.open(t, "a") }, true, false, "not-shown"},
		{"the focus does not move", func(t *testing.T, w *fakeWindow) { w.answers["focus"] = refused("no-focus", false); w.open(t, "a") }, true, false, "no-focus"},
		{"the line went astray", func(t *testing.T, w *fakeWindow) { w.answers["put"] = refused("strayed", true); w.open(t, "a") }, false, true, "strayed"},
		{"it breaks off during the delivery", func(t *testing.T, w *fakeWindow) {
			w.answers["put"] = map[string]any{"reason": strings.Repeat("x", 70<<10)}
			w.open(t, "a")
		}, false, true, "longer than 65536 bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w, p := newWindow(t), &play{}
			tt.prepare(t, w)
			o := Type(t.Context(), []Injector{extensionInjector{folder: w.dir, os: "linux"}, keysOf(p)}, extensionTarget())
			if err := o.Tries[0].Err; err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			whole := slices.Contains(p.events, "paste") && o.Err() == nil
			if whole != tt.falls || len(o.Tries) > 1 != tt.falls || o.Sent != (tt.falls || tt.put) {
				t.Errorf("got %v, sent %t, keys %q", o.Tries, o.Sent, p.events)
			}
			if got := strings.Count(w.log(), "put"); got > 1 || tt.falls && strings.Contains(w.log(), "ask") {
				t.Errorf("the window was asked %q", w.log())
			}
		})
	}
}

// Where no key can be pressed, the user presses it, and the line is not sent again.
func TestExtensionAsksTheUser(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		next    func(p *play) []Injector
		window  func(w *fakeWindow)
		arrives bool
		asked   bool
	}{
		{"no way presses keys, and the user does", func(*play) []Injector { return nil }, func(*fakeWindow) {}, true, true},
		{"no way presses keys, and nobody does", func(*play) []Injector { return nil }, func(*fakeWindow) {}, false, true},
		{"the user has gone to another chat", func(p *play) []Injector { return []Injector{keysOf(p)} }, func(w *fakeWindow) { w.answers["check"] = refused("moved", true) }, true, true},
		{"the window hangs then", func(p *play) []Injector { return []Injector{keysOf(p)} }, func(w *fakeWindow) { w.silent = "check" }, false, false},
		{"no key can be pressed", func(p *play) []Injector {
			p.pressErr = desk.ErrLostFocus
			return []Injector{keysOf(p)}
		}, func(*fakeWindow) {}, true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w, p := newWindow(t), &play{}
			tt.window(w)
			w.open(t, "a")
			target := extensionTarget()
			target.Arrived = func(context.Context) error {
				if tt.arrives {
					return nil
				}
				return errors.New("no hook saw it")
			}
			i := extensionInjector{folder: w.dir, os: "linux"}
			o := Type(t.Context(), append([]Injector{i}, tt.next(p)...), target)
			if (o.Err() == nil) != tt.arrives || !o.Sent || o.Method() != "extension" {
				t.Errorf("got %v, sent %t by %q", o.Tries, o.Sent, o.Method())
			}
			if strings.Contains(w.log(), "ask") != tt.asked || strings.Count(w.log(), "put") != 1 || slices.Contains(p.events, "paste") {
				t.Errorf("the window was asked %q, keys %q", w.log(), p.events)
			}
		})
	}
}

// A loop that is stopped during a delivery: nothing is put in after that, no key is pressed, and nobody is
// asked to press one.
func TestExtensionStopsWhenTheLineIsNotWanted(t *testing.T) {
	t.Parallel()
	for at, want := range map[string]string{
		"rest": "find find rest show", "show": "find find rest show", "focus": "find find rest show focus", "put": "find find rest show focus put",
	} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			w, p := newWindow(t), &play{}
			gone := make(chan struct{})
			w.does = func(method string) {
				if method == at {
					close(gone)
				}
			}
			w.open(t, "a")
			target := extensionTarget()
			target.Permit = func(context.Context) error {
				select {
				case <-gone:
					return errors.New("the loop is paused")
				default:
					return nil
				}
			}
			o := Type(t.Context(), []Injector{extensionInjector{folder: w.dir, os: "linux"}, keysOf(p)}, target)
			if o.Err() == nil || o.Sent != (at == "put") || len(p.events) > 0 || w.log() != want {
				t.Errorf("got %v, sent %t, keys %q, the window was asked %q, want %q", o.Tries, o.Sent, p.events, w.log(), want)
			}
		})
	}
}
