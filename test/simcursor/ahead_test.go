//go:build unix

package simcursor_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/test/simcursor"
)

// generations returns the generation_id of each run of an event.
func generations(t *testing.T, ch *simcursor.Chat, event string) (all []any) {
	for _, run := range ch.Runs(event) {
		all = append(all, payload(t, run)["generation_id"])
	}
	return all
}

func TestPromptAheadOfTheOldTurnsStop(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		ahead  simcursor.Ahead
		events string
		status string
	}{
		"not":       {simcursor.NotAhead, "beforeSubmitPrompt model assistant end stop beforeSubmitPrompt model end stop", "completed"},
		"aborted":   {simcursor.AheadAborted, "beforeSubmitPrompt model beforeSubmitPrompt end stop model end stop", "aborted"},
		"completed": {simcursor.AheadCompleted, "beforeSubmitPrompt model assistant beforeSubmitPrompt end stop model end stop", "completed"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t).project(hooks{
				"stop":               {{"command": followup("more"), "loop_limit": 1}},
				"beforeSubmitPrompt": {{"command": says(`{"additional_context":"c"}`)}},
			})
			w.Options.Ahead = tt.ahead
			ch := w.open().Chat(func(turn *simcursor.Turn) {
				if turn.Number > 1 && turn.Number < 3 && len(turn.Added()) != 1 {
					t.Errorf("got context %q", turn.Added())
				}
				if turn.Number == 1 {
					turn.UserTypes("new")
					turn.Say("old")
				}
			})
			w.send(ch, "go")
			if got := strings.Join(events(ch), " "); !strings.HasPrefix(got, tt.events) {
				t.Errorf("got %s, want it to begin with %s", got, tt.events)
			}
			equal(t, "messages", ch.Messages(), []string{"go", "new", "more"})
			prompts, stops := generations(t, ch, "beforeSubmitPrompt"), generations(t, ch, "stop")
			if !reflect.DeepEqual(prompts, stops) || prompts[0] == prompts[1] {
				t.Errorf("got generations %v at prompts, %v at stops", prompts, stops)
			}
			if got := payload(t, ch.Runs("stop")[0])["status"]; got != tt.status {
				t.Errorf("got status %v, want %s", got, tt.status)
			}
		})
	}
}
