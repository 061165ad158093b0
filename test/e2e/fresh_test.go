//go:build unix

package e2e_test

import (
	"bufio"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/simcursor"
)

// editor plays a window whose extension creates chats, or says why it does not.
type editor struct {
	*world
	creates bool
	answer  map[string]any // to create
	asked   chan string    // the lines for new chats
}

const editorToken = "0123456789abcdef0123456789abcdef"

// opens announces the window.
func (w *world) opens(creates bool, answer map[string]any) *editor {
	w.Helper()
	e := &editor{world: w, creates: creates, answer: answer, asked: make(chan string, 10)}
	w.must(os.MkdirAll(w.tmp(), 0o755))
	short, err := os.MkdirTemp("", "x") // a short path: it has a socket
	w.must(err)
	address := filepath.Join(short, "s")
	l, err := net.Listen("unix", address)
	w.must(err)
	w.Cleanup(func() { l.Close(); os.RemoveAll(short) })
	folder := filepath.Join(w.tmp(), "cursor-ralph-rendezvous")
	w.must(os.MkdirAll(folder, 0o700))
	file := filepath.Join(folder, "1.json")
	w.write(file, encode(map[string]any{"version": 1, "pid": os.Getpid(), "address": address, "token": editorToken, "editor": "Cursor"}))
	w.must(os.Chmod(file, 0o600))
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go e.serve(conn)
		}
	}()
	return e
}

func (e *editor) serve(conn net.Conn) {
	defer conn.Close()
	sign := func(text string) string {
		mac := hmac.New(sha256.New, []byte(editorToken))
		mac.Write([]byte(text))
		return hex.EncodeToString(mac.Sum(nil))
	}
	const nonce = "00112233445566778899aabbccddeeff"
	in, out := bufio.NewScanner(conn), json.NewEncoder(conn)
	_ = out.Encode(map[string]any{"type": "hello", "version": 1, "nonce": nonce})
	for in.Scan() {
		var m map[string]any
		if json.Unmarshal(in.Bytes(), &m) != nil {
			return
		}
		answer := map[string]any{"type": "result", "id": m["id"], "ok": true}
		switch m["method"] {
		case nil:
			answer = map[string]any{"type": "auth", "proof": sign(fmt.Sprintf("server %s %s", m["nonce"], nonce))}
		case "find":
			answer["place"], answer["creates"], answer["folders"] = "front", e.creates, []string{e.repo()}
		case "create":
			e.asked <- fmt.Sprint(m["line"])
			for k, v := range e.answer {
				answer[k] = v
			}
		default:
			answer["ok"], answer["code"] = false, "bad-request"
		}
		_ = out.Encode(answer)
	}
}

// created is the line for the next new chat, once the hook's process has given it.
func (e *editor) created() string {
	e.Helper()
	select {
	case line := <-e.asked:
		return line
	case <-e.ctx.Done():
		e.Fatalf("no chat was to be created; the log:\n%s", e.log())
		return ""
	}
}

// wantNoneCreated checks that nothing was sent more.
func (e *editor) wantNoneCreated() {
	e.Helper()
	select {
	case line := <-e.asked:
		e.Errorf("a chat was to be created with %q once more", line)
	default:
	}
}

// settled waits until all injections have reported.
func (e *editor) settled() {
	e.Helper()
	count := func(action string) int { return strings.Count(e.log(), " action="+action+" ") }
	for end := time.Now().Add(patience); count("inject") > count("injected")+count("not-typed"); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			e.Fatal("an injection has no end")
		}
	}
}

// freshOptions are what decides how a new chat proves itself.
func freshOptions() []variant {
	return []variant{
		usual(), // the prompt hook sees the raw line
		option("expanded prompt, agent sees its id", func(o *simcursor.Options) { o.ExpandCommands, o.AgentSeesID = true, true }),
		option("expanded prompt", func(o *simcursor.Options) { o.ExpandCommands = true }), // and the printed token
		option("expanded prompt, plain output", func(o *simcursor.Options) { o.ExpandCommands, o.PlainToolOutput = true, true }),
		option("no added context", func(o *simcursor.Options) { o.IgnoreContext = true }),
		option("all optional fields", func(o *simcursor.Options) { o.SessionID, o.Transcript, o.ComposerMode = true, true, "agent" }),
		option("one generation", func(o *simcursor.Options) { o.ConstantGeneration = true }),
		with("user and project", func(v *variant) { v.installs = both() }),
		with("minimal, agent sees its id", func(v *variant) { v.installs, v.AgentSeesID = [][]string{{"--minimal"}}, true }),
	}
}

