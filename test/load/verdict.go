package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// stopped takes into the model what the loop made of a stop, and complains of
// what it must not have made of it.
func (c *chat) stopped(done iteration, text string) error {
	m := &c.model
	if c.user.kind == "resume" {
		m.paused = false
	}
	raced := c.user.kind != "" && !c.user.early
	resting := m.paused || !raced && (c.user.kind == "pause" || c.user.kind == "cancel")
	may := raced && (c.user.kind == "pause" || c.user.kind == "cancel")
	last := c.lastTurn() && !resting
	switch {
	case resting && text != "":
		return fmt.Errorf("a loop of which the user said %q got a follow-up", c.user.kind)
	case text == "" && !resting && !may && !last:
		return errors.New("a loop that runs got no follow-up")
	}
	counted := text != "" || last && !may
	m.count(done, counted)
	m.paused = m.paused || c.user.kind == "pause"
	m.over = c.user.kind == "cancel" || last && counted
	if text == "" {
		return nil
	}
	certain := len(m.asked)
	if raced && c.user.kind == "context" {
		certain--
	}
	return c.takeContext(text, certain)
}

// fold is what a stop and a continue do with the calls that were seen.
func (m *model) fold() { m.calls, m.unfolded = m.calls+m.unfolded, 0 }

// count adds a turn to the model: as an iteration, or to the next one.
func (m *model) count(done iteration, counted bool) {
	for _, n := range done.tools {
		m.unfolded += n
	}
	for name, n := range m.carried.tools {
		done.tools[name] += n
	}
	done.errors = append(slices.Clone(m.carried.errors), done.errors...)
	m.carried = done
	if counted {
		m.iterations, m.carried = append(m.iterations, done), iteration{}
		m.fold()
	}
}

// takeContext takes the context that came with a continuation. What was added before
// the stop began must have come by now, each piece once and in order.
func (c *chat) takeContext(text string, certain int) error {
	m := &c.model
	came := regexp.MustCompile(`remember-\d+-\d+`).FindAllString(text, -1)
	m.delivered = append(m.delivered, came...)
	if len(m.iterations) > 0 {
		m.recorded = append(m.recorded, came...)
	}
	if n := len(m.delivered); n < certain || n > len(m.asked) || !slices.Equal(m.delivered, m.asked[:n]) {
		return fmt.Errorf("context: got %q, want %q, the first %d of them by now", m.delivered, m.asked, certain)
	}
	return nil
}

// told is a loop as cursor-ralph reports it.
type told struct {
	Status     string `json:"status"`
	Iterations int    `json:"iterations"`
	ToolCalls  int    `json:"tool_calls"`
	Reason     string `json:"reason"`
}

// toldIteration is one of its history.
type toldIteration struct {
	Number  int            `json:"iteration"`
	Tools   map[string]int `json:"tools"`
	Errors  []string       `json:"errors"`
	Context []string       `json:"context"`
}

func (p *place) told(ctx context.Context, id string) (l told, err error) {
	return l, p.asked(ctx, &l, "status", id)
}

func (p *place) asked(ctx context.Context, into any, command, id string) error {
	out, err := p.command(ctx, nil, command, "--json", id)
	if err == nil {
		err = json.Unmarshal([]byte(out), into)
	}
	return err
}

// judge compares what cursor-ralph reports an ended loop with the model.
func (c *chat) judge(ctx context.Context) error {
	var history []toldIteration
	l, err := c.told(ctx, c.id)
	if err = errors.Join(err, c.asked(ctx, &history, "history", c.id)); err != nil {
		return err
	}
	m := &c.model
	errs := m.compare(history)
	if l.Status != c.fate.status || l.Iterations != len(m.iterations) || l.ToolCalls != m.calls {
		errs = append(errs, fmt.Errorf("got %s after %d iterations with %d tool calls (%s), want %s after %d with %d",
			l.Status, l.Iterations, l.ToolCalls, l.Reason, c.fate.status, len(m.iterations), m.calls))
	}
	return oneLine(errs)
}

// oneLine joins errors so that a list of them has each in one line.
func oneLine(errs []error) error {
	if len(errs) == 0 {
		return nil
	}
	var words []string
	for _, err := range errs {
		words = append(words, err.Error())
	}
	return errors.New(strings.Join(words, "; "))
}

// compare wants every iteration once, in order and complete.
func (m *model) compare(history []toldIteration) (errs []error) {
	add := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if len(history) != len(m.iterations) {
		add("the history has %d iterations, want %d", len(history), len(m.iterations))
		return errs
	}
	var context []string
	for n, got := range history {
		want := m.iterations[n]
		context = append(context, got.Context...)
		switch {
		case got.Number != n+1:
			add("the history's iteration %d has number %d", n+1, got.Number)
		case !maps.Equal(got.Tools, want.tools):
			add("iteration %d: got tools %v, want %v", n+1, got.Tools, want.tools)
		case !slices.Equal(slices.Sorted(slices.Values(got.Errors)), slices.Sorted(slices.Values(want.errors))):
			add("iteration %d: got errors %q, want %q", n+1, got.Errors, want.errors)
		}
	}
	if !slices.Equal(context, m.recorded) {
		add("the history reports the context %q, want %q", context, m.recorded)
	}
	return errs
}
