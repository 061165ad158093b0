package main

import (
	"context"
	"encoding/json"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/hooklog"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/platform"
)

// wordsWait is how long a prompt template may take to be filled in.
const wordsWait = 1500 * time.Millisecond

// worded has the user's prompt template filled in. It is cursor-ralph that does
// it: the hook links no templates, and one that has no end is killed.
func (h *handler) worded(ctx context.Context, w loop.Words) loop.Worded {
	ctx, cancel := context.WithTimeout(ctx, h.leftOf(ctx, wordsWait))
	defer cancel()
	answer, err := askWorded(ctx, w)
	if err != nil {
		answer = loop.Worded{Why: "it could not be filled in: " + err.Error()}
	}
	if answer.Why != "" {
		h.log(hooklog.Line{Action: "template-unusable", Why: answer.Why})
	}
	answer.For = w.Default
	return answer
}

func askWorded(ctx context.Context, w loop.Words) (answer loop.Worded, err error) {
	program, err := cursorRalph()
	if err != nil {
		return answer, err
	}
	data, err := json.Marshal(w)
	if err == nil {
		data, err = platform.Tell(ctx, data, program, "words")
	}
	if err == nil {
		err = json.Unmarshal(data, &answer)
	}
	return answer, err
}
