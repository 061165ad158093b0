package acp

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/cursor-ralph/cursor-ralph/internal/toolcall"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/outer"
)

const maxCalls = 4096

type turn struct {
	a       *agent
	session string
	guarded bool
	ctx     context.Context // done when the turn ends or is cancelled
	cancel  context.CancelFunc

	mu        sync.Mutex
	see       func(outer.Seen) // nil when the turn is over
	said      outer.Message    // that is being received
	messageID string
	calls     map[string]*toolCall
	granted   grants

	denied atomic.Bool // something was
}

func newTurn(ctx context.Context, a *agent, guarded bool, see func(outer.Seen)) *turn {
	t := &turn{a: a, session: a.session.ID, guarded: guarded, see: see, calls: map[string]*toolCall{}}
	t.ctx, t.cancel = context.WithCancel(ctx)
	return t
}

func (t *turn) report(s outer.Seen) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.reportLocked(s)
}

func (t *turn) reportLocked(s outer.Seen) {
	if t.see != nil {
		t.see(s)
	}
}

// end closes the turn. If it succeeded, calls that are still in progress have ended
// too: some agents do not report that.
func (t *turn) end(succeeded bool) {
	t.cancel()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.endMessage()
	for _, c := range t.calls {
		if succeeded && !c.isDone && c.Status == "in_progress" {
			t.endCall(c)
		}
	}
	t.see = nil
}

type notification struct {
	Session string `json:"sessionId"`
	Update  struct {
		Type      string `json:"sessionUpdate"`
		MessageID string `json:"messageId"`
		Entries   []struct {
			Content string `json:"content"`
			Status  string `json:"status"`
		} `json:"entries"`
		toolCall
	} `json:"update"`
}

// onUpdate handles a notification. Unknown kinds are ignored: there will be more.
func (t *turn) onUpdate(params json.RawMessage) {
	var n notification
	if toolcall.Decode(params, &n) != nil || n.Session != t.session {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case n.Update.Type == "tool_call" || n.Update.Type == "tool_call_update":
		t.onCall(&n.Update.toolCall)
	case !n.Update.Meta.isOfSubagent():
		t.onWords(n)
	}
}

func (t *turn) onWords(n notification) {
	switch n.Update.Type {
	case "user_message_chunk": // a replay: what was said before belongs to another turn
		t.said, t.messageID = outer.Message{}, ""
	case "agent_message_chunk":
		t.onChunk(n.Update.MessageID, n.Update.text())
	case "agent_thought_chunk":
		if thought := n.Update.text(); thought != "" {
			t.reportLocked(outer.Seen{Thought: thought})
		}
	case "plan":
		var lines []string
		for _, e := range n.Update.Entries {
			lines = append(lines, toolcall.PlanLine(e.Status, e.Content))
		}
		t.reportLocked(outer.Seen{Plan: strings.Join(lines, "\n")})
	}
}

// onChunk adds to the message. Another id, if the agent sends ids, begins another
// message.
func (t *turn) onChunk(id, text string) {
	if id != "" && t.messageID != "" && id != t.messageID {
		t.endMessage()
	}
	t.messageID = id
	if text != "" {
		t.said.Add(text)
		t.reportLocked(outer.Seen{Text: text})
	}
}

func (t *turn) endMessage() {
	t.messageID = ""
	if r := t.said.End(); r.Kind != "" {
		t.reportLocked(outer.Seen{Record: r})
	}
}

// onCall handles what is new about a tool call. A subagent's call may come in the
// middle of a message.
func (t *turn) onCall(news *toolCall) {
	c := t.call(news.ID)
	if c.isDone {
		return
	}
	c.merge(news)
	if !c.bySubagent {
		t.endMessage()
	}
	done := c.Status == "completed" || c.Status == "failed"
	if !c.isShown && (done || c.hasInput()) {
		c.isShown = true
		t.reportLocked(outer.Seen{Tool: c.summary()})
	}
	if done {
		t.endCall(c)
	}
}

func (t *turn) call(id string) *toolCall {
	c := t.calls[id]
	if c == nil {
		if len(t.calls) >= maxCalls {
			clear(t.calls) // this agent does not end its calls
		}
		c = &toolCall{ID: id}
		t.calls[id] = c
	}
	return c
}

func (t *turn) endCall(c *toolCall) {
	command := c.command()
	r := loop.Record{Kind: loop.RecordTool, Tool: c.name(), ID: clip(c.ID)}
	if writes(c.kind()) {
		r.File = t.a.ws.absolute(c.file())
	}
	if c.Status == "failed" {
		r.Error = c.failure()
	}
	if r.Error != "" || c.exitCode() != 0 {
		r.Command = command
	}
	if !c.bySubagent {
		t.reportLocked(outer.Seen{Record: r, Command: command})
	}
	*c = toolCall{ID: c.ID, isDone: true} // its content may be large
}
