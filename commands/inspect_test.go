package commands

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// stat knows a hook that can be run and one that cannot.
func stat(path string) (fs.FileInfo, error) {
	files := fstest.MapFS{
		"opt/cursor-ralph-hook":    {Mode: 0o755},
		"noexec/cursor-ralph-hook": {Mode: 0o644},
	}
	return fs.Stat(files, strings.TrimPrefix(path, "/"))
}

// there is stat for a hook that can be run, whatever its path.
func there(string) (fs.FileInfo, error) { return stat("/opt/cursor-ralph-hook") }

func installedFile(t *testing.T, o Options) string {
	t.Helper()
	o.OS, o.Hook = "linux", "/opt/cursor-ralph-hook"
	return string(mustMerge(t, nil, nil, o))
}

func TestAFreshInstallationHasNoFindings(t *testing.T) {
	for _, o := range []Options{{}, {Minimal: true}, {SessionLimit: "none"}, {SessionLimit: "9", VerifyTimeout: 3e9}, typed(Options{Minimal: true})} {
		if got := Inspect([]byte(installedFile(t, o)), "linux", stat); len(got) > 0 {
			t.Errorf("%+v: got %+v", o, got)
		}
	}
	windows := mustMerge(t, nil, nil, Options{OS: "windows", Hook: `C:\a b\cursor-ralph-hook.exe`})
	if got := Inspect(windows, "windows", there); len(got) > 0 {
		t.Errorf("got %+v", got)
	}
}

