//go:build unix

package simcursor_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/internal/simcursor"
)

// A sample has the same fields as a payload in a turn.
func TestSamplesAreWhatTurnsSend(t *testing.T) {
	w := newWorld(t)
	w.Email, w.Options.Transcript, w.Options.ComposerMode = "ada@example.com", true, "agent"
	all := hooks{}
	for _, event := range simcursor.AllEvents() {
		all[event] = []entry{{"command": "cat >/dev/null"}}
	}
	sent := map[string][]string{}
	w.project(all).Fired = func(f simcursor.Firing) { sent[f.Event] = keys(t, f.Payload) }
	w.chat(func(turn *simcursor.Turn) {
		turn.Say("I begin.")
		turn.Shell("true")
		w.must(turn.Edit("a", "b"))
		_, err := turn.Read("a")
		w.must(err)
		_ = turn.FailTool("WebFetch", map[string]any{}, "no network")
	})
	for _, sample := range simcursor.Samples() {
		if want, ok := sent[sample.Event]; ok {
			equal(t, sample.Event, keys(t, sample.Payload), want)
		}
	}
	if len(sent) != 11 {
		t.Errorf("got %d events, want the 11 of a turn: %v", len(sent), slices.Sorted(maps.Keys(sent)))
	}
}

func TestEveryEventHasOneSample(t *testing.T) {
	var got []string
	for _, sample := range simcursor.Samples() {
		got = append(got, sample.Event)
		var name struct {
			Event string `json:"hook_event_name"`
		}
		if err := json.Unmarshal(sample.Payload, &name); err != nil || name.Event != sample.Event {
			t.Errorf("got a sample of %q, %v, want one of %q", name.Event, err, sample.Event)
		}
	}
	equal(t, "samples", got, simcursor.AllEvents())
}

func keys(t *testing.T, payload json.RawMessage) []string {
	t.Helper()
	var object map[string]any
	if err := json.Unmarshal(payload, &object); err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(object))
}

// Effects describes what then happens.
func TestEffectsSayWhatHappens(t *testing.T) {
	for _, tt := range []struct {
		name   string
		event  string
		hooks  []entry
		fields map[string]any
		want   []string
	}{
		{"nobody answers", "stop", []entry{{"command": "cat >/dev/null"}}, nil, []string{"no follow-up: the agent stops"}},
		{"one follow-up", "stop", []entry{{"command": followup("go")}}, nil, []string{`the follow-up is submitted: "go"`}},
		{"the last of two counts", "stop", []entry{{"command": followup("a")}, {"command": followup("b")}}, nil, []string{`2 follow-ups; the last one is submitted: "b"`}},
		{"the last one erases", "stop", []entry{{"command": followup("a")}, {"command": followup("")}}, nil, []string{`the last answer's follow-up is "", so there is none: the agent stops`}},
		{"an aborted turn", "stop", []entry{{"command": followup("a")}}, map[string]any{"status": "aborted"}, []string{"the turn's status is aborted, so the follow-up is ignored"}},
		{"a kept message", "beforeSubmitPrompt", []entry{{"command": says(`{"continue":false,"user_message":"no"}`)}}, nil, []string{"the message is not sent", `the user sees: "no"`}},
		{"a message with context", "beforeSubmitPrompt", []entry{{"command": says(`{"additional_context":"x"}`)}}, nil, []string{"the message is sent", `the model also gets: "x"`}},
		{"a denial", "preToolUse", []entry{{"command": says(`{"permission":"deny","agent_message":"a","user_message":"u"}`)}}, nil, []string{"denied", `the user sees: "u"`, `the agent reads: "a"`}},
		{"exit code 2 denies", "preToolUse", []entry{{"command": "cat >/dev/null; exit 2"}}, nil, []string{"denied"}},
		{"a failure denies with failClosed", "beforeReadFile", []entry{{"command": "cat >/dev/null; exit 1", "failClosed": true}}, nil, []string{"denied"}},
		{"a failure allows without", "beforeReadFile", []entry{{"command": "cat >/dev/null; exit 1"}}, nil, []string{"allowed"}},
		{"ask before a command", "beforeShellExecution", []entry{{"command": says(`{"permission":"ask"}`)}}, nil, []string{"the user is asked (here: allowed)"}},
		{"ask before a tool", "preToolUse", []entry{{"command": says(`{"permission":"ask"}`)}}, nil, []string{"allowed: ask is not enforced here"}},
		{"an environment", "sessionStart", []entry{{"command": says(`{"env":{"A":"b"}}`)}}, nil, []string{"later hooks of the chat have A=b"}},
		{"nothing to decide", "preCompact", []entry{{"command": says(`{}`)}}, nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t).project(hooks{tt.event: tt.hooks})
			var got []string
			w.Fired = func(f simcursor.Firing) { got = f.Effects() }
			chat := w.open().Chat(nil)
			fields := chat.SampleFields(tt.event)
			maps.Copy(fields, tt.fields)
			chat.Fire(t.Context(), tt.event, fields)
			equal(t, "effects", got, tt.want)
		})
	}
}

