package acp

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/outer"
)

const (
	message = 1 << 20 // bytes that are kept of one, the last ones: there the promise is
	calls   = 4096    // tool calls of a turn that are known at once
	granted = 1024    // answers of the user that wait to be used
)

// turn is one of the agent that is going on.
type turn struct {
	a       *agent
	session string
	guarded bool
	began   time.Time
	ctx     context.Context // ends with the turn, or when it is cancelled
	over    context.CancelFunc

	mu      sync.Mutex
	see     func(outer.Seen) // nil when the turn is over
	text    []byte           // the message that is being said
	message string           // the agent's name for it
	calls   map[string]*toolCall
	denied  bool            // something was not allowed
	granted map[string]bool // what the user has allowed and the agent has not done yet
}

func newTurn(ctx context.Context, a *agent, guarded bool, see func(outer.Seen)) *turn {
	t := &turn{a: a, session: a.session.ID, guarded: guarded, began: time.Now(), see: see,
		calls: map[string]*toolCall{}, granted: map[string]bool{}}
	t.ctx, t.over = context.WithCancel(ctx)
	return t
}

// tell hands on what was seen, while the turn goes on.
func (t *turn) tell(s outer.Seen) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.say(s)
}

func (t *turn) say(s outer.Seen) {
	if t.see != nil {
		t.see(s)
	}
}

// end closes the turn. A tool call that was running when the agent ended its
// turn in peace is over too: some agents do not say so.
func (t *turn) end(peace bool) {
	t.over()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.flush()
	for _, c := range t.calls {
		if peace && !c.told && is(c.Status, "in_progress") {
			t.finish(c)
		}
	}
	t.see = nil
}

// wasDenied tells whether something was not allowed.
func (t *turn) wasDenied() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.denied
}

// note is a notification of the agent.
type note struct {
	Session string `json:"sessionId"`
	Update  struct {
		What    string `json:"sessionUpdate"`
		Message string `json:"messageId"`
		Entries []struct {
			Content string `json:"content"`
			Status  string `json:"status"`
		} `json:"entries"`
		toolCall
	} `json:"update"`
}

// update takes a notification. What is not known is passed over: there will be
// more kinds.
func (t *turn) update(params json.RawMessage) {
	var n note
	if lenient(params, &n) != nil || n.Session != t.session {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch n.Update.What {
	case "user_message_chunk": // of another turn, all that was said before it is, too
		t.text, t.message = nil, ""
	case "agent_message_chunk":
		t.chunk(n.Update.Message, n.Update.text())
	case "agent_thought_chunk":
		if thought := n.Update.text(); thought != "" {
			t.say(outer.Seen{Text: thought})
		}
	case "tool_call", "tool_call_update":
		t.flush()
		t.call(&n.Update.toolCall)
	case "plan":
		t.say(outer.Seen{Plan: plan(n)})
	}
}

// chunk adds to the message. Where the agent names its messages, another name is
// another message.
func (t *turn) chunk(name, text string) {
	if name != "" && t.message != "" && name != t.message {
		t.flush()
	}
	t.message = name
	if text == "" {
		return
	}
	if t.text = append(t.text, text...); len(t.text) > 2*message {
		t.text = append([]byte(nil), t.text[len(t.text)-message:]...)
	}
	t.say(outer.Seen{Text: text})
}

// flush tells the whole message.
func (t *turn) flush() {
	text := strings.ToValidUTF8(string(t.text[max(0, len(t.text)-message):]), "")
	t.text, t.message = nil, ""
	if strings.TrimSpace(text) != "" {
		t.say(outer.Seen{Record: loop.Record{Kind: loop.RecordText, Text: text}})
	}
}

// call takes what is new of a tool call.
func (t *turn) call(news *toolCall) {
	c := t.known(news.ID)
	if c.told {
		return
	}
	c.merge(news)
	done := is(c.Status, "completed") || is(c.Status, "failed")
	if !c.shown && (done || c.informed()) {
		c.shown = true
		t.say(outer.Seen{Tool: c.words()})
	}
	if done {
		t.finish(c)
	}
}

// known gives the tool call of a name, a new one if need be.
func (t *turn) known(id string) *toolCall {
	c := t.calls[id]
	if c == nil {
		if len(t.calls) >= calls {
			clear(t.calls) // an agent that does not end what it begins
		}
		c = &toolCall{ID: id}
		t.calls[id] = c
	}
	return c
}

// finish tells of a tool call that has ended. The time makes its id one of this
// turn: agents may count their calls from one again.
func (t *turn) finish(c *toolCall) {
	command := c.command()
	r := loop.Record{Kind: loop.RecordTool, Tool: c.name(), ID: clip(c.ID) + " " + t.began.UTC().Format("150405.000000")}
	if writes(c.kind()) {
		r.File = t.a.ws.absolute(c.file())
	}
	if is(c.Status, "failed") {
		r.Error = c.failure()
	}
	if r.Error != "" || c.exit() != 0 {
		r.Command = command
	}
	t.say(outer.Seen{Record: r, Command: command})
	*c = toolCall{ID: c.ID, told: true} // what it read or wrote may be large
}

// plan tells a plan in lines.
func plan(n note) string {
	var lines []string
	for _, e := range n.Update.Entries {
		mark := "[ ] "
		switch e.Status {
		case "completed":
			mark = "[x] "
		case "in_progress":
			mark = "[>] "
		}
		lines = append(lines, mark+e.Content)
	}
	return strings.Join(lines, "\n")
}