// Each case changes a sound installation by one mistake.
func TestInspectFindsEachMistake(t *testing.T) {
	const stop = `--timeout 660 --linger 100ms", "timeout": 660, "loop_limit": null }`
	for _, tt := range []struct {
		name, old, new string
		want           string
		fatal          bool
	}{
		{"version missing", `"version": 1,`, "", `"version" is missing`, true},
		{"version in words", `"version": 1`, `"version": "1"`, `"version" is "1"`, true},
		{"version a fraction", `"version": 1`, `"version": 1.5`, `"version" is 1.5`, true},
		{"hooks missing", `"hooks"`, `"hoks"`, `"hooks" is missing`, true},
		{"unknown event", `"hooks": {`, `"hooks": { "onStop": [],`, `event "onStop" is unknown`, true},
		{"loop_limit zero", stop, stop + `, { "command": "a", "loop_limit": 0 }`, "stop[1]: loop_limit is 0", true},
		{"loop_limit in words", stop, stop + `, { "command": "a", "loop_limit": "none" }`, `stop[1]: loop_limit is "none"`, true},
		{"slashes in a string", stop, stop + `, { "command": "curl https://x" }`, `"curl https://x" holds //, which Cursor takes`, true},
		{"slashes in a name", `"version"`, `"a//b": 1, "version"`, `"a//b" holds //`, true},
		{"block comment in strings", stop, stop + `, { "command": "ls a/*", "matcher": "*/b" }`, `"ls a/*" holds /*`, true},
		{"trailing comma", stop, stop + ",", "line 5, column 1", true},
		{"not parsing", `"version": 1,`, `"version": 1`, "does not parse: line 3, column 3", true},
		{"not UTF-8", `"version": 1,`, "\"version\": 1, // caf\xe9", "does not parse: line 2, column 17: invalid UTF-8", true},
		{"byte-order mark", "{\n  \"version", "\xef\xbb\xbf{\n  \"version", "byte-order mark", true},
		{"duplicate event", `"hooks": {`, `"hooks": { "postToolUse": [],`, `"hooks" has "postToolUse" more than once`, true},
		{"no stop entry", `"stop"`, `"sessionEnd"`, "no stop entry runs cursor-ralph-hook", true},
		{"no tool entry", `"postToolUse"`, `"preToolUse"`, "no postToolUse entry runs", true},
		{"our hook twice", stop, stop + `, { "command": "/opt/cursor-ralph-hook" }`, "stop runs cursor-ralph-hook more than once", false},
		{"limits disagree", `"loop_limit": null`, `"loop_limit": 7`, "loop_limit is 7, --session-limit is \"auto\"", true},
		{"limit lifted for Cursor alone", `--session-limit auto`, `--session-limit=5`, "loop_limit is null, --session-limit is \"5\"", true},
		{"limit lifted for the hook alone", `, "loop_limit": null`, ``, "loop_limit is 5, --session-limit is \"auto\"", true},
		{"flag gone", `--session-limit auto `, ``, "loop_limit is null, --session-limit is \"5\"", true},
		{"timeouts disagree", `"timeout": 660`, `"timeout": 30`, "timeout is 30, --timeout is \"660\"", true},
		{"timeout gone", `"timeout": 660, `, ``, "timeout is 60, --timeout is \"660\"", true},
		{"program missing", "/opt/cursor-ralph-hook --", "/gone/cursor-ralph-hook --", `"/gone/cursor-ralph-hook" does not exist`, true},
		{"program not executable", "/opt/cursor-ralph-hook --", "/noexec/cursor-ralph-hook --", "is not an executable file", true},
		{"another system's command", "/opt/cursor-ralph-hook --", `C:\\x\\cursor-ralph-hook.exe --`, "shell of another system", true},
		{"wrapped", stop, stop + `, { "command": "time /opt/cursor-ralph-hook" }`, "runs cursor-ralph-hook inside another command", false},
		{"matcher", `"matcher": "cursor-ralph"`, `"matcher": "(cursor-ralph"`, `afterShellExecution[0]: matcher "(cursor-ralph" is not a regular expression`, true},
		{"entry a string", stop, stop + `, "time"`, "stop[1]: the entry is not an object", true},
		{"type empty", stop, stop + `, { "type": "", "command": "a" }`, `stop[1]: type is "", not "command" or "prompt"`, true},
		{"type unknown", stop, stop + `, { "type": "http", "command": "a" }`, `stop[1]: type is "http"`, true},
		{"command missing", stop, stop + `, { "timeout": 5 }`, `stop[1]: command is missing`, true},
		{"command a list", stop, stop + `, { "command": ["a"] }`, `stop[1]: command is ["a"], not a string`, true},
		{"prompt missing", stop, stop + `, { "type": "prompt" }`, `stop[1]: prompt is missing`, true},
		{"prompt empty", stop, stop + `, { "type": "prompt", "prompt": "" }`, `stop[1]: prompt is empty`, true},
		{"prompt's model empty", stop, stop + `, { "type": "prompt", "prompt": "p", "model": "" }`, `stop[1]: model is empty`, true},
		{"timeout zero", stop, stop + `, { "command": "a", "timeout": 0 }`, `stop[1]: timeout is 0, not a number above 0`, true},
		{"timeout in words", stop, stop + `, { "command": "a", "timeout": "10" }`, `stop[1]: timeout is "10"`, true},
		{"timeout of a prompt", stop, stop + `, { "type": "prompt", "prompt": "p", "timeout": 0 }`, `stop[1]: timeout is 0`, true},
		{"matcher a list", stop, stop + `, { "command": "a", "matcher": ["Shell"] }`, `stop[1]: matcher is ["Shell"], not a string`, true},
		{"matcher with a flag of other languages", stop, stop + `, { "command": "a", "matcher": "(?i)shell" }`, `stop[1]: matcher "(?i)shell" is not a regular expression: JavaScript has no (?i)`, true},
		{"matcher that only Go reads", stop, stop + `, { "command": "a", "matcher": "(?P<n>a)" }`, `is not a regular expression`, true},
		{"matcher that repeats nothing", stop, stop + `, { "command": "a", "matcher": "Shell|*" }`, `is not a regular expression`, true},
		{"failClosed in words", stop, stop + `, { "command": "a", "failClosed": "yes" }`, `stop[1]: failClosed is "yes", not true or false`, true},
		{"place of an entry", stop, stop + ",\n      { \"command\": \"é\", \"timeout\": 0 }", "line 6, column 36: stop[1]: timeout is 0", true},
		{"place of slashes", stop, stop + `, { "command": "curl https://x" }`, `stop[1]: the string "curl https://x" holds //`, true},
		{"place of an event", `"hooks": {`, `"hooks": { "onStop": [],`, `line 3, column 14: event "onStop" is unknown`, true},
		{"comment in a comment", `"version": 1,`, "\"version\": 1, /* see https://x */\n", "a comment holds //", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sound := installedFile(t, Options{})
			file := strings.Replace(sound, tt.old, tt.new, 1)
			if file == sound {
				t.Fatalf("%q is not in\n%s", tt.old, sound)
			}
			for _, f := range Inspect([]byte(file), "linux", stat) {
				if f.Remedy == "" {
					t.Errorf("%q has no remedy", f.Problem)
				}
				if strings.Contains(f.Text(), tt.want) && f.Fatal == tt.fatal {
					return
				}
			}
			t.Errorf("got %+v\nwant one with %q, fatal %v", Inspect([]byte(file), "linux", stat), tt.want, tt.fatal)
		})
	}
}

