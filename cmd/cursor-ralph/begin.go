package main

import (
	"fmt"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// howToBegin says how a loop begins that waits for any chat.
func (e *env) howToBegin(l loop.State) string {
	id := l.ShortID()
	return fmt.Sprintf("%s\nSend this line in a Cursor chat to begin.\nTo take it back: cursor-ralph cancel %s%s", loop.ContinueLine(id), id, e.noHook(l.Workspace))
}
