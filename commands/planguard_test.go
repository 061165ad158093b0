package commands

import (
	"math/rand"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/test/short"
)

func guarded(o Options) Options {
	yes := true
	o.PlanGuard = &yes
	return o
}

func unguarded(o Options) Options {
	o.PlanGuard = new(bool)
	return o
}

const guardLine = `{ "command": "/opt/cursor-ralph-hook --guard --linger 100ms", "timeout": 10, "failClosed": true }`

func TestThePlanGuardTwiceInstalledAndUninstalledIsTheOriginal(t *testing.T) {
	check := func(t *testing.T, before string) {
		checkRoundTrip(t, before, guarded)
		original := []byte(before)
		once := mustMerge(t, original, original, guarded(linux()))
		if twice := mustMerge(t, once, original, guarded(linux())); string(twice) != string(once) {
			t.Errorf("second merge changed\n%s\nto\n%s", once, twice)
		}
		if !Installed(once).PlanGuard || Installed(mustMerge(t, once, original, linux())).PlanGuard {
			t.Errorf("the guard does not come and go in\n%s", once)
		}
	}
	mine := `{"version": 1, "hooks": {"preToolUse": [{"command": "./mine", "failClosed": false, "matcher": "Shell"}]}}`
	t.Run("somebody else's hook of the event", func(t *testing.T) { check(t, mine) })
	for name, before := range odd() {
		t.Run(name, func(t *testing.T) { check(t, before) })
		t.Run(name+", of the guard's event", func(t *testing.T) { check(t, strings.ReplaceAll(before, `"stop"`, `"preToolUse"`)) })
	}
	for seed := range int64(short.Times(20, 200)) {
		check(t, randomHooks(rand.New(rand.NewSource(seed))))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func TestThePlanGuardIsAsInTestdata(t *testing.T) {
	o := guarded(Options{OS: "linux", Hook: "/opt/cursor-ralph-hook"})
	golden(t, "testdata/merged-guard.json", mustMerge(t, nil, nil, o))
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

func TestThePlanGuardIsKeptUntilItIsTakenOut(t *testing.T) {
	for _, tt := range []struct {
		name        string
		before, now Options
		want        bool
		notes       int
	}{
		{"never asked for", Options{}, Options{}, false, 0},
		{"asked for", Options{}, guarded(Options{}), true, 0},
		{"asked for again", guarded(Options{}), guarded(Options{}), true, 0},
		{"not mentioned", guarded(Options{}), Options{KeepMinimal: true}, true, 1},
		{"taken out", guarded(Options{}), unguarded(Options{}), false, 0},
		{"minimal instead", guarded(Options{}), Options{Minimal: true}, false, 1},
		{"minimal before", Options{Minimal: true}, guarded(Options{}), true, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, o := home(t)
			tt.before.Folder, tt.before.OS, tt.before.Hook = o.Folder, o.OS, o.Hook
			tt.now.Folder, tt.now.OS, tt.now.Hook = o.Folder, o.OS, o.Hook
			install(t, tt.before)
			c := install(t, tt.now)
			if got := Installed([]byte(read(t, o.hooksFile()))).PlanGuard; got != tt.want || len(c.Notes) != tt.notes {
				t.Errorf("got %v with notes %q, want %v with %d", got, c.Notes, tt.want, tt.notes)
			}
		})
	}
}

func TestAMinimalInstallationHasNoPlanGuard(t *testing.T) {
	for name, now := range map[string]Options{"asked for": {Minimal: true}, "as installed": {KeepMinimal: true}} {
		_, o := home(t)
		install(t, minimal(o))
		before := read(t, o.hooksFile())
		now.Folder, now.OS, now.Hook = o.Folder, o.OS, o.Hook
		_, err := Plan(guarded(now))
		if !strings.Contains(hint.Of(err), "--minimal=false --plan-guard") {
			t.Errorf("%s: got %v, want a refusal with a hint", name, err)
		}
		if read(t, o.hooksFile()) != before {
			t.Errorf("%s: hooks.json was changed", name)
		}
	}
}
