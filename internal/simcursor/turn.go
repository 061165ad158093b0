package simcursor

import (
	"context"
	"strings"
)

// Agent plays one turn: it does what a model would do with t.Message. It runs
// on the goroutine of Send. When the turn is stopped, the next method of t
// that it calls, or the one it is in, does not return.
type Agent func(t *Turn)

// Turn is one run of the agent, from a message to a stop.
type Turn struct {
	Chat     *Chat
	Number   int    // counts the turns of the chat, from 1
	Message  string // what reached the model
	Followup bool   // it came from a stop hook, not from the user

	send   context.Context // of Send: hooks go on when the user presses Stop
	ctx    context.Context // of the agent
	cancel context.CancelFunc

	added   []string
	pending []string // said, but not reported to afterAgentResponse
	err     error
}

// unwind is the panic that ends a turn early; it is the turn's status.
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

// Context ends when the user presses Stop, for agents that wait for something.
func (t *Turn) Context() context.Context { return t.ctx }

// Added gives the additional_context that hooks gave for this turn so far.
func (t *Turn) Added() []string { return append([]string(nil), t.added...) }

// PressStop is the user pressing Stop at this step. It does not return.
func (t *Turn) PressStop() {
	t.cancel()
	t.check()
}

// Fail ends the turn as an error, as a lost connection does. It does not
// return.
func (t *Turn) Fail() {
	panic(unwind("error"))
}

// UserTypes is the user typing a message while the turn runs. It is submitted
// when the turn is over, as Send says.
func (t *Turn) UserTypes(text string) {
	t.Chat.push(message{text: text})
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

// report fires afterAgentResponse for what was said, but for the last keep
// messages.
func (t *Turn) report(keep int) {
	for len(t.pending) > keep {
		text := t.pending[0]
		t.pending = t.pending[1:]
		t.Chat.fire(t.send, "afterAgentResponse", responseFields(text))
	}
}

// gather makes of what was said what is reported at the end of the turn.
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
