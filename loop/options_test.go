package loop

import (
	"reflect"
	"strings"
	"testing"
)

func TestDefaultsOfTheUser(t *testing.T) {
	defaults := []Default{
		{"max-iterations", "30", "f:2"}, {"gate-timeout", "5m", "f:3"}, {"ultrawork", "true", "f:4"}, {"min-iterations", "4", "f:5"},
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
		{"they do not count as typed", "x", func(r Request) bool { return !r.Given("max-iterations") && !r.Given("gate-timeout") }},
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

// What the user's settings turn on is turned off for one loop.
func TestDefaultsAreTurnedOff(t *testing.T) {
	for _, d := range []Default{
		{"verify", "make", "f:1"}, {"tasks", "TODO.md", "f:2"}, {"review", "codex", "f:3"}, {"on-end", "./x", "f:4"},
		{"max-duration", "2h", "f:6"}, {"max-tokens", "2m", "f:7"}, {"fresh-chat", "4", "f:8"}, {"struggle-pause", "4", "f:9"}, {"stall-after", "1h", "f:10"},
		{"checkpoints", "true", "f:11"}, {"plan", "true", "f:12"}, {"ultrawork", "true", "f:13"},
	} {
		fill := func() []Default { return []Default{d} }
		set, err := ParseCommand("x", fill)
		if want := " (from " + d.From + "; --no-" + d.Name + " starts without it)"; err != nil || set.Origin("max-iterations", d.Name) != want {
			t.Errorf("%s: got %q, %v, want %q", d.Name, set.Origin("max-iterations", d.Name), err, want)
		}
		o, _ := findOption(d.Name)
		off, _ := o.off()
		want := NewRequest()
		want.State.Prompt = "x"
		if err := o.Set(&want, off); err != nil || reflect.DeepEqual(set.State, want.State) {
			t.Errorf("%s: its default has no effect (%v)", d.Name, err)
		}
		for _, typed := range []string{"x --no-" + d.Name, "x —no-" + d.Name, "x --no-" + d.Name + "=true", "x --" + d.Name + `="` + off + `"`} {
			r, err := ParseCommand(typed, fill)
			if err != nil || !reflect.DeepEqual(r.State, want.State) || r.Origin(d.Name) != "" {
				t.Errorf("%s: got %v, %+v", typed, err, r.State)
			}
		}
	}
}

func TestWhatCannotBeTurnedOff(t *testing.T) {
	for typed, want := range map[string]string{
		`x --verify ""`:         "--verify: the value is empty, and your settings have none to turn off",
		"x --no-max-iterations": "unknown option --no-max-iterations; a task that has such a word in it belongs in quotes",
		"x --no-no-verify":      "unknown option --no-no-verify; a task that has such a word in it belongs in quotes",
		"x --no-verify=make":    "--no-verify takes no value, but for true and false",
		"x --no-verify=false":   "--verify: its --no-verify takes no value",
	} {
		_, err := ParseCommand(typed, func() []Default { return []Default{{"verify", "", "f:1"}} })
		if err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", typed, err, want)
		}
	}
}

func TestDefaultsThatAreWrongNameTheirPlace(t *testing.T) {
	for _, tt := range []struct {
		typed string
		d     Default
		want  string
	}{
		{"x", Default{"max-iterations", "many", "f:2"}, `--max-iterations: "many" is not a whole number from 1 to 10000 (from f:2)`},
		{"x --max-iterations 3", Default{"min-iterations", "5", "f:9"}, "--min-iterations 5 (from f:9) is more than --max-iterations 3:"},
	} {
		_, err := ParseCommand(tt.typed, func() []Default { return []Default{tt.d} })
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
}
