//go:build unix

package keystroke

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/bridge"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
	"github.com/cursor-ralph/cursor-ralph/test/faketools"
	"github.com/cursor-ralph/cursor-ralph/test/testdesk"
)

const bridgeChat = "4f1d1b0e-8d0c-4d2b-9a51-0d6f5c1e7a90"

// fakeCursor plays Cursor's command. It keeps each message that it is given,
// and then answers with what answer-ls or answer-send holds: `exit N` before an
// answer is its exit code, the word hang never answers, slow is slow.
const fakeCursor = `
echo $$ >>pids
printf '%s\n' "$*" >>log
answer=$(cat "answer-$2")
code=0
if test "$2" = send; then
  cat >message.new
  printf '[%s]\n' "$(cat message.new)" >>messages
fi
case $answer in
hang) sleep 60 & echo $! >>pids; wait ;;
slow\ *) sleep 0.3; answer=${answer#slow } ;;
exit\ *) answer=${answer#exit } code=${answer%% *} answer=${answer#* }; echo "a complaint" >&2 ;;
esac
printf '%s\n' "$answer"
exit $code
`

// playCursor is a Cursor with its bridge on, which lists our chat and sends.
func playCursor(t *testing.T) faketools.Tools {
	t.Helper()
	f := faketools.New(t, map[string]string{"cursor": fakeCursor})
	announce(f, "4711.json")
	f.Says("ls", `[{"id":"`+bridgeChat+`","title":"a","source":"local","status":"completed","windowId":1}]`)
	f.Says("send", `{"status":"submitted"}`)
	t.Cleanup(func() { allEnded(f) })
	return f
}

// allEnded checks that everything that Cursor's command started has ended.
func allEnded(f faketools.Tools) {
	for _, word := range strings.Fields(f.Read("pids")) {
		pid, err := strconv.Atoi(word)
		testdesk.Must(f.T, err)
		for end := time.Now().Add(2 * time.Minute); !proc.Gone(pid); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) {
				f.T.Errorf("process %d lives on", pid)
				break
			}
		}
	}
}

func announcements(f faketools.Tools) string {
	return filepath.Join(f.Dir, "home", ".cursor", "desktop-bridge")
}

// announce writes the file by which a window announces its bridge.
func announce(f faketools.Tools, name string) {
	f.T.Helper()
	testdesk.Must(f.T, os.MkdirAll(announcements(f), 0o755), os.WriteFile(filepath.Join(announcements(f), name), []byte(`{"pid":1}`), 0o600))
}

func bridgeOf(f faketools.Tools) bridgeInjector {
	m := desk.Machine{OS: "linux", Env: append(f.Env(), "HOME="+filepath.Join(f.Dir, "home"))}
	return bridgeInjector{bridge.Bridge{Machine: m, ListWait: 5 * time.Second, SendWait: 5 * time.Second}}
}

func bridgeTarget() Target {
	return Target{Line: "/ralph-loop --continue " + bridgeChat, Conversation: bridgeChat}
}

// nextWay is the way of typing after the bridge. It counts what it is asked.
type nextWay struct{ typed *int }

func (nextWay) Name() string                        { return "next" }
func (nextWay) Probe(context.Context, Target) error { return nil }
func (n nextWay) Type(context.Context, Target) error {
	*n.typed++
	return nil
}

