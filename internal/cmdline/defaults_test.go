package cmdline_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/internal/cmdline"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

func TestDefaultsOfTheUser(t *testing.T) {
	defaults := []loop.Default{
		{Name: "max-iterations", Value: "30", From: "f:2"}, {Name: "gate-timeout", Value: "5m", From: "f:3"}, {Name: "plan", Value: "true", From: "f:4"}, {Name: "min-iterations", Value: "4", From: "f:5"},
	}
	for _, tt := range []struct {
		name, typed string
		want        func(loop.Request) bool
	}{
		{"set what was not typed", "x", func(r loop.Request) bool { return r.State.MaxIterations == 30 && r.State.Plan }},
		{"what was typed wins", "x --max-iterations 7", func(r loop.Request) bool { return r.State.MaxIterations == 7 && r.State.MinIterations == 4 }},
		{"a switch is typed off", "x --plan=false", func(r loop.Request) bool { return !r.State.Plan }},
		{"a switch is typed on", "x --plan=true", func(r loop.Request) bool { return r.State.Plan }},
		{"a limit above the built-in one fits", "x --min-iterations 25", func(r loop.Request) bool { return r.State.MinIterations == 25 }},
		{"they do not count as typed", "x", func(r loop.Request) bool { return !r.Given("max-iterations") && !r.Given("gate-timeout") }},
		{"a loop that goes on has its rules", "--continue a", func(r loop.Request) bool { return r.State.MaxIterations == 20 && r.State.MinIterations == 1 }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := cmdline.Parse(tt.typed, func() []loop.Default { return defaults })
			if err != nil || !tt.want(r) {
				t.Errorf("got %+v, %v", r.State, err)
			}
		})
	}
}

// What the user's settings turn on is turned off for one loop.
func TestDefaultsAreTurnedOff(t *testing.T) {
	for _, tt := range []struct{ name, value, off string }{
		{"verify", "make", ""}, {"tasks", "TODO.md", ""}, {"review", "codex", ""}, {"on-end", "./x", ""}, {"max-duration", "2h", ""}, {"max-tokens", "2m", ""},
		{"fresh-chat", "4", "0"}, {"struggle-pause", "4", "0"}, {"checkpoints", "true", "false"}, {"plan", "true", "false"},
	} {
		d := loop.Default{Name: tt.name, Value: tt.value, From: "f:1"}
		fill := func() []loop.Default { return []loop.Default{d} }
		set, err := cmdline.Parse("x", fill)
		if want := " (from " + d.From + "; --no-" + d.Name + " starts without it)"; err != nil || set.Origin("max-iterations", d.Name) != want {
			t.Errorf("%s: got %q, %v, want %q", d.Name, set.Origin("max-iterations", d.Name), err, want)
		}
		o, _ := loop.FindOption(loop.Options(), d.Name)
		want := loop.NewRequest()
		want.State.Prompt = "x"
		if err := o.Set(&want, tt.off); err != nil || reflect.DeepEqual(set.State, want.State) {
			t.Errorf("%s: its default has no effect (%v)", d.Name, err)
		}
		for _, typed := range []string{"x --no-" + d.Name, "x —no-" + d.Name, "x --no-" + d.Name + "=true", "x --" + d.Name + `="` + tt.off + `"`} {
			r, err := cmdline.Parse(typed, fill)
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
		_, err := cmdline.Parse(typed, func() []loop.Default { return []loop.Default{{Name: "verify", Value: "", From: "f:1"}} })
		if err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", typed, err, want)
		}
	}
}

func TestDefaultsThatAreWrongNameTheirPlace(t *testing.T) {
	for _, tt := range []struct {
		typed string
		d     loop.Default
		want  string
	}{
		{"x", loop.Default{Name: "max-iterations", Value: "many", From: "f:2"}, `--max-iterations: "many" is not a whole number from 1 to 10000 (from f:2)`},
		{"x --max-iterations 3", loop.Default{Name: "min-iterations", Value: "5", From: "f:9"}, "--min-iterations 5 (from f:9) is more than --max-iterations 3:"},
	} {
		_, err := cmdline.Parse(tt.typed, func() []loop.Default { return []loop.Default{tt.d} })
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
}