// A loop goes from chat to chat, and each one learns what was done before it.
func TestFreshChats(t *testing.T) {
	each(t, freshOptions(), func(w *world) {
		e := w.opens(true, nil)
		defer e.settled()
		c := w.chat()
		c.starts(`"make it green" --fresh-chat 2 --min-tool-calls 0`)
		for n := 1; n < 4; n++ {
			c.plays(1)
			c.notes(fmt.Sprintf("part %d is done", n))
			c.works()
			c.rests()
			line := e.created()
			if want := "/ralph-loop --continue " + c.ID; line != want {
				t.Fatalf("the chat was to begin with %q, want %q", line, want)
			}
			next := w.chat()
			next.types(line)
			printed := next.follows()
			w.wantPart("continue", printed, framed("make it green"))
			w.wantPart("continue", printed, fmt.Sprintf("- iterations done: %d\n- last progress note: part %d is done\n", 2*n, n))
			e.settled()
			w.wantStatus(next.ID, "running", 2*n)
			w.wantPart("the old chat", w.refused(w.repo(), "status", c.ID), "went on in conversation "+next.ID)
			c.types("hello") // it has no loop
			c.says("Hello. " + done)
			c.rests()
			c = next
		}
		c.works()
		c.gives()
		if l := w.status(c.ID); l.Status != "PROMISE_ACCEPTED" || l.Iterations != 7 {
			w.Errorf("got %s (%s) after %d iterations", l.Status, l.Reason, l.Iterations)
		}
		w.wantNoLoops()
		e.wantNoneCreated()
	})
}

// Where no chat can be created the agent has the user open one.
func TestFreshChatsByHand(t *testing.T) {
	each(t, freshOptions(), func(w *world) {
		if slices.Contains(w.installs[0], "--minimal") {
			w.opens(false, nil) // a window whose Cursor creates none
		}
		c := w.chat()
		c.starts(`"make it green" --fresh-chat 2 --min-tool-calls 0`)
		c.plays(1)
		w.wantPart("the last turn", c.turn.Message, "the loop's last turn in this chat")
		w.wantPart("the last turn", c.turn.Message, "to open a new chat and to send this line there:\n/ralph-loop --continue "+c.ID+"\n")
		w.wantStatus(c.ID, "running", 1)
		c.works()
		c.says("Please open a new chat.")
		c.rests()
		if l := w.wantStatus(c.ID, "waiting", 2); l.Reason != "open a new chat and send the continue line there" {
			w.Errorf("got %q", l.Reason)
		}
		w.wantPart("inject", w.refused(w.repo(), "inject", c.ID), "the loop goes on in a new chat, which has not begun")
		next := w.chat()
		next.types("/ralph-loop --continue " + c.ID)
		w.wantPart("continue", next.follows(), "- iterations done: 2\n")
		next.plays(1)
		w.wantPart("the last turn there", next.turn.Message, "the loop's last turn in this chat")
		w.wantStatus(next.ID, "running", 3)
		next.works()
		next.gives()
		w.wantStatus(next.ID, "PROMISE_ACCEPTED", 4)
	})
}

