//go:build linux

package faults_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// operation is what is killed and injured: one process, in a world that was made
// ready for it.
type operation struct {
	name    string
	ready   func(w world) error
	run     func(w world) command
	begins  bool   // the loop is not there before
	other   string // the task of another loop that is there, before and after
	then    ending // once it was done, unharmed
	refused bool   // done once more it is refused, for it was done
	bare    bool   // its agent gets the line alone: whether the turn counts depends on how soon the line comes again
	moves   bool   // the loop comes from another chat, in two steps: killed between them it can be done again a minute later
	anew    bool   // done once more it makes another loop
	gated   bool   // the promise is checked, by a process that may outlive the one that is killed
	checks  bool   // with it runs the command of --verify
	tells   bool   // the loop has an --on-end
	work    bool   // in a git work tree of its own
	sample  int    // one of so many injuries is done; 0 is all
}

// ending is how a chat goes on after an operation that was done.
type ending int

const (
	goesOn ending = iota // the next stop brings the agent back to the task
	isOver               // the loop has ended, and the next stop is left alone
	rests                // it is paused, or waits
)

// do runs programs one after the other, unharmed.
func do(commands ...command) error {
	for _, c := range commands {
		o, err := c.run()
		if err != nil {
			return err
		}
		if o.status.ExitStatus() != 0 {
			return fmt.Errorf("%v: exit %d: %s", c.args, o.status.ExitStatus(), o.stderr)
		}
	}
	return nil
}

// running makes a loop that is in its second iteration, with one tool call.
func running(more fields) func(w world) error {
	return func(w world) error {
		return errors.Join(w.keep(more), w.pending(me, asked(task, more)), do(w.hook(w.stop()), w.hook(w.uses("tool-1"))))
	}
}

// ran is a loop to which more happened.
func ran(more fields, events func(w world) []command) func(w world) error {
	return func(w world) error {
		if err := running(more)(w); err != nil {
			return err
		}
		return do(events(w)...)
	}
}

// withTasks is a loop with a task list.
func withTasks(file, list string) func(w world) error {
	return func(w world) error {
		err := os.WriteFile(filepath.Join(w.workspace, file), []byte(list), 0o600)
		return errors.Join(err, running(fields{"tasks": file, "workspace": w.workspace})(w))
	}
}

func pendingAs(name string, more fields) func(w world) error {
	return func(w world) error { return w.pending(name, asked(task, more)) }
}

func hooked(event func(w world) string) func(w world) command {
	return func(w world) command { return w.hook(event(w)) }
}

func typed(args ...string) func(w world) command {
	return func(w world) command { return w.cli(args...) }
}

func says(texts ...string) func(w world) []command {
	return func(w world) (list []command) {
		for _, text := range texts {
			list = append(list, w.hook(w.says(text)))
		}
		return list
	}
}

const (
	unbound = "1700000000000-1"
	shortID = "k7f2m"
	promise = "<promise>COMPLETE</promise>"
)

// operations are all that are tried.
func operations() []operation {
	return slices.Concat(claims(), turns(), gates(), ends(), prompts(), commands())
}

func claims() []operation {
	stop := hooked(world.stop)
	return []operation{
		{name: "claim by name", ready: pendingAs(me, nil), run: stop},
		{name: "claim of an unbound file", ready: pendingAs(unbound, nil), run: stop},
		{name: "claim after another loop", ready: func(w world) error {
			return errors.Join(w.pending(me, asked(old, nil)), do(w.hook(w.stop()), w.cli("cancel", me)), w.pending(me, asked(task, nil)))
		}, run: stop, other: old},
		{name: "claim at a tool call", ready: pendingAs(me, nil), run: hooked(func(w world) string { return w.uses("tool-1") })},
	}
}

func turns() []operation {
	stop := hooked(world.stop)
	return []operation{
		{name: "tool call", ready: running(nil), run: hooked(func(w world) string { return w.uses("tool-2") })},
		{name: "message of the user", ready: running(nil), run: sends("go on")},
		{name: "promise recorded", ready: running(nil), run: hooked(func(w world) string { return w.says(promise) }), then: isOver},
		{name: "stop that goes on", ready: running(nil), run: stop},
		{name: "stop that ends: promise", ready: ran(nil, says(promise)), run: stop, then: isOver},
		{name: "stop with open tasks", ready: withTasks("open.md", "- [ ] a\n"), run: stop},
		{name: "stop that ends: limit", ready: ran(fields{"max_iterations": 2}, says("nearly")), run: stop, then: isOver},
		{name: "stop that ends: the user", ready: running(nil), run: hooked(func(w world) string { return w.stopped("aborted", 1) }), then: isOver},
		{name: "stop that pauses: error", ready: running(nil), run: hooked(func(w world) string { return w.stopped("error", 1) }), then: rests},
		{name: "stop at the session limit", ready: running(fields{"session_iterations": 3}), run: func(w world) command {
			c := w.hook(w.stopped("completed", 4))
			c.args = c.args[:1] // five, as without flags
			return c
		}},
		{name: "promise after the end", ready: limited, run: hooked(func(w world) string { return w.says(promise) }), then: isOver},
	}
}

// limited makes a loop that a limit has ended.
func limited(w world) error {
	return ran(fields{"max_iterations": 2}, func(w world) []command {
		return []command{w.hook(w.says("nearly")), w.hook(w.stop())}
	})(w)
}

