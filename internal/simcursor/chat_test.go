//go:build unix

package simcursor_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/internal/simcursor"
)

func always(members entry) hooks {
	e := entry{"command": followup("again")}
	for k, v := range members {
		e[k] = v
	}
	return hooks{"stop": {e}}
}

// counts returns the loop_count of each stop event, with a minus when skipped.
func counts(t *testing.T, ch *simcursor.Chat) []string {
	var all []string
	for _, run := range ch.Runs("stop") {
		count := fmt.Sprint(payload(t, run)["loop_count"])
		if run.Skipped {
			count = "-" + count
		}
		all = append(all, count)
	}
	return all
}

func TestLoopLimit(t *testing.T) {
	for name, tt := range map[string]struct {
		entry  entry
		ignore bool
		want   string
	}{
		"absent is five":      {nil, false, "0 1 2 3 4 -5"},
		"one":                 {entry{"loop_limit": 1}, false, "0 -1"},
		"seven":               {entry{"loop_limit": 7}, false, "0 1 2 3 4 5 6 -7"},
		"null, not honoured":  {entry{"loop_limit": nil}, true, "0 1 2 3 4 -5"},
		"seven, not honoured": {entry{"loop_limit": 7}, true, "0 1 2 3 4 -5"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t).project(always(tt.entry))
			w.Options.IgnoreLoopLimit = tt.ignore
			equal(t, "loop counts", counts(t, w.chat(nil)), strings.Fields(tt.want))
		})
	}
}

func TestLoopLimitIsPerEntryAndTheCountIsShared(t *testing.T) {
	w := newWorld(t).project(always(entry{"loop_limit": 2})).user(hooks{"stop": {{"command": says("{}"), "loop_limit": 1}}})
	equal(t, "loop counts", counts(t, w.chat(nil)), strings.Fields("0 0 1 -1 -2 -2"))
}

func TestBlockedPrompt(t *testing.T) {
	for name, tt := range map[string]struct {
		command string
		reached int
		shown   string
	}{
		"continue false":           {says(`{"continue":false,"user_message":"why"}`), 0, "why"},
		"continue true":            {says(`{"continue":true,"user_message":"why"}`), 1, ""},
		"permission means nothing": {says(`{"permission":"deny"}`), 1, ""},
		"not JSON":                 {says(`continue`), 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			h := every()
			h["beforeSubmitPrompt"] = []entry{{"command": tt.command}}
			ch := newWorld(t).project(h).chat(nil)
			if len(ch.Messages()) != tt.reached || len(ch.Runs("stop")) != tt.reached || strings.Join(ch.Shown(), "") != tt.shown {
				t.Errorf("got %q, shown %q", ch.Messages(), ch.Shown())
			}
		})
	}
}

func TestFollowupsFireBeforeSubmitPrompt(t *testing.T) {
	for quiet, want := range map[bool][]string{false: {"go", "again"}, true: {"go"}} {
		h := always(entry{"loop_limit": 1})
		h["beforeSubmitPrompt"] = []entry{{"command": says("{}")}}
		w := newWorld(t).project(h)
		w.Options.QuietFollowups = quiet
		var got []string
		generations := map[any]bool{}
		ch := w.chat(nil)
		for _, run := range ch.Runs("beforeSubmitPrompt") {
			got = append(got, payload(t, run)["prompt"].(string))
			generations[payload(t, run)["generation_id"]] = true
		}
		equal(t, "prompts", got, want)
		if len(generations) != len(want) || !generations[payload(t, ch.Runs("stop")[0])["generation_id"]] {
			t.Errorf("got generations %v", generations)
		}
	}
}

func TestMessageTypedDuringATurn(t *testing.T) {
	for followupsFirst, want := range map[bool][2]string{
		false: {"go,by the way,again", "0 0 -1"},
		true:  {"go,again,by the way,again", "0 -1 0 -1"},
	} {
		w := newWorld(t).project(always(entry{"loop_limit": 1}))
		w.Options.FollowupsFirst = followupsFirst
		ch := w.chat(func(turn *simcursor.Turn) {
			if turn.Number == 1 {
				turn.UserTypes("by the way")
			}
		})
		equal(t, "messages", ch.Messages(), strings.Split(want[0], ","))
		equal(t, "loop counts", counts(t, ch), strings.Fields(want[1]))
	}
}