// A new chat that nothing is seen of is not created twice; whoever comes first goes on
// with the loop, and alone.
func TestAFreshChatThatDoesNotCome(t *testing.T) {
	refusal := map[string]any{"ok": false, "code": "not-created", "reason": "boom", "touched": true}
	begun := func(t *testing.T, answer map[string]any) (*editor, *chat) {
		w := newWorld(t, usual())
		e := w.opens(true, answer)
		w.Cleanup(e.settled)
		c := w.chat()
		c.starts(`"make it green" --fresh-chat 1`)
		c.works()
		c.rests()
		e.created()
		return e, c
	}
	newChat := func(e *editor, c *chat) *chat {
		next := e.chat()
		next.types("/ralph-loop --continue " + c.ID)
		return next
	}
	t.Run("the user goes on in the old chat, and the new one comes late", func(t *testing.T) {
		t.Parallel()
		e, c := begun(t, refusal)
		c.types("/ralph-loop --continue " + c.ID)
		c.follows()
		late := newChat(e, c)
		if late.turn != nil {
			t.Errorf("the late chat's agent got %q", late.turn.Message)
		}
		late.wantPart("what the user reads", late.shown(), "the loop went on, or was paused, before this chat began")
		c.works()
		c.rests() // and it is time for a new chat again
		e.created()
		next := newChat(e, c)
		next.follows()
		next.works()
		next.gives()
		e.wantStatus(next.ID, "PROMISE_ACCEPTED", 3)
	})
	t.Run("the user writes in the old chat", func(t *testing.T) {
		t.Parallel()
		e, c := begun(t, nil)
		c.types("Wait, one more thing.")
		if late := newChat(e, c); late.turn != nil {
			t.Errorf("the late chat's agent got %q", late.turn.Message)
		}
		c.works()
		c.rests()
		e.created()
		newChat(e, c).stops()
	})
	t.Run("a chat that has another loop", func(t *testing.T) {
		t.Parallel()
		e, c := begun(t, nil)
		other := e.chat()
		other.starts(`"something else"`)
		other.plays(1)
		other.typesAhead("/ralph-loop --continue " + c.ID)
		other.works()
		other.rests()
		other.wantPart("what the user reads", other.shown(), "this one is not new")
		e.wantStatus(c.ID, "waiting", 1)
		next := newChat(e, c)
		next.follows()
		next.stops()
	})
	for _, v := range []variant{usual(), option("expanded prompt", func(o *simcursor.Options) { o.ExpandCommands = true }), option("the agent sees its id", func(o *simcursor.Options) { o.AgentSeesID = true })} {
		t.Run("two new chats, "+v.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, v)
			e := w.opens(true, nil)
			w.Cleanup(e.settled)
			c := w.chat()
			c.starts(`"make it green" --fresh-chat 1`)
			c.works()
			c.rests()
			e.created()
			next := newChat(e, c) // the user's
			next.follows()
			late := newChat(e, c)
			if late.turn != nil {
				t.Errorf("the late chat's agent got %q, which tells it %q", late.turn.Message, late.runs("cursor-ralph continue "+c.ID))
			}
			late.wantPart("what the user reads", late.shown(), "went on in conversation "+next.ID)
			next.works()
			next.gives()
			e.wantStatus(next.ID, "PROMISE_ACCEPTED", 2)
		})
	}
	for _, v := range []variant{option("expanded prompt", func(o *simcursor.Options) { o.ExpandCommands = true }), option("expanded prompt, agent sees its id", func(o *simcursor.Options) { o.ExpandCommands, o.AgentSeesID = true, true })} {
		t.Run("the old chat goes on, and the new one comes late, "+v.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, v)
			e := w.opens(true, refusal)
			w.Cleanup(e.settled)
			c := w.chat()
			c.starts(`"make it green" --fresh-chat 2`)
			c.plays(1)
			c.works()
			c.rests()
			e.created()
			c.types("/ralph-loop --continue " + c.ID)
			c.follows()
			late := newChat(e, c)
			if late.turn != nil {
				out, exit := late.tries("cursor-ralph continue " + c.ID)
				t.Errorf("the late chat's agent got %d %q", exit, out)
			}
			e.wantStatus(c.ID, "running", 2)
			c.works()
			c.gives()
		})
	}
	t.Run("the user pauses, and goes on later", func(t *testing.T) {
		t.Parallel()
		e, c := begun(t, nil)
		e.ok(e.repo(), "pause", c.ID)
		if late := newChat(e, c); late.turn != nil {
			t.Errorf("the late chat's agent got %q", late.turn.Message)
		}
		e.wantStatus(c.ID, "paused", 1)
		e.ok(e.repo(), "resume", c.ID)
		next := newChat(e, c)
		next.follows()
		e.wantStatus(next.ID, "running", 1)
		next.stops()
	})
	t.Run("the user cancels", func(t *testing.T) {
		t.Parallel()
		e, c := begun(t, nil)
		e.ok(e.repo(), "cancel", c.ID)
		if late := newChat(e, c); late.turn != nil {
			t.Errorf("the late chat's agent got %q", late.turn.Message)
		}
		e.wantStatus(c.ID, "CANCELLED", 1)
	})
}

// gives is the agent's promise.
func (c *chat) gives() {
	c.Helper()
	if slices.Contains(c.installs[0], "--minimal") {
		c.runs("cursor-ralph note " + c.ID + ` "` + done + `"`)
	}
	c.says("All is green. " + done)
	c.concludes()
}
