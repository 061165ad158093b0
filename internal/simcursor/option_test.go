//go:build unix

package simcursor_test

import (
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/simcursor"
)

func TestSlashCommand(t *testing.T) {
	for name, tt := range map[string]struct{ typed, want string }{
		"with text":        {"/do it \"now\"\n$x", "project's\n\nit \"now\"\n$x"},
		"alone":            {"/do", "project's"},
		"of the user":      {"/mine too", "user's\n\ntoo"},
		"unknown":          {"/what now", "/what now"},
		"longer name":      {"/dont", "/dont"},
		"a path":           {"/../x", "/../x"},
		"not at the start": {"please /do it", "please /do it"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, expand := range []bool{false, true} {
				w := newWorld(t).project(every())
				w.file(w.Workspace, ".cursor/commands/do.md", "project's\n")
				w.file(w.Home, ".cursor/commands/do.md", "not this\n")
				w.file(w.Home, ".cursor/commands/mine.md", "user's\n")
				w.Options.ExpandCommands = expand
				ch := w.open().Chat(func(*simcursor.Turn) {})
				w.send(ch, tt.typed)
				equal(t, "model", ch.Messages(), []string{tt.want})
				want := map[bool]string{false: tt.typed, true: tt.want}[expand]
				if got := payload(t, ch.Runs("beforeSubmitPrompt")[0])["prompt"]; got != want {
					t.Errorf("got prompt %q, want %q", got, want)
				}
			}
		})
	}
}

func TestFollowupIsNoSlashCommand(t *testing.T) {
	w := newWorld(t).project(hooks{"stop": {{"command": followup("/do"), "loop_limit": 1}}})
	w.file(w.Workspace, ".cursor/commands/do.md", "text")
	equal(t, "messages", w.chat(nil).Messages(), []string{"go", "/do"})
}

func TestResponses(t *testing.T) {
	for name, tt := range map[string]struct {
		options simcursor.Options
		want    string // texts and stop, in the order of their payloads reaching the hooks
	}{
		"per message":              {simcursor.Options{}, "a|b|stop"},
		"per turn":                 {simcursor.Options{Responses: simcursor.PerTurn}, "a\n\nb|stop"},
		"last only":                {simcursor.Options{Responses: simcursor.LastOnly}, "b|stop"},
		"last one after stop":      {simcursor.Options{LateResponse: simcursor.AfterStop}, "a|stop|b"},
		"per turn, after stop":     {simcursor.Options{Responses: simcursor.PerTurn, LateResponse: simcursor.AfterStop}, "stop|a\n\nb"},
		"last one long after stop": {simcursor.Options{LateResponse: simcursor.WithStop, LateBy: 300 * time.Millisecond}, "a|stop|b"},
	} {
		t.Run(name, func(t *testing.T) {
			h := every()
			h["stop"][0] = entry{"command": followup("again"), "loop_limit": 1}
			w := newWorld(t).project(h)
			w.Options = tt.options
			ch := w.chat(func(turn *simcursor.Turn) {
				if !turn.Followup {
					turn.Say("a")
					turn.Shell("true")
					turn.Say("b")
				}
			})
			var got []string
			for _, run := range ch.Runs("") {
				switch run.Event {
				case "afterAgentResponse":
					got = append(got, payload(t, run)["text"].(string))
				case "stop":
					got = append(got, "stop")
				}
			}
			if got := strings.Join(got, "|"); got != tt.want+"|stop" {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestLateResponseOverlapsStop(t *testing.T) {
	w := newWorld(t)
	fifo := w.fifo("meet")
	w.project(hooks{
		"stop":               {{"command": "read x <" + fifo + "; " + says("{}"), "timeout": 10}},
		"afterAgentResponse": {{"command": "echo x >" + fifo + "; " + says("{}"), "timeout": 10}},
	})
	w.Options.LateResponse = simcursor.WithStop
	for _, run := range w.chat(func(turn *simcursor.Turn) { turn.Say("x") }).Runs("") {
		if run.TimedOut {
			t.Errorf("%s did not meet the other", run.Event)
		}
	}
}

func TestSessionStartSetsEnvironmentOfLaterHooks(t *testing.T) {
	show := `cat >/dev/null; echo "{\"saw\":\"$GIVEN\"}"`
	w := newWorld(t).project(hooks{
		"sessionStart": {{"command": says(`{"env":{"GIVEN":"yes"}}`)}, {"command": show}},
		"stop":         {{"command": show}},
	})
	ch := w.chat(nil)
	w.send(ch, "once more")
	if runs := ch.Runs("sessionStart"); len(runs) != 2 || runs[1].Answer["saw"] != "" {
		t.Errorf("got %+v", runs)
	}
	if got := ch.Runs("stop")[0].Answer["saw"]; got != "yes" {
		t.Errorf("got %v", got)
	}
}
