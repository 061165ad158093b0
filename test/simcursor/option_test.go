//go:build unix

package simcursor_test

import (
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/test/simcursor"
)

func TestResponses(t *testing.T) {
	t.Parallel()
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
