package commands

import (
	"strings"
	"testing"
)

func compacting(o Options) Options {
	yes := true
	o.PreCompact = &yes
	return o
}

const compactLine = `{ "command": "/opt/cursor-ralph-hook", "timeout": 10 }`

// An older Cursor drops a file with an event that it does not know, so preCompact is
// installed only where the user asks for it.
func TestPreCompactIsAskedFor(t *testing.T) {
	if usual := installedFile(t, Options{}); strings.Contains(usual, "preCompact") {
		t.Errorf("nobody asked for it:\n%s", usual)
	}
	asked := installedFile(t, compacting(Options{}))
	if i := Installed([]byte(asked)); !i.PreCompact || !strings.Contains(asked, compactLine) || strings.Contains(asked, "matcher\": \"\"") {
		t.Errorf("got %+v in\n%s", i, asked)
	}
	none := compacting(Options{})
	none.Minimal = true
	if list := none.entries(); len(list) != 1 {
		t.Errorf("a minimal installation has %d entries", len(list))
	}
}

func TestPreCompactTwiceInstalledAndUninstalledIsTheOriginal(t *testing.T) {
	mine := `{"version": 1, "hooks": {"preCompact": [{"command": "./mine"}]}}`
	for name, before := range map[string]string{"somebody else's hook of the event": mine, "an empty file": "{}", "a stop hook": `{"version": 1, "hooks": {"stop": [{"command": "./mine"}]}}`} {
		t.Run(name, func(t *testing.T) {
			checkRoundTrip(t, before, compacting)
			checkRoundTrip(t, before, func(o Options) Options { return guarded(compacting(o)) })
			once := mustMerge(t, []byte(before), []byte(before), compacting(linux()))
			if twice := mustMerge(t, once, []byte(before), compacting(linux())); string(twice) != string(once) {
				t.Errorf("second merge changed\n%s\nto\n%s", once, twice)
			}
			if Installed(mustMerge(t, once, []byte(before), linux())).PreCompact {
				t.Error("it stays")
			}
		})
	}
}
