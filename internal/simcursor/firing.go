package simcursor

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Firing is one event with all its entries.
type Firing struct {
	Event   string
	Turn    int             // turns so far
	Payload json.RawMessage // the input of hooks
	Runs    []Run           // in the order in which answers are merged
	Passed  []Passed        // not run

	ignoreContext bool
}

// Passed is an entry that does not run at an event.
type Passed struct {
	Place   string
	Index   int
	Command string
	Why     string
}

func (ch *Chat) tell(f Firing) {
	fired := ch.cursor.cfg.Fired
	if fired == nil || len(f.Runs)+len(f.Passed) == 0 {
		return
	}
	ch.cursor.tell.Lock()
	defer ch.cursor.tell.Unlock()
	ch.mu.Lock()
	f.Turn = ch.turns
	ch.mu.Unlock()
	fired(f)
}

type kind string

const (
	aString  kind = "a string"
	aTruth   kind = "true or false"
	anObject kind = "an object"
	anArray  kind = "an array"
	whatever kind = ""
)

func usedFields(event string) map[string]kind {
	switch event {
	case "stop", "subagentStop":
		return map[string]kind{"followup_message": aString}
	case "beforeSubmitPrompt":
		return map[string]kind{"continue": aTruth, "user_message": aString, "additional_context": aString}
	case "preToolUse":
		return map[string]kind{"permission": aString, "user_message": aString, "agent_message": aString, "updated_input": whatever}
	case "beforeShellExecution", "beforeMCPExecution", "beforeReadFile", "beforeTabFileRead", "subagentStart":
		return map[string]kind{"permission": aString, "user_message": aString, "agent_message": aString}
	case "postToolUse":
		return map[string]kind{"additional_context": aString, "updated_mcp_tool_output": whatever}
	case "postToolUseFailure":
		return map[string]kind{"additional_context": aString}
	case "sessionStart":
		return map[string]kind{"env": anObject, "additional_context": aString}
	case "preCompact":
		return map[string]kind{"user_message": aString}
	case "workspaceOpen":
		return map[string]kind{"pluginPaths": anArray}
	}
	return nil
}

func asks(event string) bool {
	fields := usedFields(event)
	return fields["permission"] != "" || fields["continue"] != ""
}

// Unused lists what Cursor ignores in a hook's answer.
func (r Run) Unused() []string {
	fields := usedFields(r.Event)
	var all []string
	for _, name := range slices.Sorted(maps.Keys(r.Answer)) {
		want, ok := fields[name]
		switch value := r.Answer[name]; {
		case !ok:
			all = append(all, fmt.Sprintf("%s is not used at %s", name, r.Event))
		case !want.is(value):
			all = append(all, fmt.Sprintf("%s is not %s", name, want))
		case name == "permission" && !slices.Contains([]any{"allow", "deny", "ask"}, value):
			all = append(all, "permission is not allow, deny or ask")
		}
	}
	return all
}

func (k kind) is(value any) bool {
	ok := true
	switch k {
	case aString:
		_, ok = value.(string)
	case aTruth:
		_, ok = value.(bool)
	case anObject:
		_, ok = value.(map[string]any)
	case anArray:
		_, ok = value.([]any)
	}
	return ok || value == nil
}

// Failed reports whether a hook failed: it did not start, timed out, exited with a
// code other than 0, or wrote an invalid answer. Exit code 2 is a denial if the event
// can be denied.
func (r Run) Failed() bool {
	return !r.givenUp && r.failed() && !(r.Exit == 2 && !r.TimedOut && asks(r.Event))
}

// Effects describes what Cursor does after the hooks of an event.
func (f Firing) Effects() []string {
	switch f.Event {
	case "stop", "subagentStop":
		return f.afterStop()
	case "beforeSubmitPrompt":
		return f.afterPrompt()
	case "sessionStart":
		return append(f.context(), f.environment()...)
	case "postToolUse", "postToolUseFailure":
		return f.context()
	}
	if asks(f.Event) {
		return f.afterQuestion()
	}
	return nil
}

func (f Firing) afterStop() []string {
	var status struct{ Status string }
	_ = json.Unmarshal(f.Payload, &status) // we encoded it
	followup := lastString(f.Runs, "followup_message")
	given := 0
	for _, r := range f.Runs {
		if _, ok := r.Answer["followup_message"].(string); ok {
			given++
		}
	}
	switch {
	case given == 0:
		return []string{"no follow-up: the agent stops"}
	case status.Status != "completed":
		return []string{"the turn's status is " + status.Status + ", so the follow-up is ignored"}
	case followup == "":
		return []string{`the last answer's follow-up is "", so there is none: the agent stops`}
	case given > 1:
		return []string{fmt.Sprintf("%d follow-ups; the last one is submitted: %q", given, followup)}
	}
	return []string{fmt.Sprintf("the follow-up is submitted: %q", followup)}
}

func (f Firing) afterPrompt() []string {
	if blocked(f.Runs, "continue", false) {
		return append([]string{"the message is not sent"}, f.words("user_message", "the user sees")...)
	}
	return append([]string{"the message is sent"}, f.context()...)
}

func (f Firing) afterQuestion() []string {
	if blocked(f.Runs, "permission", "deny") {
		all := append([]string{"denied"}, f.words("user_message", "the user sees")...)
		return append(all, f.words("agent_message", "the agent reads")...)
	}
	if lastString(f.Runs, "permission") != "ask" {
		return []string{"allowed"}
	}
	switch f.Event {
	case "beforeShellExecution", "beforeMCPExecution":
		return []string{"the user is asked (here: allowed)"}
	}
	return []string{"allowed: ask is not enforced here"}
}

func (f Firing) words(field, who string) []string {
	if text := lastString(f.Runs, field); text != "" {
		return []string{fmt.Sprintf("%s: %q", who, text)}
	}
	return nil
}

func (f Firing) context() []string {
	if f.ignoreContext {
		return nil
	}
	var all []string
	for _, r := range f.Runs {
		if text, ok := r.Answer["additional_context"].(string); ok && text != "" {
			all = append(all, fmt.Sprintf("the model also gets: %q", text))
		}
	}
	return all
}

func (f Firing) environment() []string {
	var all []string
	for _, r := range f.Runs {
		env, _ := r.Answer["env"].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(env)) {
			if value, ok := env[name].(string); ok {
				all = append(all, fmt.Sprintf("later hooks of the chat have %s=%s", name, value))
			}
		}
	}
	return all
}
