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
			"[2026-10-09T12:00:00Z] Claude Code hooks disabled (thirdPartyExtensibilityEnabled off)\nERROR: Invalid  config: \n", nil},
	} {
		if diff := cmp.Diff(tt.want, Parse([]byte(tt.line)).Verdicts); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

const rule = "══════════════════════════════════"

// block is a run as Cursor writes it.
func block(event, conversation, output string) string {
	return strings.Join([]string{rule, event, rule, "Command: /opt/cursor-ralph-hook --timeout 660 (42ms) exit code: 0", "",
		"INPUT:", "{", `  "conversation_id": "` + conversation + `",`, `  "hook_event_name": "` + event + `"`, "}", "",
		"OUTPUT:", output, "", "STDERR:", "(empty)", rule, ""}, "\n")
}

func TestParseRuns(t *testing.T) {
	run := Run{At: at, Event: "stop", Command: "/opt/cursor-ralph-hook --timeout 660", Took: 42 * time.Millisecond, Exit: "0", Conversation: "c"}
	with := func(change func(*Run)) []Run {
		r := run
		change(&r)
		return []Run{r}
	}
	asked := "[2026-10-09T12:00:00.000Z] Hook step requested: stop\n"
	whole := asked + block("stop", "c", "{}")
	for _, tt := range []struct {
		name, text string
		want       []Run
		followup   bool
	}{
		{"an empty object", whole, with(func(r *Run) { r.Answer = "{}" }), false},
		{"nothing", asked + block("stop", "c", "(empty)"), with(func(*Run) {}), false},
		{"a follow-up", asked + block("stop", "c", "{\n  \"followup_message\": \"go\\non\"\n}"), with(func(r *Run) { r.Answer = "{\n  \"followup_message\": \"go\\non\"\n}" }), true},
		{"an empty follow-up", asked + block("stop", "c", `{"followup_message": ""}`), with(func(r *Run) { r.Answer = `{"followup_message": ""}` }), false},
		{"log lines before the answer", asked + block("stop", "c", "hello\n{\"followup_message\": \"x\"}"), with(func(r *Run) { r.Answer = "hello\n{\"followup_message\": \"x\"}" }), true},
		{"Windows line ends", strings.ReplaceAll(whole, "\n", "\r\n"), with(func(r *Run) { r.Answer = "{}" }), false},
		{"a failure", strings.Replace(whole, "exit code: 0", "exit code: N/A", 1), with(func(r *Run) { r.Answer, r.Exit = "{}", "N/A" }), false},
		{"not asked for in the text", block("stop", "c", "{}"), with(func(r *Run) { r.Answer, r.At = "{}", time.Time{} }), false},
		{"without standard error", asked + "Command: /opt/cursor-ralph-hook --timeout 660 (42ms) exit code: 0\nINPUT:\n{\"conversation_id\": \"c\", \"hook_event_name\": \"stop\"}\nOUTPUT:\n{}\n" + asked,
			with(func(r *Run) { r.Answer = "{}" }), false},
		{"an invalid input", strings.Replace(whole, `"c",`, `"c"`, 1), with(func(r *Run) { r.Answer, r.Conversation = "{}", "" }), false},
		{"cut off in the input", whole[:strings.Index(whole, "OUTPUT:")], nil, false},
		{"cut off before the answer", whole[:strings.Index(whole, "OUTPUT:")+8], nil, false},
		{"cut off in the answer", asked + strings.SplitAfter(block("stop", "c", `{"followup_message": "go on"}`), "go")[0], nil, false},
		{"the end of the file is the end of the answer", strings.SplitAfter(asked+block("stop", "c", "(empty)"), "(empty)")[0], with(func(*Run) {}), false},
		{"cut off at the beginning", whole[strings.Index(whole, "INPUT:"):], nil, false},
	} {
		got := Parse([]byte(tt.text)).Runs
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
			continue
		}
		if len(got) > 0 && got[0].HasFollowup() != tt.followup {
			t.Errorf("%s: HasFollowup is %v", tt.name, got[0].HasFollowup())
		}
	}
}

func TestParseManyRuns(t *testing.T) {
	text := "[2026-10-09T12:00:00Z] Hook step requested: stop\n" + block("stop", "a", "{}") + block("stop", "b", "{}") +
		"[2026-10-09T12:00:09Z] Hook step requested: beforeSubmitPrompt\n" + block("beforeSubmitPrompt", "a", "(empty)") + block("stop", "a", "{}")
	var got []string
	for _, r := range Parse([]byte(text)).Runs {
		got = append(got, r.Conversation+" "+r.Event+" "+r.At.Format("05"))
	}
	if diff := cmp.Diff([]string{"a stop 00", "b stop 00", "a beforeSubmitPrompt 09", "a stop 00"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestParseIsQuickWithHugeLines(t *testing.T) {
	for _, text := range []string{strings.Repeat("[", 1<<20), strings.Repeat("Command: (1ms) ", 1<<16), strings.Repeat("\xff\x00", 1<<19), strings.Repeat("\n", 1<<20),
		"INPUT:\n" + strings.Repeat("{", 1<<20), "Command: a (1ms) exit code: 0\nINPUT:\n" + strings.Repeat("[", 1<<20) + "\nOUTPUT:\n" + strings.Repeat("{", 1<<20) + "\n" + rule} {
		for _, r := range Parse([]byte(text)).Runs {
			if r.Conversation != "" || r.HasFollowup() {
				t.Errorf("got %.100q", r.Conversation)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("[2026-10-09T12:00:00.000Z] Hook step requested: stop\n" + block("stop", "c", `{"followup_message": "x"}`)))
	f.Add([]byte("[2026-10-09T12:00:00Z] User config path: /x\nERROR: Invalid user config: stop[0]: x\nNo user hooks configuration found\nLoaded 1 user hook(s) for steps: a, b"))
	f.Fuzz(func(t *testing.T, text []byte) {
		log := Parse(text)
		for _, r := range log.Runs {
			if strings.Contains(r.Command+r.Event+r.Exit, "\n") || r.Took < 0 || len(r.Answer) > 3*len(text) {
				t.Errorf("got %+v", r)
			}
		}
		for _, v := range log.Verdicts {
			if v.Source == "" || strings.Contains(v.Problem+v.Path, "\n") || v.Problem != "" && v.Missing {
				t.Errorf("got %+v", v)
			}
		}
	})
}
