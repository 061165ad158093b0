package simcursor

import (
	"context"
	"slices"
)

func (ch *Chat) push(m message) {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	if m.followup {
		ch.followup = &m
	} else {
		ch.queue = append(ch.queue, m)
	}
}

// pop returns the next message. A user's message replaces a follow-up.
func (ch *Chat) pop() (message, bool) {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	if m := ch.ahead; m != nil {
		ch.ahead = nil
		if !ch.cursor.cfg.Options.FollowupsFirst {
			ch.followup = nil
		}
		return *m, true
	}
	followup := ch.followup
	ch.followup = nil
	if followup != nil && (len(ch.queue) == 0 || ch.cursor.cfg.Options.FollowupsFirst) {
		return *followup, true
	}
	if len(ch.queue) == 0 {
		return message{}, false
	}
	m := ch.queue[0]
	ch.queue = ch.queue[1:]
	return m, true
}

func (ch *Chat) clear() {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	ch.queue, ch.followup, ch.ahead = nil, nil, nil
}

func (ch *Chat) enter(ctx context.Context, m message, text string) *Turn {
	t := &Turn{Chat: ch, Message: text, Followup: m.followup, send: ctx}
	t.ctx, t.cancel = context.WithCancel(ctx)
	ch.mu.Lock()
	defer ch.mu.Unlock()
	if m.followup {
		ch.loopCount++
	} else {
		ch.resetCount()
	}
	ch.turns++
	t.Number = ch.turns
	ch.current = t
	return t
}

// resetCount is for a user's message. The caller holds the lock.
func (ch *Chat) resetCount() {
	if !ch.cursor.cfg.Options.KeepLoopCount {
		ch.loopCount = 0
	}
}

func (ch *Chat) leave(t *Turn) {
	t.cancel()
	ch.mu.Lock()
	defer ch.mu.Unlock()
	ch.current = nil
}

func (ch *Chat) count() int {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	return ch.loopCount
}

func (ch *Chat) currentGeneration() string {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	return ch.generation
}

func (ch *Chat) setGeneration(id string) {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	ch.generation = id
}

func (ch *Chat) sessionEnv() []string {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	return slices.Clone(ch.env)
}

func (ch *Chat) addEnv(pair string) {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	ch.env = append(ch.env, pair)
}
