package simcursor

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	version = "3.6.21"
	model   = "composer-2"
)

// Config says which Cursor is simulated. Home and Workspace are required.
type Config struct {
	Home      string   // the user's home: HOME of every process, ~/.cursor/hooks.json
	Workspace string   // the open folder: .cursor/hooks.json, the agent's cwd
	Roots     []string // further workspace_roots; hooks in them are not read
	Untrusted bool     // the workspace is not trusted: its hooks do not run

	// Files that stand in for the usual ones. Their hooks run where those of the
	// usual ones would: beside the user's file, and in the workspace. With one of
	// them there are no plugins.
	UserFile    string // "" is ~/.cursor/hooks.json
	ProjectFile string // "" is .cursor/hooks.json of the workspace

	Team       string // a team's hooks.json; "" is none
	Enterprise string // the machine's hooks.json; "" is none, the real one is never read

	Env     []string // what Cursor was started with; nil is os.Environ()
	Shell   string   // the user's shell; "" is SHELL in Env, then /bin/sh
	Version string   // cursor_version; "" is a 3.6
	Events  []string // event names this version knows; nil is AllEvents()
	Model   string   // "" is some name
	Email   string   // user_email; "" is null

	ShellTimeout time.Duration // for one command of the agent; 0 is two minutes
	MaxTurns     int           // for one Send, then it is an error; 0 is 50

	// Observe is told every transcript entry as it is made, one at a time. It
	// may look at the chat, but must not wait for it.
	Observe func(Entry)

	// Fired is told every event for which there are entries, after their runs, in
	// turn with Observe. It may look at the chat, but must not wait for it.
	Fired func(Firing)

	Options Options
}

// Options are the things that are not known about Cursor, or not the same in
// all of its versions. A program that works with Cursor works with each.
type Options struct {
	ExpandCommands  bool // beforeSubmitPrompt sees a slash command's text, not what was typed
	FollowupsFirst  bool // a message typed during a turn waits for the last follow-up, else it replaces one
	QuietFollowups  bool // beforeSubmitPrompt does not fire for follow-ups
	KeepLoopCount   bool // loop_count is not reset by a user message
	IgnoreLoopLimit bool // five follow-ups, whatever loop_limit says
	AbortAsError    bool // a turn the user stopped is reported as "error"
	IgnoreContext   bool // additional_context is not honoured
	PlainToolOutput bool // a shell's tool_output is its output, not JSON in a string

	Responses    Responses     // how often afterAgentResponse fires
	LateResponse Late          // when the last one fires
	LateBy       time.Duration // with WithStop: how long after stop

	AgentSeesID  bool   // the agent's shell has CURSOR_CONVERSATION_ID
	AgentIDs     bool   // ids look like agent-<uuid>, as in the CLI
	SessionID    bool   // payloads carry session_id
	Transcript   bool   // transcript_path is a real file, else null
	ComposerMode string // in beforeSubmitPrompt; "" leaves it out

	BOM     bool // stdin begins with a byte-order mark, as seen on Windows
	HereDoc bool // stdin comes as a here-document behind the command
	ExtraFD bool // hooks get a pipe as descriptor 3, and must let go of it too
}

// Responses says how often afterAgentResponse fires.
type Responses int

const (
	PerMessage Responses = iota // once a message
	PerTurn                     // once a turn, with all messages
	LastOnly                    // once a turn, with the last message
)

// Late says when the last afterAgentResponse of a turn fires.
type Late int

const (
	InOrder   Late = iota // before stop
	WithStop              // while the stop hooks run
	AfterStop             // when they have exited
)

// Cursor is one window: a workspace and any number of chats. Its methods may
// be called from several goroutines.
type Cursor struct {
	cfg   Config
	tell  sync.Mutex // held while an entry is recorded and observed
	mu    sync.Mutex
	chats []*Chat
}

// New checks the configuration and fills in what it leaves open.
func New(cfg Config) (*Cursor, error) {
	for _, dir := range []*string{&cfg.Home, &cfg.Workspace} {
		if err := folder(dir); err != nil {
			return nil, err
		}
	}
	if cfg.Env == nil {
		cfg.Env = os.Environ()
	}
	if cfg.Events == nil {
		cfg.Events = AllEvents()
	}
	cfg.Shell = cmp.Or(cfg.Shell, lookup(cfg.Env, "SHELL"), "/bin/sh")
	cfg.Version = cmp.Or(cfg.Version, version)
	cfg.Model = cmp.Or(cfg.Model, model)
	cfg.ShellTimeout = cmp.Or(cfg.ShellTimeout, 2*time.Minute)
	cfg.MaxTurns = cmp.Or(cfg.MaxTurns, 50)
	return &Cursor{cfg: cfg}, nil
}

func folder(path *string) error {
	if *path == "" {
		return errors.New("simcursor: home and workspace are required")
	}
	abs, err := filepath.Abs(*path)
	if err != nil {
		return fmt.Errorf("simcursor: %w", err)
	}
	info, err := os.Stat(abs)
	if err != nil {
		return fmt.Errorf("simcursor: %w", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("simcursor: %s is not a folder", abs)
	}
	*path = abs
	return nil
}

// Chat opens a new conversation whose turns are played by agent.
func (c *Cursor) Chat(agent Agent) *Chat {
	id := newUUID()
	if c.cfg.Options.AgentIDs {
		id = "agent-" + id
	}
	return c.ChatWithID(id, agent)
}

// ChatWithID is Chat with a given conversation_id.
func (c *Cursor) ChatWithID(id string, agent Agent) *Chat {
	ch := &Chat{ID: id, cursor: c, agent: agent, busy: make(chan struct{}, 1)}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.chats = append(c.chats, ch)
	return ch
}

// Violations lists what hooks of all chats did against the protocol so far.
// It is empty for hooks that read their input to the end, exit with 0 and in
// time, and write one JSON object or nothing.
func (c *Cursor) Violations() []string {
	c.mu.Lock()
	chats := slices.Clone(c.chats)
	c.mu.Unlock()
	var all []string
	for _, ch := range chats {
		for _, run := range ch.Runs("") {
			all = append(all, run.Violations()...)
		}
	}
	return all
}

func newUUID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails: it crashes the program instead
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// lookup gives the last value of name, as a process started with env sees it.
func lookup(env []string, name string) string {
	for _, pair := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(pair, name+"="); ok {
			return value
		}
	}
	return ""
}
