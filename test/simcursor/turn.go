package simcursor

import (
	"context"
	"strings"
)

// Agent plays one turn: it does what a model would do with t.Message. It runs in the
// goroutine of Send. When the turn is stopped, the current or next method of t does
// not return.
type Agent func(t *Turn)

// Turn is one turn of the agent.
type Turn struct {
	Chat     *Chat
	Number   int    // in the chat, from 1
	Message  string // that reached the model
	Followup bool   // from a stop hook, not from the user

	send   context.Context // of Send: Stop does not end hooks
	ctx    context.Context // of the agent
	cancel context.CancelFunc

	spent   Tokens
	added   []string
	pending []string // not reported to afterAgentResponse yet
	err     error
}

// unwind is the panic that ends a turn early, with the turn's status.
type unwind string

func (t *Turn) play() (status string) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case unwind:
			status = string(r)
		default:
			panic(r)
		}
	}()
	t.check()
	t.Chat.agent(t)
	t.check()
	return "completed"
}

func (t *Turn) check() {
	if t.ctx.Err() != nil {
		panic(unwind("aborted"))
	}
}

// Context is done when the user presses Stop, for agents that wait.
func (t *Turn) Context() context.Context { return t.ctx }

// Added returns the additional_context for this turn so far.
func (t *Turn) Added() []string { return append([]string(nil), t.added...) }

// Fail ends the turn with an error, like a lost connection. It does not return.
func (t *Turn) Fail() {
	panic(unwind("error"))
}

// UserTypes makes the user type a message during the turn: see Send and Options.Ahead.
// If that aborts the turn, it does not return.
func (t *Turn) UserTypes(text string) { t.submits(message{text: text}) }

func (t *Turn) submits(m message) {
	t.Chat.push(m)
	t.Chat.interrupt()
	t.check()
}

// Say is one message of the assistant.
func (t *Turn) Say(text string) {
	t.check()
	t.Chat.record(Entry{Kind: AssistantText, Text: text})
	if err := t.Chat.write("assistant", text); t.err == nil {
		t.err = err
	}
	t.pending = append(t.pending, text)
	options := t.Chat.cursor.cfg.Options
	switch {
	case options.Responses != PerMessage:
	case options.LateResponse == InOrder:
		t.report(0)
	default:
		t.report(1) // this one may be the last
	}
	t.check()
}

// report fires afterAgentResponse for pending messages except the last keep ones.
func (t *Turn) report(keep int) {
	for len(t.pending) > keep {
		text := t.pending[0]
		t.pending = t.pending[1:]
		t.Chat.fire(t.send, "afterAgentResponse", responseFields(text, t.tokensToReport()))
	}
}

func (t *Turn) gather() {
	if len(t.pending) == 0 {
		return
	}
	switch t.Chat.cursor.cfg.Options.Responses {
	case PerTurn:
		t.pending = []string{strings.Join(t.pending, "\n\n")}
	case LastOnly:
		t.pending = t.pending[len(t.pending)-1:]
	}
}
