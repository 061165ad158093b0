// Package host knows how the agents other than Cursor run a stop hook: the names of their events and fields, how they are
// answered, and where their files are. A host is a small file here, which fills in one Host. What a loop does is the same in
// all of them: Read makes of a payload the event that Cursor would send, and Answer makes of our answer what the host reads.
//
// Each fact was seen in the real program; test/agents runs them.
package host

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/cursor-ralph/cursor-ralph/hook"
)

// Host is an agent's program with a stop hook.
type Host struct {
	Name   string // of --host
	Title  string // for people
	Mark   string // what a command begins with in its chat
	ID     string // the variable in its agent's shell with the session's id; empty if there is none
	Folder string // the variable in its hooks with the project's folder

	Limit   int  // bytes of a text that reach the model, 0 for any
	Context int  // the same for what the prompt hook adds
	Escapes bool // its model sees < and > of our text escaped
	Cap     int  // continuations after a message of the user that nothing raises, 0 for any
	Clears  bool // a continuation can begin a new chat

	Commands string // the folder in a project whose commands' texts the prompt hook sees as if they were typed; empty if it has no such folder

	Files Files

	events []event
	is     func(payload) bool                          // reports whether a payload is this host's
	prompt func(payload, Trust) (text string, ok bool) // nil for the text as it is
	words  func(payload) (string, error)               // the agent's last words; nil for the field
	idle   func(payload) bool                          // reports whether a stop ends no turn; nil for never
	answer func(event string, a answer) any            // nil for the usual
	event  func(payload) string                        // their name of the event, where the payload has none
}

// event is a host's event, and what it is in Cursor.
type event struct{ theirs, ours string }

// All returns the hosts, in the order in which they are shown.
func All() []Host { return []Host{claude(), codex(), gemini(), qwen(), copilot()} }

// Named returns the host with a name.
func Named(name string) (Host, bool) {
	all := All()
	if i := slices.IndexFunc(all, func(h Host) bool { return h.Name == name }); i >= 0 {
		return all[i], true
	}
	return Host{}, false
}

// Trust says whether a command's text can only come from our own file: the hook must not take a line from a file that the
// agent may have written.
type Trust struct {
	Home   string                 // of the user
	Roots  []string               // of the workspace
	Exists func(path string) bool // reports whether there is such a file
}

// Line returns our line as it is sent in this host's chat.
func (h Host) Line(line string) string {
	if rest, ok := strings.CutPrefix(line, "/"); ok {
		return h.Mark + rest
	}
	return line
}

// Renamed returns words in which our commands begin as the host's do.
func (h Host) Renamed(words string) string {
	if h.Mark == "/" {
		return words
	}
	for _, name := range commandNames {
		words = strings.ReplaceAll(words, "/"+name, h.Mark+name)
	}
	return words
}

var commandNames = []string{"ralph-loop", "ulw-loop", "cancel-ralph", "ralph-pause", "ralph-resume", "ralph-context", "ralph-status", "ralph-help"}

// Size returns how many bytes of the host's limit a text takes.
func (h Host) Size(text string) int {
	if !h.Escapes {
		return len(text)
	}
	return len(text) + len("lt;")*(strings.Count(text, "<")+strings.Count(text, ">")) + len("amp;")*strings.Count(text, "&")
}

// NameMarker tells a model that sees markup escaped how to write the marker.
func (h Host) NameMarker(text string) string {
	if !h.Escapes || !strings.Contains(text, "<promise>") {
		return text
	}
	return strings.TrimRight(text, "\n") + "\nYou may see the angle brackets of the marker escaped, as character references. Write it with real angle brackets, as an opening and a closing tag of the name promise.\n"
}

// Continuation is the answer to a stop that goes on.
type Continuation struct {
	Text  string
	Fresh bool // in a new chat, where the host clears it
}

// answer is what we say, in one form for all hosts.
type answer struct {
	block   string // why the agent goes on, or the message is kept back
	context string // for the model, beside the user's message
	fresh   bool
}

