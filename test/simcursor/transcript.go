package simcursor

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// Kind is the kind of a transcript entry.
type Kind string

const (
	UserMessage     Kind = "user"      // typed by the user
	FollowupMessage Kind = "followup"  // submitted for a stop hook
	ModelMessage    Kind = "model"     // reached the model
	AddedContext    Kind = "context"   // a hook's additional_context, also for the model
	ShownToUser     Kind = "shown"     // a hook's user_message
	AssistantText   Kind = "assistant" // said by the agent
	ToolCall        Kind = "tool"      // done by the agent
	HookRun         Kind = "hook"      // an entry of a hooks.json at an event
	TurnEnd         Kind = "end"       // Text is the status for stop hooks
)

// Entry is one thing that happened in a chat.
type Entry struct {
	Kind   Kind
	Chat   string // conversation id
	Turn   int    // turns so far
	Name   string // of the tool or the event
	Text   string // the message; a tool's command or file; a hook's command
	Output string // of a tool, or why it did not run
	Exit   int    // of a shell command; -1 if it did not finish
	Run    *Run   // of a hook
}

func (ch *Chat) record(e Entry) {
	ch.cursor.tell.Lock()
	defer ch.cursor.tell.Unlock()
	ch.mu.Lock()
	e.Chat, e.Turn = ch.ID, ch.turns
	ch.entries = append(ch.entries, e)
	ch.mu.Unlock()
	if observe := ch.cursor.cfg.Observe; observe != nil {
		observe(e)
	}
}

// Transcript returns all entries so far.
func (ch *Chat) Transcript() []Entry {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	return slices.Clone(ch.entries)
}

// Messages returns the messages that reached the model: one per turn.
func (ch *Chat) Messages() []string { return ch.texts(ModelMessage) }

// Shown returns the user_messages that the user has seen.
func (ch *Chat) Shown() []string { return ch.texts(ShownToUser) }

// Runs returns the hook runs of an event, skipped ones included. "" is all events.
func (ch *Chat) Runs(event string) []Run {
	var runs []Run
	for _, e := range ch.Transcript() {
		if e.Kind == HookRun && (event == "" || event == e.Name) {
			runs = append(runs, *e.Run)
		}
	}
	return runs
}

func (ch *Chat) texts(kind Kind) []string {
	var all []string
	for _, e := range ch.Transcript() {
		if e.Kind == kind {
			all = append(all, e.Text)
		}
	}
	return all
}

// transcriptPath returns "" before anything is in the file.
func (ch *Chat) transcriptPath() string {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	return ch.transcript
}

var unfit = regexp.MustCompile(`[^A-Za-z0-9]+`)

func (ch *Chat) write(role, text string) error {
	cfg := ch.cursor.cfg
	if !cfg.Options.Transcript {
		return nil
	}
	project := unfit.ReplaceAllString(cfg.Workspace, "-")
	dir := filepath.Join(cfg.Home, ".cursor", "projects", project, "agent-transcripts", ch.ID)
	path := filepath.Join(dir, ch.ID+".jsonl")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("transcript: %w", err)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("transcript: %w", err)
	}
	defer f.Close()
	content := []any{map[string]any{"type": "text", "text": text}}
	line := encode(map[string]any{"role": role, "message": map[string]any{"content": content}})
	if _, err := f.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("transcript: %w", err)
	}
	ch.mu.Lock()
	defer ch.mu.Unlock()
	ch.transcript = path
	return nil
}
