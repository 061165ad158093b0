package cli

import (
	"fmt"
	"slices"

	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/host"
	"github.com/cursor-ralph/cursor-ralph/internal/loops"
	"github.com/cursor-ralph/cursor-ralph/internal/outer"
)

// agentsOwn are the commands that an agent may call about the loop of its own chat.
var agentsOwn = []string{"note", "context", "blocked", "pause", "cancel", "resume", "continue", "slash"}

// reading are those that change nothing and start nothing, about any loop. supervise starts what its caller could start itself; an
// agent of cursor-ralph run is below it.
var reading = []string{"supervise", "task", "status", "list", "log", "history", "report", "checkpoint-file", "diff", "doctor", "events", "version"}

// ByAgent reports whether an agent called us, by what its host sets in its shell. Standard output would not show that: a user may
// use a pipe.
func (e *Env) ByAgent() bool {
	return slices.ContainsFunc(append(host.ShellVariables(), outer.RunVariable), func(name string) bool { return e.Getenv(name) != "" })
}

// Allow refuses what an agent's call may not do: everything that is not listed above, and about which loop, where that is known.
// A user may do anything.
func (e *Env) Allow(command string, about *loops.Loop) error {
	switch {
	case !e.ByAgent() || slices.Contains(reading, command):
		return nil
	case !slices.Contains(agentsOwn, command):
		return hint.New(fmt.Sprintf("an agent must not run cursor-ralph %s", command), "ask the user to run it in a terminal")
	case about == nil || e.isOwn(*about):
		return nil
	}
	return hint.New(fmt.Sprintf("the loop %s belongs to another chat, and an agent can steer only its own chat's loop", about.State.ShortID()), "ask the user to do it in a terminal")
}

// isOwn reports whether a loop is that of the calling agent's chat. Where the shell does not have the chat's id, it may be any in
// this folder whose chat is of the same host.
func (e *Env) isOwn(l loops.Loop) bool {
	id, err := e.Conversation()
	if id != "" || err != nil {
		return err == nil && (l.ID == id || l.State.ConversationID == id)
	}
	here, err := e.Here()
	if err != nil || l.IsForAnyChat() || l.State.Outer() || !loops.Within(here, l.State.Workspace) {
		return false
	}
	return slices.ContainsFunc(host.InShell(e.Getenv), func(title string) bool { return title == l.State.Host })
}
