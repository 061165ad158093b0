//go:build unix

package e2e_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/test/simcursor"
)

// chat is a conversation that a test plays step by step: what the user types,
// then what the agent does until its turn ends. Every method returns when its
// step is over, hooks included.
type chat struct {
	*world
	*simcursor.Chat
	turn    *simcursor.Turn // nil while the agent is idle
	begun   chan *simcursor.Turn
	steps   chan func(*simcursor.Turn) // nil ends the turn
	did     chan struct{}
	idle    chan error
	printed string // by what began the loop
}

// cursor is the Cursor in which a workspace is open.
func (w *world) cursor(workspace string) *simcursor.Cursor {
	w.Helper()
	if c := w.cursors[workspace]; c != nil {
		return c
	}
	w.must(os.MkdirAll(workspace, 0o755))
	if workspace != w.repo() && workspace != w.home() {
		w.installInto(workspace)
	}
	cfg := simcursor.Config{
		Home: w.home(), Workspace: workspace, Env: w.env(), Shell: w.loginShell(), Version: w.version, Options: w.Options,
	}
	if w.old {
		cfg.Version, cfg.Events = "2.0.4", simcursor.OldEvents()
	}
	c, err := simcursor.New(cfg)
	w.must(err)
	w.cursors[workspace] = c
	return c
}

// chat opens a conversation in the user's one repository.
func (w *world) chat() *chat {
	w.Helper()
	return w.chatIn(w.repo())
}

func (w *world) chatIn(workspace string) *chat {
	w.Helper()
	c := &chat{
		world: w, begun: make(chan *simcursor.Turn), steps: make(chan func(*simcursor.Turn)),
		did: make(chan struct{}, 1), idle: make(chan error, 1),
	}
	c.Chat = w.cursor(workspace).Chat(c.play)
	return c
}

// play is the agent: it does what the test sends.
func (c *chat) play(t *simcursor.Turn) {
	select {
	case c.begun <- t:
	case <-c.ctx.Done():
		return
	}
	for {
		select {
		case step := <-c.steps:
			if step == nil {
				return
			}
			func() {
				defer func() { c.did <- struct{}{} }() // also when the turn is stopped in it
				step(t)
			}()
		case <-t.Context().Done():
			return
		}
	}
}

// types sends a message of the user and waits until the agent has it, or
// nobody will.
func (c *chat) types(text string) {
	c.Helper()
	if c.turn != nil {
		c.Fatal("the agent is not idle")
	}
	go func() { c.idle <- c.Send(c.ctx, text) }()
	c.next()
}

// next waits for the next turn, or for the end of them.
func (c *chat) next() {
	c.Helper()
	select {
	case c.turn = <-c.begun:
	case err := <-c.idle:
		c.turn = nil
		c.must(err)
	case <-c.ctx.Done():
		c.Fatal("nothing happens any more")
	}
}

// starts sends a slash command with which a loop begins, and hands it over as
// its Markdown says. It returns what cursor-ralph printed.
func (c *chat) starts(typed string) string {
	c.Helper()
	c.types("/ralph-loop " + typed)
	return c.follows()
}

// begin starts a step of the agent; finish waits for it.
func (c *chat) begin(step func(*simcursor.Turn)) {
	c.Helper()
	if c.turn == nil {
		c.Fatal("the agent is idle")
	}
	select {
	case c.steps <- step:
	case <-c.ctx.Done():
		c.Fatal("the agent does not listen")
	}
}

func (c *chat) finish() {
	c.Helper()
	select {
	case <-c.did:
	case <-c.ctx.Done():
		c.Fatal("the agent's step has no end")
	}
}

func (c *chat) does(step func(*simcursor.Turn)) {
	c.Helper()
	c.begin(step)
	c.finish()
}

// works is a piece of work: one tool call that counts.
func (c *chat) works() {
	c.Helper()
	c.does(func(t *simcursor.Turn) {
		if err := t.Edit(fmt.Sprintf("work-%d.txt", t.Number), "work\n"); err != nil {
			c.Errorf("edit: %v", err)
		}
	})
}

func (c *chat) says(text string) *chat {
	c.Helper()
	c.does(func(t *simcursor.Turn) { t.Say(text) })
	return c
}

// runs is a shell command of the agent.
func (c *chat) runs(command string) (output string) {
	c.Helper()
	output, exit := c.tries(command)
	if exit != 0 {
		c.Errorf("%s: exit code %d: %s", command, exit, output)
	}
	return output
}

func (c *chat) tries(command string) (output string, exit int) {
	c.Helper()
	c.does(func(t *simcursor.Turn) { output, exit = t.Shell(command) })
	return output, exit
}

// ends is the end of the turn. It reports whether a follow-up or a message that
// was typed ahead began the next one.
func (c *chat) ends() bool {
	c.Helper()
	c.begin(nil)
	c.next()
	return c.turn != nil
}

// goesOn is ends where the loop must bring the agent back. It returns the
// continuation.
func (c *chat) goesOn() string {
	c.Helper()
	if !c.ends() {
		c.Fatalf("the loop did not go on after turn %d", len(c.Messages()))
	}
	if !c.turn.Followup {
		c.Errorf("turn %d: got the message %q, want a follow-up", c.turn.Number, c.turn.Message)
	}
	return c.turn.Message
}

