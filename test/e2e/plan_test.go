//go:build unix

package e2e_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/test/simcursor"
)

// guarded are variants in which the plan guard is installed, which is the user's alone.
func guarded() []variant {
	list := []variant{
		usual(),
		option("expanded prompt", func(o *simcursor.Options) { o.ExpandCommands = true }),
		option("stripped prompt, agent sees its id", func(o *simcursor.Options) { o.ExpandCommands, o.StripComments, o.AgentSeesID = true, true, true }),
		with("user and project", func(v *variant) { v.installs = both() }),
		with("user and project, expanded prompt", func(v *variant) { v.installs, v.ExpandCommands = both(), true }),
	}
	for i := range list {
		list[i].installs = guarding(list[i].installs)
	}
	return list
}

func guarding(installs [][]string) (with [][]string) {
	for _, args := range installs {
		if !slices.Contains(args, "--project") {
			args = append([]string{"--plan-guard"}, args...)
		}
		with = append(with, args)
	}
	return with
}

// plans begins a plan loop: its agent runs what the slash command says, and is
// denied the shell where the loop is armed already. Then the rules came with the message.
func (c *chat) plans(typed string) {
	c.Helper()
	c.types("/ralph-loop " + typed)
	rules := strings.Join(c.turn.Added(), "")
	out, exit := c.tries(c.handOver())
	unseen := c.StripComments || c.ExpandCommands && strings.Contains(typed, "--verify")
	if unseen == (exit == -1) {
		c.Errorf("got exit code %d: %s, want the shell to be denied: %v", exit, out, !unseen)
	}
	if unseen {
		rules = out
		c.wantPart("the slash command", out, framed("make it green"))
	}
	c.wantPart("the rules", rules, "Plan mode: change nothing and run nothing")
}

func (c *chat) edits(path, content string) (err error) {
	c.Helper()
	c.does(func(t *simcursor.Turn) { err = t.Edit(path, content) })
	return err
}

func (c *chat) reads(path string) (err error) {
	c.Helper()
	c.does(func(t *simcursor.Turn) { _, err = t.Read(path) })
	return err
}

func (c *chat) uses(tool string) (err error) {
	c.Helper()
	c.does(func(t *simcursor.Turn) { err = t.Tool(tool, map[string]any{"query": "x"}, "ok") })
	return err
}

func (w *world) there(name string) bool {
	w.Helper()
	_, err := os.Lstat(filepath.Join(w.repo(), name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.Error(err)
	}
	return err == nil
}

const source = "package main\n"

// wantPlanning checks that the agent may read and write its plan, and do nothing
// else.
func (c *chat) wantPlanning() {
	c.Helper()
	c.write(filepath.Join(c.repo(), "main.go"), source)
	if out, exit := c.tries("touch ran"); exit != -1 || c.there("ran") {
		c.Errorf("a shell command: got exit code %d, %q, want it denied", exit, out)
	}
	c.wantPart("shown to the user", c.shown(), "only plans")
	for path, denied := range map[string]bool{
		"main.go": true, ".cursor/hooks.json": true, "README.md": true, ".cursor/plans/x.plan.md": false,
		filepath.Join(c.home(), ".cursor/plans/y.md"): false, filepath.Join(c.tmp(), "x.md"): true,
	} {
		err := c.edits(path, "# changed\n")
		if (err != nil) != denied {
			c.Errorf("write %s: got %v, want it denied: %v", path, err, denied)
		}
		if denied {
			c.wantPart("the denial", err.Error(), "Stage the change")
		}
	}
	if data, err := os.ReadFile(filepath.Join(c.repo(), "main.go")); err != nil || string(data) != source {
		c.Errorf("got %q, %v, want the source unchanged", data, err)
	}
	if !c.there(".cursor/plans/x.plan.md") {
		c.Error("the plan was not written")
	}
	for tool, denied := range map[string]bool{"MCP:write_file": true, "MCP:read_file": true, "Task": true, "Delete": true, "Grep": false, "SemanticSearch": false, "CreatePlan": false} {
		if err := c.uses(tool); (err != nil) != denied {
			c.Errorf("%s: got %v, want it denied: %v", tool, err, denied)
		}
	}
	if err := c.reads("main.go"); err != nil {
		c.Errorf("read: got %v", err)
	}
}

// wantFree checks that the agent may do anything.
func (c *chat) wantFree(name string) {
	c.Helper()
	c.runs("touch " + name)
	if err := c.edits(name, "x"); err != nil || !c.there(name) {
		c.Errorf("write: got %v, want it done", err)
	}
	if err := c.uses("MCP:write_file"); err != nil {
		c.Errorf("an MCP tool: got %v", err)
	}
}

func TestAPlanLoopPlansOnly(t *testing.T) {
	each(t, guarded(), func(w *world) {
		c, other := w.chat(), w.chat()
		c.plans(`"make it green" --plan`)
		c.wantPlanning()
		other.types("hello")
		other.wantFree("other-1")
		other.rests()
		c.says("A part is planned.")
		w.wantPart("continuation", c.goesOn(), "Plan mode: change nothing and run nothing")
		c.wantPlanning()
		other.types("hello again")
		other.wantFree("other-2")
		other.rests()
		c.says(done)
		c.concludes()
		w.wantStatus(c.ID, "PROMISE_ACCEPTED", 2)
		c.types("Now do it.")
		c.wantFree("approved")
		c.rests()
	})
}

func TestALoopInPlanModePlansOnly(t *testing.T) {
	each(t, guarded(), func(w *world) {
		w.Options.ComposerMode = "plan"
		c := w.chat()
		if w.StripComments { // the hook does not see that a loop begins, and learns the mode from the next message
			c.starts(`"make it green"`)
			c.goesOn()
			c.ok(c.repo(), "pause", c.ID)
			c.rests()
			c.ok(c.repo(), "resume", c.ID)
			c.types("Go on.")
		} else {
			c.plans(`"make it green"`)
		}
		c.wantPlanning()
		w.wantPart("continuation", c.goesOn(), "Plan mode: change nothing and run nothing")
		c.stops()
	})
}

// Without the guard the rules of a plan loop are words, and nothing is denied.
func TestAPlanLoopWithoutTheGuard(t *testing.T) {
	once(t, func(w *world) {
		c := w.chat()
		w.wantPart("the slash command", c.starts(`"make it green" --plan`), "Plan mode: change nothing and run nothing")
		c.wantFree("ran")
		w.wantPart("doctor", doctor(w), "nothing denies its agent a change: the plan guard is not installed")
		c.stops()
	})
}
