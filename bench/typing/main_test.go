package main

import (
	"strings"
	"testing"
	"time"
)

// What another way typed is not measured as if it were xtest.
func TestMissingStepIsAnError(t *testing.T) {
	const log = `2026-11-20T18:00:00.100Z event=inject action=step why="xtest: typing"
2026-11-20T18:00:00.150Z event=inject action=step why=pasted
2026-11-20T18:00:00.160Z event=inject action=step why="pressed Return"
2026-11-20T18:00:00.200Z event=inject action=injected
`
	m, err := read(log)
	if err != nil || m[1].Sub(m[0]) != 50*time.Millisecond || m[2].Sub(m[1]) != 10*time.Millisecond {
		t.Errorf("got %v, %v", m, err)
	}
	for _, step := range []string{"xtest: typing", "pasted", "pressed Return"} {
		if m, err := read(strings.ReplaceAll(log, step, "xdotool: typing")); err == nil || !strings.Contains(err.Error(), step) {
			t.Errorf("without %s: got %v, %v", step, m, err)
		}
	}
}