// rests is ends where nothing may bring the agent back.
func (c *chat) rests() {
	c.Helper()
	if c.ends() {
		c.Fatalf("the agent was sent %q, want rest", c.turn.Message)
	}
}

// concludes is rests after the words that end a loop. Where Cursor reports
// them after the stop, one more turn is needed.
func (c *chat) concludes() {
	c.Helper()
	if !c.ends() {
		return
	}
	if c.LateResponse == simcursor.InOrder {
		c.Errorf("the agent was sent %q, want rest", c.turn.Message)
	}
	c.says("It is done, as I said.")
	c.rests()
}

// isAccepted is rests after words that end the loop by its promise, in an iteration.
func (c *chat) isAccepted(words string, iteration int) {
	c.Helper()
	c.says(words)
	c.rests()
	c.wantStatus(c.ID, "PROMISE_ACCEPTED", iteration)
}

// stops is the user pressing Stop.
func (c *chat) stops() {
	c.Helper()
	if !c.Stop() {
		c.Fatal("there is no turn to stop")
	}
	c.next()
}

// fails is a turn that ends as an error, as a lost connection does.
func (c *chat) fails() {
	c.Helper()
	c.does(func(t *simcursor.Turn) { t.Fail() })
	c.next()
}

// typesAhead is the user typing while the turn runs.
func (c *chat) typesAhead(text string) {
	c.Helper()
	c.does(func(t *simcursor.Turn) { t.UserTypes(text) })
}

// follows does what a slash command's Markdown says, as a weak model would: it
// runs the one command that stands there.
func (c *chat) follows() (output string) {
	c.Helper()
	c.printed = c.runs(c.handOver())
	return c.printed
}

func (c *chat) handOver() string {
	c.Helper()
	if c.turn == nil {
		c.Fatal("the slash command did not reach the agent")
	}
	command, err := handOver(c.turn.Message)
	c.must(err)
	return command
}

var (
	fence   = regexp.MustCompile("(?s)```(?:sh)?\n(.*?)\n```")
	stamp   = regexp.MustCompile(`(?m)^<!-- cursor-ralph: installed file.*-->$`)
	instead = regexp.MustCompile("run `(.*? resume)` with that id instead")
	loops   = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)
)

// handOver returns the command that a slash command's Markdown shows, with what
// the user typed.
func handOver(message string) (string, error) {
	block := fence.FindStringSubmatch(message)
	end := stamp.FindStringIndex(message)
	if block == nil || end == nil {
		return "", fmt.Errorf("not one of our slash commands: %.200q", message)
	}
	typed := strings.TrimPrefix(message[end[1]:], "\n\n")
	line, goesOn := strings.CutPrefix(strings.TrimSpace(typed), "--continue ")
	resume := instead.FindStringSubmatch(message)
	switch {
	case goesOn && resume != nil:
		return resume[1] + " " + strings.Fields(line)[0], nil
	case strings.Contains(block[1], "THE USER'S TEXT"):
		return strings.Replace(block[1], "THE USER'S TEXT", typed, 1), nil
	case loops.MatchString(typed):
		return block[1] + " " + typed, nil
	}
	return block[1], nil
}

// notes records progress, as the agent is expected to.
func (c *chat) notes(text string) {
	c.Helper()
	c.runs(c.told("note") + `"` + text + `"`)
}

// told is the command that the continuation, or what began the loop, shows for the own words of the agent.
func (c *chat) told(command string) string {
	c.Helper()
	read := strings.Join(append(c.turn.Added(), c.turn.Message, c.printed), "\n")
	for _, found := range tellings.FindAllStringSubmatch(read, -1) {
		if found[2] == command {
			return found[1]
		}
	}
	c.Fatalf("nobody told the agent how to use %s: %q", command, read)
	return ""
}

// program is how the agent is expected to call cursor-ralph.
func (c *chat) program() string {
	c.Helper()
	program, _, _ := strings.Cut(c.told("note"), " note ")
	return program
}

var tellings = regexp.MustCompile("(?m)(?:`|: )([^`\n]*? (note|blocked) [^`\n\"]*)\"")

// shown is what the user was shown last by a hook.
func (c *chat) shown() string {
	c.Helper()
	all := c.Shown()
	if len(all) == 0 {
		c.Fatal("the user was shown nothing")
	}
	return all[len(all)-1]
}

// task checks that the last message has the task in it, word for word.
func (c *chat) wantTask(task string) {
	c.Helper()
	if c.turn == nil {
		c.Fatal("the agent is idle")
	}
	if !strings.Contains(c.turn.Message, framed(task)) {
		c.Errorf("turn %d: got %.2000q, want the task %.2000q in it", c.turn.Number, c.turn.Message, task)
	}
}

// framed is a task as it stands in what cursor-ralph tells the agent.
func framed(task string) string { return "The task, word for word:\n\n" + task + "\n\n---\n" }
