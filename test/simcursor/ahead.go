package simcursor

import "context"

// Ahead says whether the beforeSubmitPrompt of a message typed during a turn fires
// before the stop of that turn.
type Ahead int

const (
	NotAhead       Ahead = iota // no: the message waits for the end of the turn
	AheadAborted                // yes, and the message aborts the turn
	AheadCompleted              // yes, when the turn has just completed
)

type submission struct {
	text       string // for the model
	added      []string
	generation string
	blocked    bool
}

func (ch *Chat) interrupt() {
	if ch.cursor.cfg.Options.Ahead == AheadAborted {
		ch.Stop()
	}
}

// askAhead submits the user's next message before the current turn's stop. That stop
// keeps its generation_id but has the loop_count that the message set.
func (ch *Chat) askAhead(ctx context.Context) error {
	if ch.cursor.cfg.Options.Ahead == NotAhead {
		return nil
	}
	ch.mu.Lock()
	if len(ch.queue) == 0 {
		ch.mu.Unlock()
		return nil
	}
	m := ch.queue[0]
	ch.queue = ch.queue[1:]
	ch.mu.Unlock()
	old := ch.currentGeneration()
	a, err := ch.ask(ctx, m)
	if err != nil {
		return err
	}
	ch.setGeneration(old)
	ch.mu.Lock()
	defer ch.mu.Unlock()
	if a.blocked {
		return nil
	}
	ch.resetCount()
	ch.ahead = &message{text: m.text, plain: m.plain, submitted: &a}
	return nil
}
