package cursorlog

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var at = time.Date(2026, 10, 9, 12, 0, 0, 0, time.UTC)

func TestParseVerdicts(t *testing.T) {
	for _, tt := range []struct {
		name, line string
		want       []Verdict
	}{
		{"dropped", `[2026-10-09T12:00:00.000Z] ERROR: Invalid user config: sessionStart[1]: Invalid hook type: ""`,
			[]Verdict{{At: at, Source: "user", Problem: `sessionStart[1]: Invalid hook type: ""`}}},
		{"dropped, without a time", `ERROR: Invalid user config: stop[0]: Hook script loop_limit must be a positive integer (use null for no limit)`,
			[]Verdict{{Source: "user", Problem: "stop[0]: Hook script loop_limit must be a positive integer (use null for no limit)"}}},
		{"dropped, the project's", "[2026-10-09T12:00:00Z] ERROR: Invalid project config: Config version must be a number\n" +
			"[2026-10-09T12:00:00Z] ERROR: Failed to parse project hooks configuration\n[2026-10-09T12:00:00Z] No project hooks configuration found",
			[]Verdict{{At: at, Source: "project", Problem: "Config version must be a number"}}},
		{"none there", "[2026-10-09T12:00:00Z] ERROR: Failed to parse project hooks configuration\n[2026-10-09T12:00:00Z] No project hooks configuration found",
			[]Verdict{{At: at, Source: "project", Missing: true}}},
		{"removed later", "ERROR: Invalid user config: x\n[2026-10-09T12:00:00Z] No user hooks configuration found",
			[]Verdict{{Source: "user", Problem: "x"}, {At: at, Source: "user", Missing: true}}},
		{"loaded", "[2026-10-09T12:00:00.000Z] Loaded 3 user hook(s) for steps: stop, beforeSubmitPrompt,postToolUse\r",
			[]Verdict{{At: at, Source: "user", Steps: []string{"stop", "beforeSubmitPrompt", "postToolUse"}}}},
		{"loaded nothing", "[2026-10-09T12:00:00.000Z] Loaded 0 user hook(s) for steps:", []Verdict{{At: at, Source: "user", Steps: []string{}}}},
		{"with its path", "[2026-10-09T12:00:00Z] Project config path: d:\\repo\\.cursor\\hooks.json\n[2026-10-09T12:00:00Z] Loaded 1 project hook(s) for steps: stop",
			[]Verdict{{At: at, Source: "project", Path: `d:\repo\.cursor\hooks.json`, Steps: []string{"stop"}}}},
		{"others", "[2026-10-09T12:00:00Z] Initializing Cursor Hooks Service...\n[x] y\n[] \n[2026-10-09T12:00:00Z]\nClaude user config path: /x\n" +
			"[2026-10-09T12:00:00Z] Claude Code hooks disabled (thirdPartyExtensibilityEnabled off)\nERROR: Invalid  config: \n",
			[]Verdict{{At: at, Source: Plugins, Problem: "Claude Code hooks disabled (thirdPartyExtensibilityEnabled off)"}}},
	} {
		if diff := cmp.Diff(tt.want, Parse([]byte(tt.line))); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

func TestParseIsQuickWithHugeLines(t *testing.T) {
	for _, text := range []string{strings.Repeat("[", 1<<20), strings.Repeat("Command: (1ms) ", 1<<16), strings.Repeat("\xff\x00", 1<<19), strings.Repeat("\n", 1<<20)} {
		if got := Parse([]byte(text)); len(got) > 0 {
			t.Errorf("got %d verdicts", len(got))
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("[2026-10-09T12:00:00Z] User config path: /x\nERROR: Invalid user config: stop[0]: x\nNo user hooks configuration found\nLoaded 1 user hook(s) for steps: a, b"))
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, v := range Parse(text) {
			if v.Source == "" || strings.Contains(v.Problem+v.Path, "\n") || v.Problem != "" && v.Missing {
				t.Errorf("got %+v", v)
			}
		}
	})
}
