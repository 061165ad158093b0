package simcursor

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// ErrEndless is given when one message has more turns than Config.MaxTurns.
var ErrEndless = errors.New("no end")

// Chat is one conversation. Its methods may be called from several goroutines.
type Chat struct {
	ID string // conversation_id

	cursor *Cursor
	agent  Agent
	busy   chan struct{} // holds a token while messages are worked off

	mu         sync.Mutex
	queue      []message // typed by the user
	followup   *message  // waiting for the next turn
	current    *Turn     // nil between turns
	turns      int
	loopCount  int
	generation string
	started    bool     // sessionStart has fired
	env        []string // what its hooks asked for
	transcript string
	entries    []Entry
}

// message waits to be submitted.
type message struct {
	text     string
	followup bool
}

// Send types a message and returns when the chat is idle again, all follow-ups
// included. A message typed while a turn runs is submitted when that turn is
// over, in place of its follow-up. Send fails when ctx ends first, which kills
// what runs, and when there is no end of turns.
func (ch *Chat) Send(ctx context.Context, text string) error {
	ch.push(message{text: text})
	select {
	case ch.busy <- struct{}{}:
	case <-ctx.Done():
		return fmt.Errorf("message of chat %s: %w", ch.ID, ctx.Err())
	}
	defer func() { <-ch.busy }()
	for n := 0; ; n++ {
		m, ok := ch.pop()
		if !ok {
			return nil
		}
		err := fmt.Errorf("%w after %d turns", ErrEndless, n)
		if n < ch.cursor.cfg.MaxTurns {
			err = ch.turn(ctx, m)
		}
		if err != nil {
			ch.clear()
			return fmt.Errorf("chat %s: %w", ch.ID, err)
		}
	}
}

// Stop presses the Stop button, and says whether there was a turn to stop. It
// kills the shell command that runs, and does not wait for the turn's end.
// Pressed while the stop hooks of a completed turn run, it drops their
// follow-up.
func (ch *Chat) Stop() bool {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	if ch.current == nil {
		return false
	}
	ch.current.cancel()
	return true
}

// Busy tells whether a message is being worked off.
func (ch *Chat) Busy() bool { return len(ch.busy) > 0 }

// turn submits one message and plays what follows from it, to the end of the
// stop hooks.
func (ch *Chat) turn(ctx context.Context, m message) error {
	added := ch.startSession(ctx)
	t, err := ch.submit(ctx, m)
	if t == nil {
		return err
	}
	defer ch.leave(t)
	t.added = append(added, t.added...)
	status := t.play()
	if err := t.givenUp(ctx); err != nil {
		return err
	}
	followup := ch.finish(ctx, t, status)
	if err := t.givenUp(ctx); err != nil {
		return err
	}
	if followup != "" && t.ctx.Err() == nil {
		ch.push(message{text: followup, followup: true})
	}
	return t.err
}

func (t *Turn) givenUp(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return fmt.Errorf("turn %d: %w", t.Number, context.Cause(ctx))
}

// startSession gives what the hooks of sessionStart add for the model.
func (ch *Chat) startSession(ctx context.Context) []string {
	ch.mu.Lock()
	started := ch.started
	ch.started = true
	ch.mu.Unlock()
	if started {
		return nil
	}
	mode := ch.cursor.cfg.Options.ComposerMode
	if mode == "" {
		mode = "agent"
	}
	runs := ch.fire(ctx, "sessionStart", sessionFields(ch.ID, mode))
	for _, run := range runs {
		env, _ := run.Answer["env"].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(env)) {
			if value, ok := env[name].(string); ok {
				ch.setSession(name + "=" + value)
			}
		}
	}
	return ch.context(runs)
}

// submit asks the hooks whether a message may go to the model. Neither a turn
// nor an error means that it may not.
func (ch *Chat) submit(ctx context.Context, m message) (*Turn, error) {
	options := ch.cursor.cfg.Options
	kind := UserMessage
	if m.followup {
		kind = FollowupMessage
	}
	ch.record(Entry{Kind: kind, Text: m.text})
	text, err := ch.expand(m)
	if err != nil {
		return nil, err
	}
	ch.setGeneration(newUUID())
	var added []string
	if !m.followup || !options.QuietFollowups {
		runs := ch.fire(ctx, "beforeSubmitPrompt", ch.prompt(m.text, text))
		if blocked(runs, "continue", false) {
			ch.show(runs)
			return nil, ctx.Err()
		}
		added = ch.context(runs)
	}
	t := ch.enter(ctx, m, text)
	t.added = added
	ch.record(Entry{Kind: ModelMessage, Text: text})
	t.err = ch.write("user", text)
	return t, nil
}

func (ch *Chat) prompt(typed, expanded string) map[string]any {
	fields := map[string]any{"prompt": typed, "attachments": []any{}}
	if ch.cursor.cfg.Options.ExpandCommands {
		fields["prompt"] = expanded
	}
	if mode := ch.cursor.cfg.Options.ComposerMode; mode != "" {
		fields["composer_mode"] = mode
	}
	return fields
}

// finish reports the end of the turn and gives the follow-up, if any.
func (ch *Chat) finish(ctx context.Context, t *Turn, status string) string {
	options := ch.cursor.cfg.Options
	if status == "aborted" && options.AbortAsError {
		status = "error"
	}
	ch.record(Entry{Kind: TurnEnd, Text: status})
	t.gather()
	var late sync.WaitGroup
	switch options.LateResponse {
	case InOrder:
		t.report(0)
	case WithStop:
		t.report(1)
		late.Go(func() { t.reportAfter(options.LateBy) })
	case AfterStop:
		t.report(1)
	}
	runs := ch.fire(ctx, "stop", stopFields(status, ch.count()))
	late.Wait()
	t.report(0)
	if status != "completed" {
		return ""
	}
	return lastString(runs, "followup_message")
}

func (t *Turn) reportAfter(delay time.Duration) {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-t.send.Done():
	}
	t.report(0)
}

// show is for a blocked step: the user sees why.
func (ch *Chat) show(runs []Run) {
	if text := lastString(runs, "user_message"); text != "" {
		ch.record(Entry{Kind: ShownToUser, Text: text})
	}
}

// context gives what hooks add for the model.
func (ch *Chat) context(runs []Run) []string {
	if ch.cursor.cfg.Options.IgnoreContext {
		return nil
	}
	var added []string
	for _, run := range runs {
		if text, ok := run.Answer["additional_context"].(string); ok && text != "" {
			added = append(added, text)
			ch.record(Entry{Kind: AddedContext, Text: text})
		}
	}
	return added
}