func TestUnusedAnswersAreNamed(t *testing.T) {
	w := newWorld(t).project(hooks{"preToolUse": []entry{
		{"command": says(`{"permission":"no","followup_message":"x","user_message":1,"agent_message":null}`)}}})
	var got []string
	w.Fired = func(f simcursor.Firing) { got = f.Runs[0].Unused() }
	chat := w.open().Chat(nil)
	chat.Fire(t.Context(), "preToolUse", chat.SampleFields("preToolUse"))
	equal(t, "unused", got, []string{"followup_message is not used at preToolUse", "permission is not allow, deny or ask", "user_message is not a string"})
}

func TestPassedEntriesHaveAReason(t *testing.T) {
	w := newWorld(t).project(hooks{"stop": []entry{
		{"type": "prompt", "prompt": "done?"}, {"command": followup("x"), "matcher": "Start"}, {"command": "cat"}}})
	var got []string
	w.Fired = func(f simcursor.Firing) {
		for _, p := range f.Passed {
			got = append(got, p.Why)
		}
		if len(f.Runs) != 1 || f.Runs[0].Index != 2 {
			t.Errorf("got runs %v, want the third entry's", f.Runs)
		}
	}
	w.chat(nil)
	equal(t, "why", got, []string{`its type is "prompt", which needs a model and is not simulated`, `its matcher "Start" does not match "Stop"`})
}

func TestFilesStandInForTheUsualOnes(t *testing.T) {
	w := newWorld(t).project(hooks{"stop": []entry{{"command": "exit 1"}}}).user(hooks{"stop": []entry{{"command": "exit 1"}}})
	other := t.TempDir()
	w.file(other, "mine.json", hooks{"stop": []entry{{"command": "cat >/dev/null; pwd >&2"}}}.json())
	w.UserFile, w.ProjectFile = other+"/mine.json", other+"/nowhere.json"
	runs := w.chat(nil).Runs("stop")
	if len(runs) != 1 || runs[0].Stderr != other+"\n" {
		t.Errorf("got %v, want one run in %s", runs, other)
	}
	w.UserFile, w.ProjectFile = other+"/nowhere.json", other+"/mine.json"
	runs = w.chat(nil).Runs("stop")
	if len(runs) != 1 || runs[0].Stderr != w.Workspace+"\n" {
		t.Errorf("got %v, want one run in the workspace", runs)
	}
}

func TestADroppedFileHasAllReasons(t *testing.T) {
	w := newWorld(t)
	w.file(w.Workspace, ".cursor/hooks.json", `{"version":1,"hooks":{"stop":[{"command":"a","loop_limit":0},{}],"lunch":[]}}`)
	want := "unknown event \"lunch\"\nstop[0]: loop_limit is not a positive integer or null\nstop[1]: command is missing"
	if got := w.open().Files()[0].Reason; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAnEndlessChatFails(t *testing.T) {
	w := newWorld(t).project(hooks{"stop": []entry{{"command": followup("more"), "loop_limit": nil}}})
	w.MaxTurns = 2
	err := w.open().Chat(func(*simcursor.Turn) {}).Send(context.Background(), "go")
	if !errors.Is(err, simcursor.ErrEndless) {
		t.Errorf("got %v, want %v", err, simcursor.ErrEndless)
	}
}