// Whatever Cursor answers, there is exactly one message, or none and the next
// way of typing is tried, with the reason.
func TestBridgeSendsOnceOrFallsThrough(t *testing.T) {
	t.Parallel()
	const id = bridgeChat
	listed := `{"id":"` + id + `","source":"local"}`
	for _, tt := range []struct {
		name, ls, send string
		sent           bool   // by the bridge; else the next way is tried
		unproved       bool   // the line never arrives
		want           string // part of the error of the bridge
	}{
		{name: "submitted", send: `{"status":"submitted"}`, sent: true},
		{name: "queued", send: `{"status":"queued"}`, sent: true},
		{name: "steered", send: `{"status":"steered"}`, sent: true},
		{name: "written otherwise", send: `{"ok":true,"result":{"outcome":"Submitted"}}`, sent: true},
		{name: "a plain word", send: `submitted`, sent: true},
		{name: "slow", send: `slow {"status":"submitted"}`, sent: true},
		{name: "submitted, never delivered", send: `{"status":"submitted"}`, sent: true, unproved: true, want: "submitted; nothing shows that the line arrived"},
		{name: "submitted, with an exit code", send: `exit 1 {"status":"submitted"}`, sent: true},
		{name: "error", send: `exit 1 {"status":"error","message":"the socket broke"}`, sent: true, unproved: true, want: "error (the socket broke); nothing shows"},
		{name: "error, and yet delivered", send: `{"status":"error"}`, sent: true},
		{name: "timeout", send: `{"status":"timeout"}`, sent: true, unproved: true, want: "timeout; nothing shows"},
		{name: "garbage", send: `exit 3 Segmentation fault`, sent: true, unproved: true, want: "exit status 3: a complaint"},
		{name: "garbage, no exit code", send: `[[[`, sent: true, unproved: true, want: `it answered "[[[", which is not understood`},
		{name: "nothing", send: ``, sent: true, unproved: true, want: "nothing shows"},
		{name: "contradictory", send: `{"status":"error","code":"unsupported"}`, sent: true, unproved: true, want: "unsupported, error; nothing shows"},
		{name: "killed", send: `hang`, sent: true, unproved: true, want: "no answer in 400ms; nothing shows"},
		{name: "killed, and yet delivered", send: `hang`, sent: true},

		{name: "not sendable", send: `exit 1 {"status":"not-sendable","reason":"the chat asks something"}`, want: "not-sendable (the chat asks something)"},
		{name: "an unknown thread", send: `{"status":"unknown_thread"}`, want: "unknown-thread"},
		{name: "unsupported", send: `{"error":"unsupported"}`, want: "unsupported"},

		{name: "two windows", ls: `[` + listed + `,` + listed + `]`, sent: true},
		{name: "another letter case", ls: `[{"id":"` + strings.ToUpper(id) + `"}]`, sent: true},
		{name: "other chats besides, in an object", ls: `{"version":2,"chats":[{"id":"other"},` + listed + `]}`, sent: true},
		{name: "a draft besides", ls: `[{"id":"` + id + `","source":"draft"},` + listed + `]`, sent: true},
		{name: "a source that is not known", ls: `[{"id":"` + id + `","source":"worktree"}]`, sent: true},
		{name: "a draft alone", ls: `[{"id":"` + id + `","source":"draft"}]`, want: "lists the chat as draft"},
		{name: "a cloud chat", ls: `[{"id":"` + id + `","source":"cloud"}]`, want: "lists the chat as cloud"},
		{name: "another chat", ls: `[{"id":"other"}]`, want: "does not list the chat (it lists 1)"},
		{name: "no chat", ls: `{"chats":[]}`, want: "does not list the chat (it lists 0)"},
		{name: "a list of something else", ls: `[{"name":"a"}]`, want: "no list of chats"},
		{name: "the list is garbage", ls: `Warning: 'desktop' is not in the list of known options`, want: "no list of chats"},
		{name: "the list fails", ls: `exit 1 []`, want: "exit status 1: a complaint"},
		{name: "the list hangs", ls: `hang`, want: "cursor desktop ls: no answer in 400ms"},
		{name: "null", ls: `null`, want: "no list of chats"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, target := playCursor(t), bridgeTarget()
			announce(f, "dead-window.json")
			i, next, asked := bridgeOf(f), 0, 0
			if tt.ls != "" {
				f.Says("ls", tt.ls)
			}
			if tt.ls == "" && tt.send != `{"status":"submitted"}` {
				f.Says("send", tt.send)
			}
			if tt.ls == "hang" {
				i.ListWait = 400 * time.Millisecond
			}
			if tt.send == "hang" {
				i.SendWait = 400 * time.Millisecond
			}
			target.Arrived = func(context.Context) error {
				asked++
				if tt.unproved {
					return errors.New("no hook saw it")
				}
				return nil
			}
			o := Type(t.Context(), []Injector{i, nextWay{&next}}, target)
			messages := strings.Count(f.Read("messages"), "["+target.Line+"]\n")
			if tt.sent {
				if messages != 1 || next != 0 || o.Method() != "bridge" || asked != 1 || (o.Err() != nil) != tt.unproved {
					t.Errorf("got %d messages, the next way %d times, method %q, proof awaited %d times: %v", messages, next, o.Method(), asked, o.Err())
				}
				if tt.unproved && !errors.Is(o.Err(), ErrUnproved) {
					t.Errorf("got %v, want ErrUnproved", o.Err())
				}
			} else if next != 1 || o.Method() != "next" || asked != 0 || tt.ls != "" && messages != 0 {
				t.Errorf("got %d messages, the next way %d times, proof awaited %d times: %v", messages, next, asked, o.Tries)
			}
			if err := o.Tries[0].Err; tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) || tt.want == "" && err != nil {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}