// Answer returns what the host reads; nil changes nothing.
func (h Host) Answer(event string, ours any) any {
	var a answer
	switch t := ours.(type) {
	case Continuation:
		a = answer{block: t.Text, fresh: t.Fresh}
	case hook.BeforeSubmitPromptAnswer:
		if t.Continue != nil && !*t.Continue {
			a.block = h.Renamed(t.UserMessage)
		}
		a.context = t.AdditionalContext
	}
	if a == (answer{}) {
		return nil
	}
	if h.answer != nil {
		if special := h.answer(h.theirs(event), a); special != nil {
			return ascii(special)
		}
	}
	if a.block != "" {
		return ascii(decision{"block", a.block, nil})
	}
	return ascii(decision{Specific: map[string]any{"hookEventName": h.theirs(event), "additionalContext": a.context}})
}

// ascii is JSON in which other characters are escaped: some hosts decode what a hook prints piece by piece, and a piece may end within
// a character (seen in Gemini CLI and Qwen Code).
func ascii(answer any) json.RawMessage {
	data, err := json.Marshal(answer)
	if err != nil { // strings always encode
		return nil
	}
	out := make([]byte, 0, len(data))
	for _, c := range string(data) {
		switch {
		case c < utf8.RuneSelf:
			out = append(out, byte(c))
		case c > 0xffff:
			high, low := utf16.EncodeRune(c)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, c)
		}
	}
	return out
}

// decision is the usual answer.
type decision struct {
	Decision string         `json:"decision,omitempty"`
	Reason   string         `json:"reason,omitempty"`
	Specific map[string]any `json:"hookSpecificOutput,omitempty"`
}

func (h Host) theirs(ours string) string {
	for _, e := range h.events {
		if e.ours == ours {
			return e.theirs
		}
	}
	return ""
}

// payload is what a hook gets on standard input. The hosts share most names; camel case is Copilot's.
type payload struct {
	Event      string            `json:"hook_event_name"`
	Session    string            `json:"session_id"`
	Transcript string            `json:"transcript_path"`
	Cwd        string            `json:"cwd"`
	PromptID   string            `json:"prompt_id"`
	TurnID     string            `json:"turn_id"`
	Prompt     string            `json:"prompt"`
	Submitted  *string           `json:"submitted_prompt"` // Qwen: the raw line
	Said       *string           `json:"last_assistant_message"`
	Response   string            `json:"prompt_response"` // Gemini
	Background []json.RawMessage `json:"background_tasks"`
	Tool       string            `json:"tool_name"`
	Input      json.RawMessage   `json:"tool_input"`
	Output     json.RawMessage   `json:"tool_response"`
	ToolUseID  string            `json:"tool_use_id"`
	Error      json.RawMessage   `json:"error"`

	SessionID      string          `json:"sessionId"`
	TranscriptPath string          `json:"transcriptPath"`
	StopReason     string          `json:"stopReason"`
	ToolName       string          `json:"toolName"`
	ToolArgs       json.RawMessage `json:"toolArgs"`
	ToolResult     json.RawMessage `json:"toolResult"`

	CursorVersion  string `json:"cursor_version"` // Cursor runs other hosts' entries too
	ConversationID string `json:"conversation_id"`
}

// wire is an event as Cursor sends it, as far as we read it.
type wire struct {
	ConversationID string          `json:"conversation_id"`
	GenerationID   string          `json:"generation_id,omitempty"`
	Event          string          `json:"hook_event_name"`
	Roots          []string        `json:"workspace_roots,omitempty"`
	Transcript     string          `json:"transcript_path,omitempty"`
	Prompt         string          `json:"prompt,omitempty"`
	Status         hook.Status     `json:"status,omitempty"`
	Said           *string         `json:"last_assistant_message,omitempty"`
	Tool           string          `json:"tool_name,omitempty"`
	Input          json.RawMessage `json:"tool_input,omitempty"`
	Output         string          `json:"tool_output,omitempty"`
	ToolUseID      string          `json:"tool_use_id,omitempty"`
	Error          string          `json:"error_message,omitempty"`
}