// waits makes a loop that start left for any chat.
func waits(workspace string) func(w world) error {
	return pendingAs(unbound, fields{"id": shortID, "due": fields{"after": "start"}, "workspace": workspace})
}

// cancelledAs makes a loop that was cancelled while it was pending.
func cancelledAs(name string) func(w world) error {
	return func(w world) error {
		return errors.Join(w.pending(name, asked(task, fields{"id": shortID})), do(w.cli("cancel", shortID)))
	}
}

func sends(text string) func(w world) command {
	return hooked(func(w world) string { return w.sends(text) })
}

func prompts() []operation {
	return []operation{
		{name: "start in the chat", ready: nothing, run: sends(`/ralph-loop "` + task + `"`), begins: true},
		{name: "start in place of another", ready: func(w world) error {
			return errors.Join(w.pending(me, asked(old, nil)), do(w.hook(w.stop())))
		}, run: sends(`/ralph-loop "` + task + `" --replace`), begins: true, anew: true, other: old},
		{name: "start in loop mode", ready: func(w world) error { return do(w.cli("loop-mode", "on")) }, run: sends(task), begins: true},
		{name: "the line of a loop that waits", bare: true, ready: waits(""), run: sends("/ralph-loop --continue " + shortID)},
		{name: "the line in another workspace", bare: true, ready: waits("/elsewhere"), run: sends("/ralph-loop --continue " + shortID)},
		{name: "the line in a new chat", moves: true, ready: awaitedElsewhere, run: sends("/ralph-loop --continue " + other)},
		{name: "cancel in the chat", ready: running(nil), run: sends("/cancel-ralph"), then: isOver},
		{name: "pause in the chat", ready: running(nil), run: sends("/ralph-pause"), then: rests},
	}
}

func commands() []operation {
	paused := ran(nil, func(w world) []command { return []command{w.cli("pause", me)} })
	return []operation{
		{name: "start in a known chat", ready: nothing, run: func(w world) command { return w.cli("start", task).of(me) }, begins: true, refused: true},
		{name: "continue of a loop that waits", ready: waits(""), run: func(w world) command { return w.cli("continue", shortID).of(me) }},
		{name: "note", ready: running(nil), run: typed("note", me, "half of it is done")},
		{name: "context", ready: running(nil), run: typed("context", me, "look at the tests")},
		{name: "set", ready: running(nil), run: typed("set", me, "--max-iterations", "30", "--verify", "true")},
		{name: "pause", ready: running(nil), run: typed("pause", me), then: rests},
		{name: "resume", ready: paused, run: typed("resume", me), refused: true},
		{name: "cancel", ready: running(nil), run: typed("cancel", me), then: isOver, refused: true},
		{name: "cancel of a pending loop", ready: pendingAs(me, nil), run: typed("cancel", me), then: isOver, refused: true},
		{name: "blocked", ready: running(nil), run: typed("blocked", me, "no key"), then: isOver, refused: true},
		{name: "continue", ready: paused, run: typed("continue", me)},
		{name: "continue in another chat", moves: true, ready: pausedElsewhere, run: fetched, refused: true},
		{name: "continue in a chat that had a loop", moves: true, ready: func(w world) error {
			return errors.Join(w.pending(me, asked(old, nil)), do(w.hook(w.stop()), w.cli("cancel", me)), pausedElsewhere(w))
		}, run: fetched, refused: true, other: old},
		{name: "continue of an ended loop", ready: limited, run: typed("continue", me, "--max-iterations", "9")},
		{name: "continue of an older loop", ready: func(w world) error {
			return errors.Join(w.pending(me, asked(task, fields{"id": shortID})), do(w.hook(w.stop()), w.cli("cancel", me)),
				w.pending(me, asked(old, nil)), do(w.hook(w.stop()), w.cli("cancel", me)))
		}, run: typed("continue", shortID), other: old},
		{name: "continue of a pending loop that was cancelled", ready: cancelledAs(me), run: typed("continue", shortID), refused: true},
		{name: "continue of one that waited for any chat", ready: cancelledAs(unbound), run: typed("continue", shortID)},
		{name: "restored from the archive", ready: func(w world) error {
			return errors.Join(running(nil)(w), removed(w.places.Live(me), w.places.Journal(me)))
		}, run: typed("continue", me), begins: true},
	}
}

// pausedElsewhere makes a paused loop in the other chat, fetched brings it here.
func pausedElsewhere(w world) error {
	return errors.Join(w.pending(other, asked(task, nil)),
		do(w.hook(w.event("stop", fields{"conversation_id": other, "status": "completed", "loop_count": 0})), w.cli("pause", other)))
}

// awaitedElsewhere makes a loop in the other chat that waits for a new one.
func awaitedElsewhere(w world) error {
	stop := func() command {
		return w.hook(w.event("stop", fields{"conversation_id": other, "status": "completed", "loop_count": 0}))
	}
	return errors.Join(w.pending(other, asked(task, fields{"fresh_chat": 1})), do(stop(), stop()))
}

func fetched(w world) command { return w.cli("continue", other).of(me) }

func nothing(world) error { return nil }

func removed(paths ...string) (err error) {
	for _, path := range paths {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}
