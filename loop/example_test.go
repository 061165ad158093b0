package loop_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// A loop from its beginning to its end: the agent stops without a promise, then
// with one.
func ExampleDecide() {
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	s := loop.New()
	s.Prompt, s.Status = "Write the chapter.", loop.Running
	for turn, said := range []string{"I have an outline.", "It is written. <promise>COMPLETE</promise>"} {
		var action loop.Action
		s, action = loop.Decide(s, loop.Event{
			Kind:       loop.EventStop,
			Generation: fmt.Sprint(turn),
			Turn:       loop.Turn{Texts: []string{said}, Tools: map[string]int{"Write": 1}, ToolCalls: 1},
			Stop:       loop.Stop{Status: loop.Completed, LoopCount: turn},
		}, now)
		first, _, _ := strings.Cut(action.Text, "\n")
		fmt.Println(s.Status, action.Promise, first)
	}
	// Output:
	// running none [Ralph loop 2/20] You stopped, but you gave no completion promise, so the task counts as unfinished.
	// PROMISE_ACCEPTED accepted
}

// What a user types after /ralph-loop is read as a shell would read it, and no
// word of the task is lost.
func ExampleParseCommand() {
	r, err := loop.ParseCommand(`"Fix it's $HOME bug" --max-iterations 5 --verify "go test ./..."`, nil)
	fmt.Println(err)
	fmt.Println(r.State.Prompt, "|", r.State.MaxIterations, "|", r.State.Verify)
	_, err = loop.ParseCommand(`"Fix it" --no-such-option`, nil)
	fmt.Println(err)
	// Output:
	// <nil>
	// Fix it's $HOME bug | 5 | go test ./...
	// unknown option --no-such-option; a task that has such a word in it belongs in quotes
}

// A state file with the seven public fields alone is a loop. Fields of others
// survive a rewrite.
func ExampleParse() {
	s, err := loop.Parse([]byte(`{"prompt": "Write the chapter.", "max_iterations": 3, "completion_promise": "DONE",
		"iterations": 1, "session_iterations": 1, "stop": false, "last_output": "", "mine": 42}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Prompt, s.Iterations, "of", s.MaxIterations)
	data, err := s.Encode()
	fmt.Println(strings.Contains(string(data), `"mine": 42`), err)
	// Output:
	// Write the chapter. 1 of 3
	// true <nil>
}

// An id becomes part of file names and of a typed line, so it is checked first.
func ExampleCheckID() {
	fmt.Println(loop.CheckID("313384fb-66f4-46a1-96de-9d141229dc00"))
	fmt.Println(loop.CheckID("../../etc/passwd") != nil)
	fmt.Println(loop.ContinueLine("313384fb"))
	// Output:
	// <nil>
	// true
	// /ralph-loop --continue 313384fb
}