// Read returns a payload as the event that Cursor would send. ok is false for what is no event of this host, or of no use.
func (h Host) Read(raw []byte, getenv func(string) string, trust Trust) (event []byte, ok bool) {
	p, ok := h.payload(raw)
	if !ok {
		return nil, false
	}
	if h.event != nil {
		p.Event = h.event(p)
	}
	w := wire{
		ConversationID: p.Session + p.SessionID, GenerationID: p.PromptID + p.TurnID, Transcript: p.Transcript + p.TranscriptPath, Event: h.ours(p),
		Tool: p.Tool + p.ToolName, Input: slices.Concat(p.Input, p.ToolArgs), Output: shown(slices.Concat(p.Output, p.ToolResult)), ToolUseID: p.ToolUseID,
	}
	if root := getenv(h.Folder); root != "" {
		w.Roots = []string{root}
	} else if p.Cwd != "" {
		w.Roots = []string{p.Cwd}
	}
	switch w.Event {
	case hook.EventStop:
		w.Status, w.Said = h.status(p), p.Said
		if len(p.Background) > 0 || h.idle != nil && h.idle(p) {
			return nil, false
		}
	case hook.EventBeforeSubmitPrompt:
		w.Prompt = p.Prompt
		if h.prompt != nil {
			trust.Roots = w.Roots
			if w.Prompt, ok = h.prompt(p, trust); !ok {
				return nil, false
			}
		}
		w.Prompt = h.asTyped(w.Prompt)
	case hook.EventPostToolUseFailure:
		w.Error = shown(p.Error)
	case "":
		return nil, false
	}
	event, err := json.Marshal(w)
	return event, err == nil
}

// Session returns the session's id in a payload of this host's that may lack its end, and "" in any other.
func (h Host) Session(raw []byte) string {
	p, _ := h.payload(raw)
	return p.Session + p.SessionID
}

// payload decodes a payload of this host's.
func (h Host) payload(raw []byte) (p payload, ok bool) {
	if json.Unmarshal(raw, &p) != nil && p.Session == "" && p.SessionID == "" || p.CursorVersion != "" || p.ConversationID != "" || !h.is(p) {
		return payload{}, false
	}
	return p, true
}

// Untimed returns a payload without its time, which two hooks that get one event need not share. Copilot CLI 1.0.102 gave both the
// same one.
func Untimed(raw []byte) []byte {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return raw
	}
	delete(fields, "timestamp")
	out, err := json.Marshal(fields)
	if err != nil {
		return raw
	}
	return out
}

func (h Host) ours(p payload) string {
	for _, e := range h.events {
		if e.theirs == p.Event {
			return e.ours
		}
	}
	return ""
}

// asTyped returns a message as it would begin in Cursor.
func (h Host) asTyped(prompt string) string {
	text := strings.TrimLeft(prompt, " \t\r\n")
	rest, ok := strings.CutPrefix(text, h.Mark)
	if name, _, _ := strings.Cut(rest, " "); ok && h.Mark != "/" && slices.Contains(commandNames, strings.TrimSpace(name)) {
		return "/" + rest
	}
	return prompt
}

func (h Host) status(p payload) hook.Status {
	switch p.Event {
	case "StopFailure", "errorOccurred":
		return hook.Errored
	case "Interrupt":
		return hook.Aborted
	}
	return hook.Completed
}

// LastWords returns the agent's last words at a stop that Read has returned. Where they are in the transcript it may wait for them.
func (h Host) LastWords(event []byte) (string, error) {
	var w wire
	if err := json.Unmarshal(event, &w); err != nil {
		return "", err
	}
	if h.words != nil {
		return h.words(payload{Transcript: w.Transcript, Session: w.ConversationID})
	}
	if w.Said == nil {
		return "", nil
	}
	if h.Escapes { // the model may copy the marker as it sees it
		return strings.NewReplacer("&lt;promise&gt;", "<promise>", "&lt;/promise&gt;", "</promise>").Replace(*w.Said), nil
	}
	return *w.Said, nil
}

// shown is what a tool returned, as text: a string, or the first text in an object that the hosts are known to use.
func shown(raw json.RawMessage) string {
	var text string
	if len(raw) == 0 || json.Unmarshal(raw, &text) == nil {
		return text
	}
	var object struct {
		Text    string `json:"textResultForLlm"`
		Content string `json:"llmContent"`
		Stdout  string `json:"stdout"`
		Stderr  string `json:"stderr"`
		Message string `json:"message"`
	}
	if json.Unmarshal(raw, &object) != nil {
		return string(raw)
	}
	return object.Text + object.Content + object.Stdout + object.Stderr + object.Message
}
