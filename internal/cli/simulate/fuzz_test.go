package simulate

import (
	"strings"
	"testing"
)

// FuzzSession asserts that a script for the simulated Cursor is played as it is
// read: each round has a message, each turn ends where it says, and each step is
// one that is known.
func FuzzSession(f *testing.F) {
	f.Add(builtInSession)
	for _, script := range []string{
		"- user: hi\n- say: a\n- stop\n- shell: ls\n- abort\n", `{"user":"hi"}` + "\n" + `"stop"` + "\n" + `{"event":"sessionEnd"}`, "- event: sessionStart\n", "- edit: {path: a, content: b}", "- user: a\n- tool: {name: x, input: [1]}",
		"[]", "a: &a [*a]", "- user: a\n- user: b\n- fail\n", "- {user: a, say: b}", "- 7", "- user: ''", "\"stop", "- user: a\n- stop\n- event: {name: stop, fields: {x: 1}}",
	} {
		f.Add([]byte(script))
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) > 4096 {
			return
		}
		rounds, err := parseSession(script)
		if err != nil {
			if rounds != nil {
				t.Errorf("got %d rounds and %v", len(rounds), err)
			}
			return
		}
		steps := 0
		for i, r := range rounds {
			if (i == 0) != (r.message == "") || (i == 0) != (len(r.turns) == 0) {
				t.Errorf("round %d: got %+v", i, r)
			}
			steps += len(r.after) + min(i, 1)
			for n, turn := range r.turns {
				steps += len(turn)
				checkTurn(t, turn, n == len(r.turns)-1)
			}
			for _, s := range r.after {
				checkStep(t, s, []string{"event"})
			}
		}
		if items, _ := sessionItems(script); steps != len(items) {
			t.Errorf("got %d steps, want %d", steps, len(items))
		}
	})
}

// checkTurn: only the last step ends a turn, and only the last turn may have none.
func checkTurn(t *testing.T, turn []step, last bool) {
	t.Helper()
	for i, s := range turn {
		known := append(textVerbs()[1:], "edit", "tool", "event")
		if i == len(turn)-1 {
			known = append(known, endVerbs()...)
		}
		checkStep(t, s, known)
	}
	if !last && (len(turn) == 0 || !strings.Contains("stop abort fail", turn[len(turn)-1].verb)) {
		t.Errorf("got a turn without an end: %+v", turn)
	}
}

func checkStep(t *testing.T, s step, known []string) {
	t.Helper()
	for _, verb := range known {
		if s.verb == verb {
			return
		}
	}
	t.Errorf("got the step %+v, want one of %q", s, known)
}
