package loop

import (
	"strings"
	"testing"
)

func TestDefaultsOfTheUser(t *testing.T) {
	defaults := []Default{
		{"max-iterations", "30", "f:2"}, {"verify-timeout", "5m", "f:3"}, {"ultrawork", "true", "f:4"}, {"min-iterations", "4", "f:5"},
	}
	for _, tt := range []struct {
		name, typed string
		want        func(Request) bool
	}{
		{"set what was not typed", "x", func(r Request) bool { return r.State.MaxIterations == 30 && r.State.Ultrawork }},
		{"what was typed wins", "x --max-iterations 7", func(r Request) bool { return r.State.MaxIterations == 7 && r.State.MinIterations == 4 }},
		{"a switch is typed off", "x --ultrawork=false", func(r Request) bool { return !r.State.Ultrawork }},
		{"a switch is typed on", "x --plan=true", func(r Request) bool { return r.State.Plan }},
		{"a limit above the built-in one fits", "x --min-iterations 25", func(r Request) bool { return r.State.MinIterations == 25 }},
		{"they do not count as typed", "x", func(r Request) bool { return !r.Given("max-iterations") && !r.Given("verify-timeout") }},
		{"a loop that goes on has its rules", "--continue a", func(r Request) bool { return r.State.MaxIterations == 20 && r.State.MinIterations == 1 }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := ParseCommand(tt.typed, func() []Default { return defaults })
			if err != nil || !tt.want(r) {
				t.Errorf("got %+v, %v", r.State, err)
			}
		})
	}
}

func TestDefaultsThatAreWrongNameTheirPlace(t *testing.T) {
	for _, tt := range []struct {
		typed string
		d     Default
		want  string
	}{
		{"x", Default{"max-iterations", "many", "f:2"}, `--max-iterations: "many" is not a whole number from 1 to 10000 (f:2)`},
		{"x --max-iterations 3", Default{"min-iterations", "5", "f:9"}, "--min-iterations 5 (f:9) is more than --max-iterations 3:"},
	} {
		_, err := ParseCommand(tt.typed, func() []Default { return []Default{tt.d} })
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
}
