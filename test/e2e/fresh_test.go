//go:build unix

package e2e_test

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/test/simcursor"
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
	folder := filepath.Join(w.tmp(), "cursor-ralph-rendezvous")
	w.must(os.MkdirAll(folder, 0o700))
	file := filepath.Join(folder, "1.json")
	w.write(file, encode(map[string]any{"version": 1, "pid": os.Getpid(), "address": address, "token": editorToken, "editor": "Cursor"}))
	w.must(os.Chmod(file, 0o600))
	server := &http.Server{Handler: e, ReadHeaderTimeout: time.Minute}
	w.Cleanup(func() { server.Close(); os.RemoveAll(short) })
	go func() { _ = server.Serve(l) }()
	return e
}

func (e *editor) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	var m struct{ Line string }
	answer := map[string]any{}
	switch err := json.NewDecoder(r.Body).Decode(&m); {
	case err != nil, r.Header.Get("Authorization") != "Bearer "+editorToken:
		answer["code"] = "denied"
	case r.URL.Path == "/find":
		answer = map[string]any{"place": "front", "creates": e.creates, "folders": []string{e.repo()}}
	case r.URL.Path == "/create":
		e.asked <- m.Line
		answer = e.answer
	case r.URL.Path != "/rest":
		answer["code"] = "bad-request"
	}
	if answer["code"] != nil {
		out.WriteHeader(http.StatusConflict)
	}
	_ = json.NewEncoder(out).Encode(answer)
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
			if want := c.line(); line != want {
				t.Fatalf("the chat was to begin with %q, want %q", line, want)
			}
			next := w.chat()
			next.types(line)
			printed := next.follows()
			w.wantPart("continue", printed, framed("make it green"))
			w.wantPart("continue", printed, fmt.Sprintf("- iterations done: %d\n- last progress note: part %d is done\n", 2*n, n))
			e.settled()
			w.wantStatus(next.ID, "running", 2*n)
			w.wantPart("the old chat", w.refused(w.repo(), "status", c.ID), "went on in another chat")
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

// Where no chat can be created the loop waits for the user to open one.
func TestFreshChatsByHand(t *testing.T) {
	each(t, freshOptions(), func(w *world) {
		c := w.chat()
		c.starts(`"make it green" --fresh-chat 2 --min-tool-calls 0`)
		c.plays(1)
		w.wantStatus(c.ID, "running", 1)
		c.works()
		c.rests()
		if l := w.wantStatus(c.ID, "waiting", 2); l.Reason != "open a new chat and send the continue line there" {
			w.Errorf("got %q", l.Reason)
		}
		w.wantPart("inject", w.refused(w.repo(), "inject", c.ID), "the loop goes on in a new chat, which has not begun")
		next := w.chat()
		next.types("/ralph-loop --continue " + c.ID)
		w.wantPart("continue", next.follows(), "- iterations done: 2\n")
		next.plays(1)
		w.wantStatus(next.ID, "running", 3)
		next.works()
		next.gives()
		w.wantStatus(next.ID, "PROMISE_ACCEPTED", 4)
	})
}

// gives is the agent's promise.
func (c *chat) gives() {
	c.Helper()
	c.says("All is green. " + done)
	c.concludes()
}
