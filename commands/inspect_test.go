package commands

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
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
	return string(mustMerge(t, nil, o))
}

func TestAFreshInstallationHasNoFindings(t *testing.T) {
	if got := Inspect([]byte(installedFile(t, Options{})), "linux", stat); len(got) > 0 {
		t.Errorf("got %+v", got)
	}
	windows := mustMerge(t, nil, Options{OS: "windows", Hook: `C:\a b\cursor-ralph-hook.exe`})
	if got := Inspect(windows, "windows", there); len(got) > 0 {
		t.Errorf("got %+v", got)
	}
}

// Each case changes a sound installation by one mistake.
func TestInspectFindsEachMistake(t *testing.T) {
	const stop = `"timeout": 3660, "loop_limit": null }`
	for _, tt := range []struct {
		name, old, new string
		want           string
		fatal          bool
	}{
		{"version missing", `"version": 1,`, "", `"version" is missing`, true},
		{"version in words", `"version": 1`, `"version": "1"`, `"version" is "1"`, true},
		{"version a fraction", `"version": 1`, `"version": 1.5`, `"version" is 1.5`, true},
		{"hooks missing", `"hooks"`, `"hoks"`, `"hooks" is missing`, true},
		{"unknown event", `"hooks": {`, `"hooks": { "onStop": [],`, `event "onStop" is unknown`, false},
		{"loop_limit zero", stop, stop + `, { "command": "a", "loop_limit": 0 }`, "stop[1]: loop_limit is 0", true},
		{"loop_limit in words", stop, stop + `, { "command": "a", "loop_limit": "none" }`, `stop[1]: loop_limit is "none"`, true},
		{"slashes in a string", stop, stop + `, { "command": "curl https://x" }`, `"curl https://x" holds //, which Cursor takes`, true},
		{"slashes in a name", `"version"`, `"a//b": 1, "version"`, `"a//b" holds //`, true},
		{"block comment in strings", stop, stop + `, { "command": "ls a/*", "matcher": "*/b" }`, `"ls a/*" holds /*`, true},
		{"trailing comma", stop, stop + ",", "line 4, column 91", true},
		{"not parsing", `"version": 1,`, `"version": 1`, "does not parse: line 3, column 3", true},
		{"not UTF-8", `"version": 1,`, "\"version\": 1, // caf\xe9", "does not parse: line 2, column 17: invalid UTF-8", true},
		{"byte-order mark", "{\n  \"version", "\xef\xbb\xbf{\n  \"version", "byte-order mark", true},
		{"duplicate event", `"hooks": {`, `"hooks": { "postToolUse": [],`, `"hooks" has "postToolUse" more than once`, true},
		{"our hook twice", stop, stop + `, { "command": "/opt/cursor-ralph-hook" }`, "not as install writes them: stop", true},
		{"no stop entry", `"stop"`, `"sessionEnd"`, "not as install writes them: stop", true},
		{"no tool entry", `"postToolUse"`, `"preToolUse"`, "not as install writes them: postToolUse", true},
		{"another timeout", `"timeout": 3660`, `"timeout": 30`, "not as install writes them: stop", true},
		{"a session limit", `"loop_limit": null`, `"loop_limit": 7`, "not as install writes them: stop", true},
		{"an argument", `cursor-ralph-hook", "timeout": 3660`, `cursor-ralph-hook --x", "timeout": 3660`, "not as install writes them: stop", true},
		{"program missing", "/opt/cursor-ralph-hook", "/gone/cursor-ralph-hook", `"/gone/cursor-ralph-hook" does not exist`, true},
		{"program not executable", "/opt/cursor-ralph-hook", "/noexec/cursor-ralph-hook", "is not an executable file", true},
		{"another system's command", "/opt/cursor-ralph-hook", `C:\\x\\cursor-ralph-hook.exe`, "shell of another system", true},
		{"matcher", stop, stop + `, { "command": "a", "matcher": "(x" }`, `stop[1]: matcher is "(x", not a regular expression`, true},
		{"entry a string", stop, stop + `, "time"`, "stop[1]: the entry is not an object", true},
		{"type empty", stop, stop + `, { "type": "", "command": "a" }`, `stop[1]: type is "", not "command" or "prompt"`, true},
		{"type unknown", stop, stop + `, { "type": "http", "command": "a" }`, `stop[1]: type is "http"`, true},
		{"command missing", stop, stop + `, { "timeout": 5 }`, `stop[1]: command is missing`, true},
		{"command a list", stop, stop + `, { "command": ["a"] }`, `stop[1]: command is ["a"], not a string`, true},
		{"prompt missing", stop, stop + `, { "type": "prompt" }`, `stop[1]: prompt is missing`, true},
		{"prompt empty", stop, stop + `, { "type": "prompt", "prompt": "" }`, `stop[1]: prompt is ""`, true},
		{"prompt's model empty", stop, stop + `, { "type": "prompt", "prompt": "p", "model": "" }`, `stop[1]: model is ""`, true},
		{"timeout zero", stop, stop + `, { "command": "a", "timeout": 0 }`, `stop[1]: timeout is 0, not a number above 0`, true},
		{"timeout in words", stop, stop + `, { "command": "a", "timeout": "10" }`, `stop[1]: timeout is "10"`, true},
		{"timeout of a prompt", stop, stop + `, { "type": "prompt", "prompt": "p", "timeout": 0 }`, `stop[1]: timeout is 0`, true},
		{"matcher a list", stop, stop + `, { "command": "a", "matcher": ["Shell"] }`, `stop[1]: matcher is ["Shell"], not a string`, true},
		{"matcher that repeats nothing", stop, stop + `, { "command": "a", "matcher": "Shell|*" }`, `, not a regular expression`, true},
		{"failClosed in words", stop, stop + `, { "command": "a", "failClosed": "yes" }`, `stop[1]: failClosed is "yes", not true or false`, true},
		{"place of an entry", stop, stop + ",\n      { \"command\": \"é\", \"timeout\": 0 }", "line 5, column 36: stop[1]: timeout is 0", true},
		{"place of slashes", stop, stop + `, { "command": "curl https://x" }`, `stop[1]: the string "curl https://x" holds //`, true},
		{"place of an event", `"hooks": {`, `"hooks": { "onStop": [],`, `line 3, column 14: event "onStop" is unknown`, false},
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
		file := strings.Replace(sound, `"stop": [`, `"sessionStart": [{"command": "a", "matcher": "`+matcher+`"}], "stop": [`, 1)
		if got := Inspect([]byte(file), "linux", stat); len(got) > 0 {
			t.Errorf("matcher %s: got %+v", matcher, got)
		}
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