func TestInspectAcceptsWhatCursorAccepts(t *testing.T) {
	sound := installedFile(t, Options{})
	for name, more := range map[string]string{
		"escaped slashes":     `"a": "https:\/\/x",`,
		"an open block sign":  `"a": "b/*",`,
		"slashes in comments": "// https://x /* no\n",
		"a whole number":      `"sum": 1.0,`,
		"unknown members":     `"$schema": "x", "extra": [{}],`,
	} {
		file := strings.Replace(sound, "{", "{"+more, 1)
		if got := Inspect([]byte(file), "linux", stat); len(got) > 0 {
			t.Errorf("%s: got %+v", name, got)
		}
	}
	none := strings.Replace(sound, "--session-limit auto", "--session-limit none", 1)
	if got := Inspect([]byte(none), "linux", stat); len(got) > 0 || none == sound {
		t.Errorf("no limit: got %+v", got)
	}
	for _, entry := range []string{
		`"command": ""`, `"command": "a", "type": "command", "extra": {"x": [null]}`, `"type": "prompt", "prompt": "p"`,
		`"type": "prompt", "prompt": "p", "model": "m", "timeout": 0.5, "failClosed": false`, `"command": "a", "loop_limit": null, "timeout": 1e3`,
	} {
		file := strings.Replace(sound, `"stop": [`, `"sessionStart": [{`+entry+`}], "stop": [`, 1)
		if got := Inspect([]byte(file), "linux", stat); len(got) > 0 || file == sound {
			t.Errorf("entry %s: got %+v", entry, got)
		}
	}
	for _, matcher := range []string{"*", "", "Shell|Read", `^(?!rm)\\u0041(?<n>a)\\1`, `[\\w-]+`, `mcp__.*__write.*`, `(?<=git )push`, `[(?i)]`, `\\(?i\\)`,
		`^(npm|yarn)\\s+(install|add)\\b`, `\\.(ts|tsx)$`, `a{,3}`, `\\p{Foo}`, `[a-\\d]`, `[^]`, `a{99999999999}`, `]}`} {
		file := strings.Replace(sound, `"matcher": "cursor-ralph"`, `"matcher": "`+matcher+`"`, 1)
		if got := Inspect([]byte(file), "linux", stat); len(got) > 0 {
			t.Errorf("matcher %s: got %+v", matcher, got)
		}
	}
}

func TestAFileWithoutOurHookHasOnlyItsOwnMistakes(t *testing.T) {
	for _, tt := range []struct{ file, want string }{
		{`{"version": 1, "hooks": {}}`, ""},
		{`{"version": 1, "hooks": {"sessionStart": [{"command": "a"}]}}`, ""},
		{`{"version": 1, "hooks": {"sessionStart": [{"command": "a"},]}}`, "line 1, column 59: a comma before the closing bracket"},
	} {
		var got []string
		for _, f := range Inspect([]byte(tt.file), "linux", stat) {
			got = append(got, f.Text())
		}
		if strings.Join(got, "\n") != tt.want {
			t.Errorf("%s: got %q, want %q", tt.file, got, tt.want)
		}
	}
}

func TestAWrappedHookIsNotCalledMissing(t *testing.T) {
	file := `{"version": 1, "hooks": {"stop": [{"command": "time /opt/cursor-ralph-hook"}]}}`
	got := Inspect([]byte(file), "linux", stat)
	want := []bool{false}
	var fatals []bool
	for _, f := range got {
		fatals = append(fatals, f.Fatal)
	}
	if !cmp.Equal(fatals, want) {
		t.Errorf("got %+v", got)
	}
}

func TestFindingsDoNoHarmToATerminal(t *testing.T) {
	for _, file := range []string{
		"{\"a\x1b[2J\": 1}", "{\"version\": \"\u009b2J\"}", `{"version": 1, "hooks": {"stop": [{"command": "\u001b[2J", "matcher": "(\u001b"}], "\u001b": []}}`,
		`{"version": 1, "hooks": {"stop": [{"command": "/\u001b/cursor-ralph-hook --timeout \u001b"}]}}`,
	} {
		for _, f := range Inspect([]byte(file), "linux", stat) {
			if strings.ContainsAny(f.Text()+f.Remedy, "\x1b\u009b") {
				t.Errorf("got %q", f.Text()+f.Remedy)
			}
		}
	}
}

func TestInspectOfNothing(t *testing.T) {
	for _, raw := range []string{"", "[]", "null", "{}", `{"hooks": [1]}`, `{"hooks": {"stop": [1, [], {"command": 3}]}}`} {
		got := Inspect([]byte(raw), "linux", stat)
		if len(got) == 0 || !got[0].Fatal {
			t.Errorf("%q: got %+v, want something fatal", raw, got)
		}
	}
}
