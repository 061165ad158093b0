package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// act is what the user does in a turn, while the agent works or just when it
// stops.
type act struct {
	kind  string // context, pause, cancel, resume; empty is nothing
	early bool   // while the agent works: it is done when the stop begins
	do    func(ctx context.Context) error
}

// start does it beside what else goes on, if it is due. The function it gives
// waits for that.
func (a *act) start(ctx context.Context, due bool) (wait func() error) {
	if a.do == nil || !due {
		return func() error { return nil }
	}
	done := make(chan error, 1)
	go func() { done <- a.do(ctx) }()
	return func() error { return <-done }
}

// draw says what the user does in the turn that begins. In the turn that is to be
// the last nothing comes between.
func (c *chat) draw() *act {
	if !c.until.IsZero() && time.Now().After(c.until) && !c.lastTurn() {
		c.fate = fate{status: cancelled}
	}
	a := &act{early: c.rng.IntN(2) == 0}
	n := c.rng.IntN(100)
	switch {
	case c.fate.status == cancelled && c.number-c.first >= c.fate.turn:
		a.early = a.early || c.lastTurn() // else either might end it
		a.kind, a.do = "cancel", c.steer("/cancel-ralph", a.early, "cancel", c.id)
	case c.lastTurn():
	case n < 20:
		a.kind, a.do = "context", c.adds(a.early)
	case n < 28:
		a.kind, a.do = "pause", c.steer("/ralph-pause", a.early, "pause", c.id)
	case n < 31: // and at once thought better of it
		a.kind, a.early, a.do = "resume", true, c.pausesAndResumes
	}
	return a
}

// steer does something from a terminal, or in the chat. In the chat a message is
// submitted when no other event goes on.
func (c *chat) steer(line string, chat bool, args ...string) func(context.Context) error {
	if chat && c.rng.IntN(2) == 0 {
		return func(ctx context.Context) error { return c.types(ctx, line) }
	}
	return func(ctx context.Context) error {
		_, err := c.command(ctx, nil, args...)
		return err
	}
}

func (c *chat) pausesAndResumes(ctx context.Context) error {
	_, err := c.command(ctx, nil, "pause", c.id)
	if err != nil {
		return err
	}
	_, err = c.command(ctx, nil, "resume", c.id)
	return err
}

// adds adds context for the agent. It counts as asked for when it was
// done.
func (c *chat) adds(early bool) func(context.Context) error {
	text := fmt.Sprintf("remember-%d-%d", c.number, len(c.model.asked))
	asked := c.steer("/ralph-context "+text, early, "context", c.id, text)
	return func(ctx context.Context) error {
		if err := asked(ctx); err != nil {
			return err
		}
		c.model.asked = append(c.model.asked, text)
		return nil
	}
}

// goOn is the user bringing back a loop that was paused: with the continue line,
// which the agent obeys.
func (c *chat) goOn(ctx context.Context) error {
	if c.rng.IntN(2) == 0 {
		if _, err := c.command(ctx, nil, "resume", c.id); err != nil {
			return err
		}
	}
	c.loopCount = 0
	c.newTurn("/ralph-loop --continue " + c.id)
	if err := c.submit(ctx); err != nil {
		return err
	}
	text, err := c.command(ctx, c.asAgent(), "continue", c.id)
	if err != nil {
		return err
	}
	c.model.paused = false
	c.model.fold()
	return c.takeContext(text, len(c.model.asked))
}

// afterwards asks an ended loop to go on, in the ways in which that could happen
// by mistake.
func (c *chat) afterwards(ctx context.Context) error {
	c.newTurn("Thank you.")
	var errs []error
	for range 2 {
		_, err := c.work(ctx)
		text, stopErr := c.event(ctx, "stop", fields{"status": "completed", "loop_count": 0})
		if text != "" {
			errs = append(errs, fmt.Errorf("an ended loop (%s) got a follow-up", c.fate.status))
		}
		errs = append(errs, err, stopErr)
		c.newTurn("And thank you again.")
	}
	return errors.Join(errs...)
}
