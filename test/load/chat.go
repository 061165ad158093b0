package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// chat is a conversation in which a loop runs, and the model of that loop: what
// it must have come to, told from what was asked for and answered.
type chat struct {
	*place
	door  door
	rng   *rand.Rand
	id    string
	max   int // iterations
	calls int // tool events a turn
	fate  fate
	until time.Time // after this the user cancels; zero is never

	number    int // of the turn
	first     int // of the turn before the loop
	loopCount int // as the editor counts follow-ups
	prompt    string
	user      *act // what the user does in this turn
	model     model
}

// fate is how a loop ends, and when.
type fate struct {
	status string
	turn   int
}

// model is what must be found of a loop.
type model struct {
	iterations []iteration
	carried    iteration // of turns that were not counted
	asked      []string  // context that was added, in order
	delivered  []string  // of it, in the order in which it came
	recorded   []string  // of those, what a record can report
	calls      int       // that count and were folded in
	unfolded   int       // the same, not folded in
	paused     bool
	over       bool
}

// iteration is what a record must tell.
type iteration struct {
	tools  map[string]int
	errors []string
}

const (
	limit     = "MAX_ITERATIONS_REACHED"
	promised  = "PROMISE_ACCEPTED"
	cancelled = "CANCELLED"
)

// drawFate lets most loops run to their limit.
func drawFate(rng *rand.Rand, iterations int) fate {
	turn := 1 + rng.IntN(iterations)
	switch rng.IntN(4) {
	case 0:
		return fate{cancelled, turn}
	case 1:
		return fate{promised, turn}
	}
	return fate{limit, iterations}
}

// play begins a loop and sees it through, and then some: an ended loop is asked
// to go on.
func (c *chat) play(ctx context.Context) error {
	if err := c.begin(ctx); err != nil {
		return err
	}
	for !c.model.over {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := c.turn(ctx); err != nil {
			return fmt.Errorf("turn %d: %w", c.number, err)
		}
	}
	return errors.Join(c.gone(), c.afterwards(ctx))
}

// gone wants nothing of an ended loop beside its record. Later events would clear
// away what was left.
func (c *chat) gone() (err error) {
	left, err := filepath.Glob(strings.TrimSuffix(c.live(c.id), ".json") + ".*")
	if len(left) > 0 {
		err = fmt.Errorf("an ended loop (%s) has left %q", c.fate.status, left)
	}
	return err
}

// begin asks for the loop in one of the three ways.
func (c *chat) begin(ctx context.Context) error {
	task := fmt.Sprintf("Make the tests of %s pass that failed after turn %d.", c.id, c.first)
	switch c.rng.IntN(3) {
	case 0:
		c.newTurn(fmt.Sprintf("/ralph-loop %q --max-iterations %d", task, c.max))
		return c.submit(ctx)
	case 1:
		c.newTurn("Please do what I asked cursor-ralph for.")
		_, err := c.command(ctx, c.asAgent(), "start", "--max-iterations", fmt.Sprint(c.max), task)
		return errors.Join(err, c.submit(ctx))
	}
	c.newTurn("Please do what is in the file.")
	return errors.Join(c.writePending(c.id, task, c.max), c.submit(ctx))
}

// writePending is the file as people and agents write it by hand, in place at
// once.
func (p *place) writePending(id, task string, most int) error {
	text := fmt.Sprintf(`{"prompt": %q, "max_iterations": %d, "completion_promise": "COMPLETE",`+
		` "iterations": 0, "session_iterations": 0, "stop": false, "last_output": ""}`, task, most)
	if err := os.MkdirAll(p.pending(), 0o700); err != nil {
		return err
	}
	unnamed := filepath.Join(p.dir, id+".new")
	return errors.Join(os.WriteFile(unnamed, []byte(text), 0o600),
		os.Rename(unnamed, filepath.Join(p.pending(), id+".json")))
}

// asAgent are the variables of the agent's shell.
func (c *chat) asAgent() []string {
	return []string{"CURSOR_AGENT=1", "CURSOR_CONVERSATION_ID=" + c.id}
}

func (c *chat) newTurn(prompt string) { c.number++; c.prompt = prompt }

func (c *chat) generation() string { return fmt.Sprintf("%s-%d", c.id, c.number) }

