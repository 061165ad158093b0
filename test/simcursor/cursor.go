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

// Config configures a simulated Cursor. Home and Workspace are required.
type Config struct {
	Home      string   // HOME (USERPROFILE) of every process; has .cursor/hooks.json
	Workspace string   // the open folder and the agent's cwd; has .cursor/hooks.json
	Roots     []string // more workspace_roots; their hooks are not read

	Env      []string // of Cursor; nil is os.Environ()
	Shell    string   // the user's shell; "" is SHELL in Env, then /bin/sh; on Windows always PowerShell
	Version  string   // cursor_version; "" is a 3.6
	Events   []string // that this version knows; nil is AllEvents()
	Model    string   // "" is some name
	MaxTurns int      // of one Send; 0 is 50

	// Observe gets every transcript entry, one at a time. It may read the chat but
	// must not wait for it.
	Observe func(Entry)

	Options Options
}

// Options are what is unknown about Cursor or differs between versions. A program that
// works with Cursor works with every combination.
type Options struct {
	ExpandCommands  bool // beforeSubmitPrompt gets a slash command's text, not the typed line
	StripComments   bool // and without its comments
	FollowupsFirst  bool // a message typed during a turn waits for all follow-ups instead of replacing one
	QuietFollowups  bool // beforeSubmitPrompt does not fire for follow-ups
	KeepLoopCount   bool // loop_count is not reset by a user message
	IgnoreLoopLimit bool // five follow-ups, regardless of loop_limit
	AbortAsError    bool // the status of a stopped turn is "error"
	IgnoreContext   bool // additional_context is ignored
	PromptNoContext bool // additional_context of beforeSubmitPrompt is ignored
	PlainToolOutput bool // a shell's tool_output is its output, not JSON in a string

	Responses    Responses     // how often afterAgentResponse fires
	LateResponse Late          // when the last one fires
	LateBy       time.Duration // with WithStop: how long after stop

	AgentSeesID  bool   // the agent's shell has CURSOR_CONVERSATION_ID
	AgentIDs     bool   // ids look like agent-<uuid>, as in the CLI
	SessionID    bool   // payloads carry session_id
	Transcript   bool   // transcript_path is a real file, else null
	ComposerMode string // in beforeSubmitPrompt; "" leaves it out

	BOM     bool // stdin begins with a byte-order mark, as on Windows (seen)
	HereDoc bool // stdin is a here-document after the command
	ExtraFD bool // hooks inherit a pipe as descriptor 3 and must close it

	ReadUntilExit bool          // output that Cursor has not read when it notices the exit is lost
	Busy          time.Duration // with ReadUntilExit: how long at most the event loop is busy; 0 is 40 ms
	Start         Start         // how a hook's command starts

	LoseStops []int  // the answers to these stop events of a chat, counted from 1, become {}
	LoseOneIn int    // the answers to a random one in so many events become {}; 0 loses none
	LoseSeed  uint64 // makes LoseOneIn repeatable

	ConstantGeneration bool     // generation_id is always the conversation's id, else new in each turn
	Ahead              Ahead    // a message typed during a turn reaches beforeSubmitPrompt before the turn's stop
	Tokens             Counting // of tokens, at the end of a turn
}

// Start says how a hook's command starts.
type Start int

const (
	LoginShell Start = iota // the user's shell, with -lc
	PlainShell              // sh -c, which may or may not exec the command
	Direct                  // without a shell
)

func (cfg Config) hookArgs(command string) []string {
	switch cfg.Options.Start {
	case PlainShell:
		return plainShellArgs(command)
	case Direct:
		return directArgs(command)
	}
	return shellArgs(cfg.Shell, command)
}

// Responses says how often afterAgentResponse fires.
type Responses int

const (
	PerMessage Responses = iota // once per message
	PerTurn                     // once per turn, with all messages
	LastOnly                    // once per turn, with the last message
)

// Late says when the last afterAgentResponse of a turn fires.
type Late int

const (
	InOrder   Late = iota // before stop
	WithStop              // while the stop hooks run
	AfterStop             // after they have exited
)

// Cursor is one window: a workspace and any number of chats. It is safe for
// concurrent use.
type Cursor struct {
	cfg   Config
	loop  *eventLoop // nil without ReadUntilExit
	tell  sync.Mutex // held while an entry is recorded and observed
	mu    sync.Mutex
	chats []*Chat

	registered []string // plugin folders, by RegisterPlugin
}

// New checks the configuration and fills in defaults.
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
	cfg.MaxTurns = cmp.Or(cfg.MaxTurns, 50)
	c := &Cursor{cfg: cfg}
	if cfg.Options.ReadUntilExit {
		c.loop = newEventLoop(cfg.Options.Busy)
	}
	return c, nil
}

func folder(path *string) error {
	if *path == "" {
		return errors.New("simcursor: home and workspace are required")
	}
	abs, err := filepath.Abs(*path)
	if err != nil {
		return fmt.Errorf("simcursor: %w", err)
	}
	*path = abs
	if _, err := os.ReadDir(abs); err != nil {
		return fmt.Errorf("simcursor: %w", err)
	}
	return nil
}

// Chat opens a new conversation. agent plays its turns.
func (c *Cursor) Chat(agent Agent) *Chat {
	id := newUUID()
	if c.cfg.Options.AgentIDs {
		id = "agent-" + id
	}
	return c.ChatWithID(id, agent)
}

// ChatWithID opens a conversation with a given id.
func (c *Cursor) ChatWithID(id string, agent Agent) *Chat {
	ch := &Chat{ID: id, cursor: c, agent: agent, busy: make(chan struct{}, 1)}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.chats = append(c.chats, ch)
	return ch
}

// Violations lists how hooks of all chats have violated the protocol. A hook must read
// its input to the end, exit with 0 in time, and write one JSON object or nothing.
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

// lookup returns the last value of a variable, as processes see it.
func lookup(env []string, name string) string {
	for _, pair := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(pair, name+"="); ok {
			return value
		}
	}
	return ""
}
