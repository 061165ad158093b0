package simcursor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"sync"
	"time"
)

// ErrEndless means that one message led to more than Config.MaxTurns turns.
var ErrEndless = errors.New("no end")

// Chat is one conversation. Its methods may be called from several goroutines.
type Chat struct {
	ID string // conversation_id

	cursor *Cursor
	agent  Agent
	busy   chan struct{} // full while Send runs

	mu         sync.Mutex
	queue      []message // typed by the user
	followup   *message  // waiting for the next turn
	ahead      *message  // submitted before the stop of the previous turn
	current    *Turn     // nil between turns
	turns      int
	loopCount  int
	fired      int // events
	stops      int // of them
	stopped    time.Time
	generation string
	started    bool     // sessionStart has fired
	env        []string // from its hooks
	transcript string
	entries    []Entry
}

type message struct {
	text      string
	followup  bool
	plain     bool        // never a slash command
	submitted *submission // nil before beforeSubmitPrompt
}

// Send types a message and returns when the chat is idle again, after all
// follow-ups. A message typed during a turn is submitted after the turn, instead of
// its follow-up. Send fails when ctx is done, which kills the hooks and commands, and
// with ErrEndless.
func (ch *Chat) Send(ctx context.Context, text string) error {
	return ch.send(ctx, message{text: text})
}

// Paste is Send for a line that is pasted, or submitted by another program: a slash
// command in it is not expanded.
func (ch *Chat) Paste(ctx context.Context, text string) error {
	return ch.send(ctx, message{text: text, plain: true})
}

func (ch *Chat) send(ctx context.Context, m message) error {
	ch.push(m)
	ch.interrupt()
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

// Stop presses the Stop button and reports whether there was a turn to stop. It kills
// the running shell command and does not wait for the end of the turn. If the turn
// has completed and its stop hooks still run, their follow-up is dropped.
func (ch *Chat) Stop() bool {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	if ch.current == nil {
		return false
	}
	ch.current.cancel()
	return true
}

// Busy reports whether a message is being processed.
func (ch *Chat) Busy() bool { return len(ch.busy) > 0 }

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
	if err := ch.askAhead(ctx); err != nil {
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

// startSession returns the context that hooks of sessionStart add.
func (ch *Chat) startSession(ctx context.Context) []string {
	ch.mu.Lock()
	started := ch.started
	ch.started = true
	ch.mu.Unlock()
	if started {
		return nil
	}
	runs := ch.fire(ctx, "sessionStart", sessionFields(ch.ID, cmp.Or(ch.cursor.cfg.Options.ComposerMode, "agent")))
	for _, run := range runs {
		env, _ := run.Answer["env"].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(env)) {
			if value, ok := env[name].(string); ok {
				ch.addEnv(name + "=" + value)
			}
		}
	}
	return ch.context(runs)
}

// submit begins the turn of a message unless hooks block it; then it returns nil and
// no error.
func (ch *Chat) submit(ctx context.Context, m message) (*Turn, error) {
	if m.submitted == nil {
		a, err := ch.ask(ctx, m)
		if err != nil {
			return nil, err
		}
		m.submitted = &a
	}
	if m.submitted.blocked {
		return nil, ctx.Err()
	}
	ch.setGeneration(m.submitted.generation)
	t := ch.enter(ctx, m, m.submitted.text)
	t.added = m.submitted.added
	ch.record(Entry{Kind: ModelMessage, Text: m.submitted.text})
	t.err = ch.write("user", m.submitted.text)
	return t, nil
}

func (ch *Chat) ask(ctx context.Context, m message) (a submission, err error) {
	kind := UserMessage
	if m.followup {
		kind = FollowupMessage
	}
	ch.record(Entry{Kind: kind, Text: m.text})
	if a.text, err = ch.expand(m); err != nil {
		return a, err
	}
	a.generation = ch.newGeneration()
	ch.setGeneration(a.generation)
	if m.followup && ch.cursor.cfg.Options.QuietFollowups {
		return a, nil
	}
	runs := ch.fire(ctx, "beforeSubmitPrompt", ch.prompt(m.text, a.text))
	if a.blocked = blocked(runs, "continue", false); a.blocked {
		ch.show(runs)
		return a, nil
	}
	a.added = ch.context(runs)
	return a, nil
}

func (ch *Chat) newGeneration() string {
	if ch.cursor.cfg.Options.ConstantGeneration {
		return ch.ID
	}
	return newUUID()
}

var comment = regexp.MustCompile("(?s)<!--.*?-->")

func (ch *Chat) prompt(typed, expanded string) map[string]any {
	fields := map[string]any{"prompt": typed, "attachments": []any{}}
	if ch.cursor.cfg.Options.ExpandCommands {
		fields["prompt"] = expanded
		if ch.cursor.cfg.Options.StripComments {
			fields["prompt"] = comment.ReplaceAllString(expanded, "")
		}
	}
	if mode := ch.cursor.cfg.Options.ComposerMode; mode != "" {
		fields["composer_mode"] = mode
	}
	return fields
}

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
	if options.ConstantGeneration {
		wait(ctx, time.Until(ch.stopped.Add(fastestTurn)))
		ch.stopped = time.Now()
	}
	runs := ch.fire(ctx, "stop", stopFields(status, ch.count(), t.tokensAtStop()))
	late.Wait()
	t.report(0)
	if status != "completed" {
		return ""
	}
	return lastString(runs, "followup_message")
}

// fastestTurn is how far apart the stops of two turns are that have one generation. Only the time tells them then from one stop
// that reaches two hooks, and no model answers as fast as our scripts.
const fastestTurn = 400 * time.Millisecond

func (t *Turn) reportAfter(delay time.Duration) {
	wait(t.send, delay)
	t.report(0)
}

func wait(ctx context.Context, delay time.Duration) {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

func (ch *Chat) show(runs []Run) {
	if text := lastString(runs, "user_message"); text != "" {
		ch.record(Entry{Kind: ShownToUser, Text: text})
	}
}

// context returns the context that hooks add for the model.
func (ch *Chat) context(runs []Run) []string {
	var added []string
	for _, run := range runs {
		if ch.cursor.cfg.Options.ignoresContext(run.Event) {
			continue
		}
		if text, ok := run.Answer["additional_context"].(string); ok && text != "" {
			added = append(added, text)
			ch.record(Entry{Kind: AddedContext, Text: text})
		}
	}
	return added
}

func (o Options) ignoresContext(event string) bool {
	return o.IgnoreContext || o.PromptNoContext && event == "beforeSubmitPrompt"
}
