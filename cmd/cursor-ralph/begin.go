package main

import (
	"fmt"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// howToBegin says how a loop begins that waits for any chat.
func (e *env) howToBegin(l loop.State) string {
	id, how := l.ShortID(), "Send this line in a Cursor chat to begin."
	if !l.ByLine {
		how = fmt.Sprintf("The next chat in %s whose agent stops takes the loop; this line begins it in any chat.", l.Workspace)
	}
	return fmt.Sprintf("%s\n%s\nTo take it back: cursor-ralph cancel %s%s", loop.ContinueLine(id), how, id, e.noHook(l.Workspace))
}
