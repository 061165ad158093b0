// Program simulated is the simulated Cursor for the extension that stands in for Cursor in a workbench. That starts it with
// the folders of its window, and says what happens there, one JSON object a line:
//
//	{"id":1,"do":"register","folder":"…"}             a plugin; also "unregister"
//	{"id":2,"do":"submit","chat":"…","text":"…"}      answered when the chat is idle again; "plain" for a pasted line
//	{"id":3,"do":"release","chat":"…"}                the agent works on one message of the user
//	{"id":4,"do":"promise","turn":23}                 the agent gives its promise in its turn 23 from now on
//	{"id":5,"do":"report"}                            what its hooks did wrong, and its turns
//
// Each has an answer, {"id":1} with an "error" perhaps. The agent does what the slash command of cursor-ralph says and one
// edit a turn. It works on a message of the user when the test releases it, which may be before that.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"

	"github.com/cursor-ralph/cursor-ralph/test/simcursor"
)

// request is a line of standard input.
type request struct {
	ID     int    `json:"id"`
	Do     string `json:"do"`
	Folder string `json:"folder"`
	Chat   string `json:"chat"`
	Text   string `json:"text"`
	Plain  bool   `json:"plain"`
	Turn   int    `json:"turn"`
}

// answer is a line of standard output.
type answer struct {
	ID         int      `json:"id"`
	Error      string   `json:"error,omitempty"`
	Violations []string `json:"violations,omitempty"`
	Turns      []turn   `json:"turns,omitempty"`
}

// turn is what the agent got.
type turn struct {
	Chat    string   `json:"chat"`
	Message string   `json:"message"`
	Added   []string `json:"added,omitempty"`
}

func main() {
	if err := play(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func play(folders []string) error {
	home, err := os.UserHomeDir()
	if err != nil {
		return err
	}
	folders = append(folders, home)[:max(1, len(folders))] // without a folder the agent works at home
	w := &window{chats: map[string]*chat{}}
	// A Cursor before 2.5 ends a session after five follow-ups.
	w.cursor, err = simcursor.New(simcursor.Config{
		Home: home, Workspace: folders[0], Roots: folders[1:], Version: "2.4.0", Options: simcursor.Options{IgnoreLoopLimit: true},
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var r request
		if err := json.Unmarshal(in.Bytes(), &r); err != nil {
			return err
		}
		w.do(ctx, r)
	}
	return in.Err()
}

// window is a window of Cursor.
type window struct {
	cursor *simcursor.Cursor
	out    sync.Mutex

	mu      sync.Mutex
	chats   map[string]*chat
	turns   []turn
	promise int // in which the agent promises; 0 for never
}

// chat is a chat with what the agent may work on.
type chat struct {
	*simcursor.Chat
	released chan struct{} // has one for each message
}

func (w *window) do(ctx context.Context, r request) {
	var err error
	switch r.Do {
	case "register":
		err = w.cursor.RegisterPlugin(r.Folder)
	case "unregister":
		w.cursor.UnregisterPlugin(r.Folder)
	case "submit":
		go func() { w.reply(answer{ID: r.ID}, w.submit(ctx, r)) }()
		return
	case "release":
		w.chat(r.Chat).released <- struct{}{}
	case "promise":
		w.promises(r.Turn)
	case "report":
		w.reply(w.report(r.ID), nil)
		return
	default:
		err = errors.New("an unknown act")
	}
	w.reply(answer{ID: r.ID}, err)
}

func (w *window) reply(a answer, err error) {
	if err != nil {
		a.Error = err.Error()
	}
	w.out.Lock()
	defer w.out.Unlock()
	_ = json.NewEncoder(os.Stdout).Encode(a) // the editor may be gone
}

func (w *window) submit(ctx context.Context, r request) error {
	chat := w.chat(r.Chat)
	if r.Plain {
		return chat.Paste(ctx, r.Text)
	}
	return chat.Send(ctx, r.Text)
}

func (w *window) chat(id string) *chat {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.chats[id] == nil {
		c := &chat{released: make(chan struct{}, 100)}
		c.Chat = w.cursor.ChatWithID(id, func(t *simcursor.Turn) { w.play(t, c.released) })
		w.chats[id] = c
	}
	return w.chats[id]
}

func (w *window) promises(turn int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.promise, w.turns = turn, nil
}

func (w *window) report(id int) answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	return answer{ID: id, Violations: w.cursor.Violations(), Turns: w.turns}
}

// begin notes a turn, and reports whether the agent promises in it.
func (w *window) begin(t *simcursor.Turn) (promises bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.turns = append(w.turns, turn{t.Chat.ID, t.Message, t.Added()})
	return w.promise > 0 && len(w.turns) >= w.promise
}

// play plays a turn of the agent.
func (w *window) play(t *simcursor.Turn, released <-chan struct{}) {
	promises := w.begin(t)
	if command := slash(t.Message); command != "" {
		t.Shell(command)
	}
	if !t.Followup {
		select {
		case <-released:
		case <-t.Context().Done():
		}
	}
	if err := t.Tool("edit_file", map[string]any{"path": "work"}, "edited"); err != nil {
		t.Fail()
	}
	if promises {
		t.Say("All is done. <promise>COMPLETE</promise>")
		return
	}
	t.Say("A step is done.")
}

var (
	fence = regexp.MustCompile("(?s)```(?:sh)?\n(.*?)\n```")
	stamp = regexp.MustCompile(`(?m)^<!-- cursor-ralph: installed file.*-->$`)
)

// slash returns the command that the text of our slash command asks for.
func slash(message string) string {
	block, end := fence.FindStringSubmatch(message), stamp.FindStringIndex(message)
	if block == nil || end == nil {
		return ""
	}
	return strings.Replace(block[1], "THE USER'S TEXT", strings.TrimPrefix(message[end[1]:], "\n\n"), 1)
}
