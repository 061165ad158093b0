package simcursor

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"time"
)

const (
	defaultTimeout = 60 * time.Second
	defaultLimit   = 5 // follow-ups of an entry without loop_limit
	noLimit        = 0 // loop_limit is null
)

// AllEvents returns the event names of a current Cursor.
func AllEvents() []string {
	return append(OldEvents(),
		"sessionStart", "sessionEnd", "preCompact", "subagentStart", "subagentStop",
		"preToolUse", "postToolUse", "postToolUseFailure", "workspaceOpen")
}

// OldEvents returns those of Cursor 2.0, which drops a hooks.json with any other name.
func OldEvents() []string {
	return []string{"beforeShellExecution", "afterShellExecution", "beforeMCPExecution",
		"afterMCPExecution", "beforeReadFile", "afterFileEdit", "beforeTabFileRead",
		"afterTabFileEdit", "stop", "beforeSubmitPrompt", "afterAgentResponse", "afterAgentThought"}
}

type entry struct {
	place      place
	index      int // in the file's list of the event
	prompt     bool
	command    string
	timeout    time.Duration
	matcher    *regexp.Regexp // nil matches all
	limit      int
	failClosed bool
}

// parseHooks reads a hooks.json. An error means that Cursor drops the whole file.
func parseHooks(data []byte, known []string) (map[string][]entry, error) {
	clean, err := stripComments(data)
	if err != nil {
		return nil, err
	}
	file, err := object(clean)
	if err != nil {
		return nil, err
	}
	if file["version"] == nil {
		return nil, errors.New("version is missing")
	}
	if n, err := integer(file["version"]); err != nil || n < 1 {
		return nil, errors.New("version is not an integer of at least 1")
	}
	if file["hooks"] == nil {
		return nil, errors.New("hooks is missing")
	}
	return parseEvents(file["hooks"], known)
}

func parseEvents(data []byte, known []string) (map[string][]entry, error) {
	events, err := object(data)
	if err != nil {
		return nil, errors.New("hooks is not an object")
	}
	hooks := map[string][]entry{}
	var wrong []error
	for _, event := range slices.Sorted(maps.Keys(events)) {
		entries, err := parseList(event, events[event], known)
		hooks[event] = entries
		wrong = append(wrong, err)
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, err
	}
	return hooks, nil
}

func parseList(event string, data []byte, known []string) ([]entry, error) {
	if !slices.Contains(known, event) {
		return nil, fmt.Errorf("unknown event %q", event)
	}
	var list []json.RawMessage
	if err := json.Unmarshal(data, &list); err != nil || list == nil {
		return nil, fmt.Errorf("%s is not an array", event)
	}
	var entries []entry
	var wrong []error
	for i, item := range list {
		e, err := parseEntry(item)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("%s[%d]: %w", event, i, err))
		}
		entries = append(entries, e)
	}
	return entries, errors.Join(wrong...)
}

func parseEntry(data []byte) (e entry, err error) {
	raw, err := object(data)
	if err != nil {
		return e, err
	}
	e = entry{timeout: defaultTimeout, limit: defaultLimit}
	name := "command"
	if err := errors.Join(decode(raw["type"], &name, "type is not a string"),
		decode(raw["failClosed"], &e.failClosed, "failClosed is not true or false"),
		e.setTimeout(raw["timeout"]), e.setMatcher(raw["matcher"]), e.setLimit(raw["loop_limit"])); err != nil {
		return e, err
	}
	switch name {
	case "prompt":
		e.prompt = true
		if string(raw["prompt"]) == `""` || string(raw["model"]) == `""` {
			err = errors.New("prompt or model is empty")
		}
		return e, err
	case "command":
		if raw["command"] == nil {
			return e, errors.New("command is missing")
		}
		return e, decode(raw["command"], &e.command, "command is not a string") // may be empty (reported)
	}
	return e, fmt.Errorf("unknown type %q", name)
}

func (e *entry) setTimeout(raw json.RawMessage) error {
	if raw == nil {
		return nil
	}
	var seconds float64
	if err := json.Unmarshal(raw, &seconds); err != nil || string(raw) == "null" || seconds <= 0 {
		return errors.New("timeout is not a positive number")
	}
	e.timeout = time.Duration(min(seconds, 1e9) * float64(time.Second))
	return nil
}

func (e *entry) setMatcher(raw json.RawMessage) error {
	var text string
	if err := decode(raw, &text, "matcher is not a string"); err != nil || text == "" {
		return err
	}
	re, err := regexp.Compile(text)
	e.matcher = re
	return err
}

func (e *entry) setLimit(raw json.RawMessage) error {
	switch string(raw) {
	case "":
		return nil
	case "null":
		e.limit = noLimit
		return nil
	}
	n, err := integer(raw)
	if err != nil || n < 1 {
		return errors.New("loop_limit is not a positive integer or null")
	}
	e.limit = n
	return nil
}

// integer reads a number like JavaScript: 1.0 and 1e0 are 1.
func integer(raw json.RawMessage) (int, error) {
	var f float64
	if err := json.Unmarshal(raw, &f); err != nil || string(raw) == "null" {
		return 0, errors.New("not a number")
	}
	if f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, errors.New("not an integer")
	}
	return int(f), nil
}

// object returns the members of an object by their exact names: encoding/json's
// structs ignore case.
func object(data []byte) (members map[string]json.RawMessage, err error) {
	if err := json.Unmarshal(data, &members); err != nil || members == nil {
		return nil, errors.New("not a JSON object")
	}
	return members, nil
}

// decode does nothing if raw is absent. null is a wrong type.
func decode(raw json.RawMessage, out any, wrong string) error {
	if raw == nil {
		return nil
	}
	if err := json.Unmarshal(raw, out); err != nil || string(raw) == "null" {
		return errors.New(wrong)
	}
	return nil
}
