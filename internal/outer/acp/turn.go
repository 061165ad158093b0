package acp

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/cursor-ralph/cursor-ralph/internal/outer"
	"github.com/cursor-ralph/cursor-ralph/internal/toolcall"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

const maxCalls = 4096

type turn struct {
	a       *agent
	session sdk.SessionId
	plans   bool
	ctx     context.Context // done when the turn ends or is cancelled
	cancel  context.CancelFunc
	denied  atomic.Bool // something was

	mu        sync.Mutex
	see       func(outer.Seen) // nil when the turn is over
	said      outer.Message    // that is being received
	messageID string
	calls     map[sdk.ToolCallId]*call
}

func newTurn(ctx context.Context, a *agent, plans bool, see func(outer.Seen)) *turn {
	t := &turn{a: a, session: a.session.id, plans: plans, see: see, calls: map[sdk.ToolCallId]*call{}}
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
		if succeeded && !c.isDone && c.status == sdk.ToolCallStatusInProgress {
			t.endCall(c)
		}
	}
	t.see = nil
}

// onUpdate handles an update of the session. Kinds that are not here change nothing.
func (t *turn) onUpdate(u sdk.SessionUpdate) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case u.ToolCall != nil:
		t.onCall(begun(u.ToolCall))
	case u.ToolCallUpdate != nil:
		t.onCall(changed(u.ToolCallUpdate))
	case u.UserMessageChunk != nil && !isOfSubagent(u.UserMessageChunk.Meta): // a replay: what was said before belongs to another turn
		t.said, t.messageID = outer.Message{}, ""
	case u.AgentMessageChunk != nil && !isOfSubagent(u.AgentMessageChunk.Meta):
		t.onChunk(u.AgentMessageChunk.MessageId, textOf(u.AgentMessageChunk.Content))
	case u.AgentThoughtChunk != nil && !isOfSubagent(u.AgentThoughtChunk.Meta):
		if thought := textOf(u.AgentThoughtChunk.Content); thought != "" {
			t.reportLocked(outer.Seen{Thought: thought})
		}
	case u.Plan != nil && !isOfSubagent(u.Plan.Meta):
		var lines []string
		for _, e := range u.Plan.Entries {
			lines = append(lines, toolcall.PlanLine(string(e.Status), e.Content))
		}
		t.reportLocked(outer.Seen{Plan: strings.Join(lines, "\n")})
	}
}

func textOf(b sdk.ContentBlock) string {
	if b.Text == nil {
		return ""
	}
	return b.Text.Text
}

// isOfSubagent reports whether an update is about what a subagent does or says: claude's
// adapter (0.100.0, from its source) names the tool call that started the subagent.
func isOfSubagent(meta map[string]any) bool {
	return field(meta, "parentToolUseId") != nil || field(meta, "claudeCode", "parentToolUseId") != nil
}

// onChunk adds to the message. Another id, if the agent sends ids, begins another
// message.
func (t *turn) onChunk(messageID *string, text string) {
	id := ""
	if messageID != nil {
		id = *messageID
	}
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
func (t *turn) onCall(news sdk.ToolCallUpdate) {
	c := t.call(news.ToolCallId)
	if c.isDone {
		return
	}
	c.merge(news)
	if !c.bySubagent {
		t.endMessage()
	}
	done := c.status == sdk.ToolCallStatusCompleted || c.status == sdk.ToolCallStatusFailed
	if !c.isShown && (done || c.hasInput()) {
		c.isShown = true
		t.reportLocked(outer.Seen{Tool: c.summary()})
	}
	if done {
		t.endCall(c)
	}
}

func (t *turn) call(id sdk.ToolCallId) *call {
	c := t.calls[id]
	if c == nil {
		if len(t.calls) >= maxCalls {
			clear(t.calls) // this agent does not end its calls
		}
		c = &call{id: id}
		t.calls[id] = c
	}
	return c
}

func (t *turn) endCall(c *call) {
	r := loop.Record{Kind: loop.RecordTool, Tool: c.name()}
	if writes(c.kind) {
		if files := c.paths(); len(files) > 0 {
			r.File = t.a.ws.absolute(files[0])
		}
	}
	command := c.command()
	if c.status == sdk.ToolCallStatusFailed {
		r.Error = c.failure()
	}
	if r.Error != "" || c.exitCode() != 0 {
		r.Command = command
	}
	if !c.bySubagent {
		t.reportLocked(outer.Seen{Record: r, Command: command})
	}
	*c = call{id: c.id, isDone: true} // its content may be large
}