func (c *chat) event(ctx context.Context, name string, f fields) (string, error) {
	f["generation_id"] = c.generation()
	return c.door.fire(ctx, c.id, name, f)
}

func (c *chat) submit(ctx context.Context) error {
	_, err := c.event(ctx, "beforeSubmitPrompt", fields{"prompt": c.prompt, "attachments": []any{}})
	return err
}

// types is the user sending a command in the chat while the agent works.
func (c *chat) types(ctx context.Context, line string) error {
	_, err := c.door.fire(ctx, c.id, "beforeSubmitPrompt",
		fields{"prompt": line, "attachments": []any{}, "generation_id": c.generation() + "-typed"})
	return err
}

// turn is what the agent does with a message that reached it, to the stop and
// what the loop makes of it.
func (c *chat) turn(ctx context.Context) error {
	c.user = c.draw()
	early := c.user.start(ctx, c.user.early)
	done, err := c.work(ctx)
	if err = errors.Join(err, early()); err != nil {
		return err
	}
	late := c.user.start(ctx, !c.user.early)
	text, err := c.event(ctx, "stop", fields{"status": "completed", "loop_count": c.loopCount})
	if err = errors.Join(err, late()); err != nil {
		return err
	}
	if err := c.stopped(done, text); err != nil || c.model.over {
		return err
	}
	if text == "" {
		return c.goOn(ctx)
	}
	c.loopCount++
	c.newTurn(text)
	return c.submit(ctx)
}

// work is the tool events of a turn, some at once, and what the agent says.
func (c *chat) work(ctx context.Context) (done iteration, err error) {
	done.tools = map[string]int{}
	var events []func() error
	for n := range c.calls {
		name, f, counts := c.call(n)
		if counts {
			done.tools[f["tool_name"].(string)]++
		}
		if text, failed := f["error_message"].(string); failed {
			done.errors = append(done.errors, text)
		}
		events = append(events, func() error { _, err := c.event(ctx, name, f); return err })
	}
	for len(events) > 0 {
		n := min(1+c.rng.IntN(3), len(events))
		if err := together(events[:n]); err != nil {
			return done, err
		}
		events = events[n:]
	}
	_, err = c.event(ctx, "afterAgentResponse", fields{"text": c.words()})
	return done, err
}

// call is one use of a tool: most succeed, some fail, and some are no work
// because they are about cursor-ralph.
func (c *chat) call(n int) (event string, f fields, counts bool) {
	id := fmt.Sprintf("%s-call-%d", c.generation(), n)
	f = fields{"tool_use_id": id, "cwd": c.workspace(), "duration": 12.5, "tool_output": `{"success":true}`}
	switch kind := c.rng.IntN(10); {
	case kind == 0 && n > 0: // a promise needs one call that counts
		f["tool_name"], f["tool_input"] = "Shell", fields{"command": "cursor-ralph note 'half of it'"}
		return "postToolUse", f, false
	case kind <= 2:
		delete(f, "tool_output")
		f["tool_name"], f["tool_input"] = "Shell", fields{"command": "go test ./..."}
		f["error_message"], f["failure_type"], f["is_interrupt"] = "trouble "+id, "error", false
		return "postToolUseFailure", f, true
	case kind <= 5:
		f["tool_name"], f["tool_input"] = "Read", fields{"file_path": filepath.Join(c.workspace(), "a.go")}
		return "postToolUse", f, true
	}
	f["tool_name"], f["tool_input"] = "Write", fields{"file_path": filepath.Join(c.workspace(), fmt.Sprint(n, ".go"))}
	return "postToolUse", f, true
}

func (c *chat) words() string {
	if c.fate.status == promised && c.lastTurn() && !c.model.paused { // else the continue that follows would end it
		return "All done. <promise>COMPLETE</promise>"
	}
	return fmt.Sprintf("I did a part of it in turn %d.", c.number)
}

// lastTurn reports whether this turn ends the loop as it is meant to, if nothing
// comes between.
func (c *chat) lastTurn() bool {
	n := len(c.model.iterations) + 1
	return n == c.max || c.fate.status == promised && n >= c.fate.turn
}

func together(events []func() error) error {
	errs := make([]error, len(events))
	var all sync.WaitGroup
	for i, do := range events {
		all.Go(func() { errs[i] = do() })
	}
	all.Wait()
	return errors.Join(errs...)
}
