//go:build unix

package simcursor_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/test/simcursor"
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
	t.Parallel()
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
