// Package hook reads Cursor's hook events and writes the answers. Cursor starts a
// hook as a process for each event, writes one JSON object to its standard input
// and reads one JSON object from its standard output. This package has a struct
// for each event and each answer.
//
// [Serve] is all that most hooks need. [Read], [Input.Decode] and [Write] are its
// parts, for a hook that checks something before it decodes. [Deliver] is for
// answers that must not be lost.
//
// Reading is tolerant because Cursor's versions differ: a field that is unknown,
// null or of the wrong type is skipped, and all others count. Durations are
// milliseconds, paths absolute.
//
// It is not a framework: it installs nothing, reads no environment, prints
// nothing but the answer, never exits, and knows nothing about loops.
//
// Cursor documents its hooks at https://cursor.com/docs/hooks. Comments name the
// source where it matters: documented (by Cursor), seen (in captured events),
// reported (by others), or unknown.
package hook

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// MaxInput is the size of the largest event that Read accepts, in bytes. Events
// contain whole files (beforeReadFile) and terminal outputs.
const MaxInput = 64 << 20

// ErrTooLarge is wrapped by the error of Read for an event larger than MaxInput.
var ErrTooLarge = errors.New("larger than 64 MiB")

// Common is what all events have. A workspaceOpen event has only EventName,
// CursorVersion, WorkspaceRoots and UserEmail (documented).
type Common struct {
	// ConversationID is stable for the life of a chat: a UUID in the editor,
	// agent-<uuid> in some runs of the CLI (both seen). A subagent's own events
	// have a new one, and nothing that names its parent (seen in 3.18).
	ConversationID string `json:"conversation_id"`
	// GenerationID changes with every user message (documented). It equals the
	// conversation id in subagentStart and subagentStop, and may be empty (seen).
	GenerationID string `json:"generation_id"`
	Model        string `json:"model"`
	EventName    string `json:"hook_event_name"` // one of Events, or newer than this package
	// CursorVersion is like 3.18.25 in the editor and 2026.09.18-9a7762b in the
	// CLI (seen).
	CursorVersion string `json:"cursor_version"`
	// WorkspaceRoots are the folders of the workspace, usually one. On Windows
	// they come as /c:/Users/name/project (seen in 3.9).
	WorkspaceRoots []string `json:"workspace_roots"`
	UserEmail      string   `json:"user_email"` // empty when nobody is logged in
	// TranscriptPath is empty when there is no transcript (yet): at sessionStart,
	// in a subagent (both seen), or when transcripts are off (documented).
	TranscriptPath string `json:"transcript_path"`
	SessionID      string `json:"session_id"` // the same as ConversationID (documented), not always sent
}

// tidy removes the empty roots that values of the wrong type leave behind: an
// empty root would match every path.
func (c *Common) tidy() {
	kept := c.WorkspaceRoots[:0]
	for _, root := range c.WorkspaceRoots {
		if root != "" {
			kept = append(kept, root)
		}
	}
	c.WorkspaceRoots = kept
}

// Input is one event: the common fields decoded, the rest raw until Decode.
type Input struct {
	Common
	raw []byte
}

// Read reads one event from r. It always reads r to its end, or Cursor would get
// EPIPE. It accepts a byte-order mark (Windows) and white space around the object;
// anything else that is not one JSON object is an error. The error wraps that of r,
// or ErrTooLarge: then the Input is the beginning that was read, cut off before one of
// its fields.
func Read(r io.Reader) (Input, error) {
	var in Input
	raw, err := readAll(r)
	if err != nil {
		return begin(raw), fmt.Errorf("read hook input: %w", err)
	}
	in.raw, err = object(raw)
	if err == nil {
		err = decode(in.raw, &in.Common)
	}
	if err != nil {
		return Input{}, fmt.Errorf("read hook input: %w", err)
	}
	return in, nil
}

// readAll returns all of r, or its beginning with the error of r or ErrTooLarge, and
// drains it.
func readAll(r io.Reader) ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(r, MaxInput+1))
	if err != nil || len(raw) <= MaxInput {
		return raw, err
	}
	_, err = io.Copy(io.Discard, r)
	return raw, errors.Join(ErrTooLarge, err)
}

// begin returns what stands in the beginning of an event, before the last comma at
// which it can be cut off.
func begin(raw []byte) (in Input) {
	const most = 8 << 10
	head := bytes.TrimLeft(raw[:min(most, len(raw))], "\ufeff")
	for i := len(head); i > 0; i = bytes.LastIndexByte(head[:i], ',') {
		cut := append(bytes.Clone(head[:i]), '}')
		if decode(cut, &in.Common) == nil {
			in.raw = cut
			return in
		}
	}
	return Input{}
}

// object trims raw to the object. It checks the first byte because encoding/json
// decodes null into a struct without an error.
func object(raw []byte) ([]byte, error) {
	raw = bytes.TrimLeft(raw, "\ufeff")
	raw = bytes.Trim(raw, " \t\r\n")
	switch {
	case len(raw) == 0:
		return nil, errors.New("empty")
	case raw[0] != '{':
		return nil, errors.New("not a JSON object")
	}
	return raw, nil
}

// Raw returns the event as Cursor wrote it, or the beginning that Read says. It is not
// to be changed.
func (in Input) Raw() []byte { return in.raw }

// Contains reports whether the raw event contains s, so that a hook can skip events
// without decoding them. It compares bytes: look for letters, digits and hyphens,
// since JSON may escape anything else.
func (in Input) Contains(s string) bool {
	return bytes.Contains(in.raw, []byte(s))
}
