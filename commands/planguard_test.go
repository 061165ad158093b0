package commands

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cursor-ralph/cursor-ralph/test/golden"
)

func guarded(o Options) Options {
	yes := true
	o.PlanGuard = &yes
	return o
}

const guardLine = `{ "command": "/opt/cursor-ralph-hook --guard --linger 100ms", "timeout": 10, "failClosed": true }`

func TestThePlanGuardIsAsInTestdata(t *testing.T) {
	o := guarded(Options{OS: "linux", Hook: "/opt/cursor-ralph-hook"})
	golden.Matches(t, "testdata/merged-guard.json", string(mustMerge(t, nil, nil, o)))
}

func TestThePlanGuardIsRepaired(t *testing.T) {
	sound := installedFile(t, guarded(Options{}))
	for _, broken := range []string{
		`{ "command": "/opt/cursor-ralph-hook --guard --linger 100ms", "timeout": 10 }`,
		`{ "command": "/opt/cursor-ralph-hook --guard --linger 100ms", "timeout": 10, "failClosed": false }`,
		`{ "command": "/opt/cursor-ralph-hook --guard --linger 100ms", "matcher": "Shell", "timeout": 10, "failClosed": true }`,
		`{ "command": "/opt/cursor-ralph-hook --linger 100ms", "timeout": 10, "failClosed": true }`,
	} {
		file := strings.Replace(sound, guardLine, broken, 1)
		if found := Inspect([]byte(file), "linux", stat); len(found) != 1 || !strings.Contains(found[0].Problem, "the plan guard") || found[0].Remedy != again {
			t.Errorf("%s: got %+v, want one finding about the plan guard", broken, found)
		}
		o := guarded(Options{OS: "linux", Hook: "/opt/cursor-ralph-hook"})
		if diff := cmp.Diff(sound, string(mustMerge(t, []byte(file), nil, o))); diff != "" {
			t.Errorf("%s: %s", broken, diff)
		}
	}
	if found := Inspect([]byte(sound), "linux", stat); len(found) > 0 {
		t.Errorf("got %+v, want nothing wrong with %s", found, sound)
	}
}

// What the user says of our other entries stays.
func TestFailClosedOfOtherEntriesIsTheUsers(t *testing.T) {
	file := strings.Replace(installedFile(t, Options{}), `"loop_limit": null`, `"loop_limit": null, "failClosed": true`, 1)
	o := guarded(Options{OS: "linux", Hook: "/opt/cursor-ralph-hook"})
	if got := string(mustMerge(t, []byte(file), nil, o)); strings.Count(got, `"failClosed": true`) != 2 {
		t.Errorf("got %s", got)
	}
}
