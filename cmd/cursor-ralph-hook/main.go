// Cursor-ralph-hook is what Cursor runs on its agent events. It reads one
// event from standard input, answers with one JSON object and exits 0,
// whatever happens: it never breaks the editor.
//
// Usage, in hooks.json:
//
//	cursor-ralph-hook [--guard]
package main

import "github.com/cursor-ralph/cursor-ralph/internal/onevent"

func main() { onevent.Main(linger) }

// linger is how long a build for tests stays after an answer, instead of the usual time.
var linger string
