package commands

import (
	"encoding/json"
	"math/rand"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tailscale/hujson"

	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/test/golden"
	"github.com/cursor-ralph/cursor-ralph/test/short"
)

func linux() Options { return Options{OS: "linux", Hook: "/opt/cursor ralph/cursor-ralph-hook"} }

func mustMerge(t *testing.T, raw []byte, o Options) []byte {
	t.Helper()
	merged, _, err := merge(raw, o.entries())
	if err != nil {
		t.Fatalf("merge into\n%s\n%v", raw, err)
	}
	return merged
}

func mustStrip(t *testing.T, raw []byte) []byte {
	t.Helper()
	rest, err := strip(raw)
	if err != nil {
		t.Fatalf("strip\n%s\n%v", raw, err)
	}
	return rest
}

// withoutOurs is a file as a value, without our entries and empty lists.
func withoutOurs(t *testing.T, raw []byte) any {
	t.Helper()
	plain, err := hujson.Standardize(append([]byte(nil), append(raw, '\n')...))
	if err != nil {
		t.Fatalf("standardize\n%s\n%v", raw, err)
	}
	var file map[string]any
	if err := json.Unmarshal(plain, &file); err != nil {
		t.Fatal(err)
	}
	hooks, _ := file["hooks"].(map[string]any)
	for event, list := range hooks {
		if hooks[event] = others(list.([]any)); len(hooks[event].([]any)) == 0 {
			delete(hooks, event)
		}
	}
	return file
}

func others(list []any) []any {
	var rest []any
	for _, v := range list {
		if e, ok := v.(map[string]any); ok {
			if command, ok := e["command"].(string); ok && ours(command) {
				continue
			}
		}
		rest = append(rest, v)
	}
	return rest
}

func checkRoundTrip(t *testing.T, before string) {
	t.Helper()
	original := []byte(before)
	once := mustMerge(t, original, linux())
	if found := dropped(mustParse(t, once)); refuse(found) != nil {
		t.Errorf("merged file would be dropped: %v\n%s", found, once)
	}
	if diff := cmp.Diff(withoutOurs(t, original), withoutOurs(t, once)); diff != "" {
		t.Errorf("other people's entries changed:\n%s", diff)
	}
	if twice := mustMerge(t, once, linux()); string(twice) != string(once) {
		t.Errorf("second merge changed\n%s\nto\n%s", once, twice)
	}
	other := mustMerge(t, once, Options{OS: "linux", Hook: "/new/cursor-ralph-hook"})
	for _, merged := range [][]byte{once, other, mustMerge(t, other, linux())} {
		if got := mustStrip(t, merged); string(got) != before {
			t.Errorf("got back\n%q\nwant\n%q\nfrom\n%s", got, before, merged)
		}
	}
}

func mustParse(t *testing.T, raw []byte) *doc {
	t.Helper()
	d, err := parse(raw)
	if err != nil {
		t.Fatalf("parse\n%s\n%v", raw, err)
	}
	return d
}

func TestInstalledTwiceAndUninstalledIsTheOriginal(t *testing.T) {
	for name, before := range odd() {
		t.Run(name, func(t *testing.T) { checkRoundTrip(t, before) })
	}
	for seed := range int64(short.Times(50, 500)) {
		checkRoundTrip(t, randomHooks(rand.New(rand.NewSource(seed))))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func TestEditsAroundOurEntriesSurvive(t *testing.T) {
	const before = "{\n  \"version\": 1,\n  \"hooks\": {\n    \"stop\": [\n      { \"command\": \"a\" }\n    ]\n  }\n}\n"
	for name, tt := range map[string]struct{ old, new, want string }{
		"an entry after ours": {
			`"loop_limit": null }`, "\"loop_limit\": null },\n      { \"command\": \"b\" }",
			"{\n  \"version\": 1,\n  \"hooks\": {\n    \"stop\": [\n      { \"command\": \"a\" },\n      { \"command\": \"b\" }\n    ]\n  }\n}\n",
		},
		"an entry before ours": {
			`{ "command": "a" }`, "{ \"command\": \"b\" },\n      { \"command\": \"a\" }",
			"{\n  \"version\": 1,\n  \"hooks\": {\n    \"stop\": [\n      { \"command\": \"b\" },\n      { \"command\": \"a\" }\n    ]\n  }\n}\n",
		},
		"a comment beside ours": {
			`"loop_limit": null }`, `"loop_limit": null } // why`,
			"{\n  \"version\": 1,\n  \"hooks\": {\n    \"stop\": [\n      { \"command\": \"a\" } // why\n    ]\n  }\n}\n",
		},
		"a comment in a list that we made": {
			`"postToolUse": [`, `"postToolUse": [ // mine` + "\n",
			"{\n  \"version\": 1,\n  \"hooks\": {\n    \"stop\": [\n      { \"command\": \"a\" }\n    ],\n    \"postToolUse\": [ // mine\n ]\n  }\n}\n",
		},
		"an entry in a list that we made": {
			`"postToolUse": [`, `"postToolUse": [ { "command": "b" },`,
			"{\n  \"version\": 1,\n  \"hooks\": {\n    \"stop\": [\n      { \"command\": \"a\" }\n    ],\n    \"postToolUse\": [ { \"command\": \"b\" } ]\n  }\n}\n",
		},
		"a trailing comma": {
			`"loop_limit": null }`, `"loop_limit": null },`,
			"{\n  \"version\": 1,\n  \"hooks\": {\n    \"stop\": [\n      { \"command\": \"a\" }\n    ]\n  }\n}\n",
		},
		"our entry edited": {
			`"loop_limit": null }`, `"loop_limit": 7, "failClosed": true }`, before,
		},
	} {
		t.Run(name, func(t *testing.T) {
			merged := string(mustMerge(t, []byte(before), linux()))
			edited := strings.Replace(merged, tt.old, tt.new, 1)
			if edited == merged {
				t.Fatalf("%q is not in\n%s", tt.old, merged)
			}
			got := mustStrip(t, []byte(edited))
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("%s\nfrom\n%s", diff, edited)
			}
		})
	}
}

func TestMergedFilesAreAsInTestdata(t *testing.T) {
	for name, before := range map[string]string{"tabs": odd()["tabs"], "comments": odd()["comments everywhere"], "tight": odd()["no spaces"]} {
		golden.Matches(t, "testdata/merged-"+name+".json", string(mustMerge(t, []byte(before), linux())))
	}
	golden.Matches(t, "testdata/merged-fresh.json", string(mustMerge(t, nil, linux())))
	golden.Matches(t, "testdata/merged-windows.json", string(mustMerge(t, nil, Options{OS: "windows", Hook: `C:\Users\Jo Doe\bin\cursor-ralph-hook.exe`})))
}

// What others broke in our own entry an installation puts right: nothing is lost by that.
func TestOurOwnEntryIsRepaired(t *testing.T) {
	for name, broken := range map[string]string{
		"a type that a merger emptied": `"type": ""`, "an unknown type": `"type": "http"`, "a type of our own": `"type": "command"`,
		"failClosed in words": `"failClosed": "yes"`, "a matcher that is no pattern": `"matcher": "("`, "a timeout of 0": `"timeout": 0`, "a loop_limit of 0": `"loop_limit": 0`,
	} {
		before := `{"version": 1, "hooks": {"stop": [{"command": "/old/cursor-ralph-hook", ` + broken + `}]}}`
		once := mustMerge(t, []byte(before), linux())
		if found := Inspect(once, "linux", there); len(found) > 0 {
			t.Errorf("%s: %+v\n%s", name, found, once)
		}
	}
}

func TestMergeRefuses(t *testing.T) {
	for _, tt := range []struct{ name, file, want string }{
		{"half a file", `{"version": 1, "hooks": {`, "line 1, column 26"},
		{"text after the object", "{}\n{}", "line 2, column 1"},
		{"a byte-order mark", "\xef\xbb\xbf{}", "byte-order mark"},
		{"a list", `[]`, "not a JSON object"},
		{"hooks as a list", `{"version": 1, "hooks": []}`, `"hooks" is not an object`},
		{"an entry as a string", `{"version": 1, "hooks": {"stop": ["x"]}}`, "line 1, column 35: stop[0]: the entry is not an object"},
		{"two stops", `{"version": 1, "hooks": {"stop": [], "st\u006fp": []}}`, `"stop" more than once`},
		{"two hooks", `{"version": 1, "hooks": {}, "hooks": {}}`, `"hooks" more than once`},
		{"loop_limit 0", `{"version": 1, "hooks": {"stop": [{"command": "a", "loop_limit": 0}]}}`, "loop_limit is 0"},
		{"a type that a merger emptied", "{\"version\": 1, \"hooks\": {\n\"sessionStart\": [{\"command\": \"a\"},\n  {\"type\": \"\", \"command\": \"b\"}]}}", `line 3, column 12: sessionStart[1]: type is ""`},
		{"a URL in a command", `{"version": 1, "hooks": {"stop": [{"command": "curl http://x"}]}}`, "holds //"},
		{"a trailing comma", "{\"version\": 1, \"hooks\": {\n\"stop\": [],\n}}", "line 2, column 11: a comma"},
		{"a trailing comma without a version", "{\n\"hooks\": {\"stop\": [],},}", "\"version\" is missing; line 2, column 23: a comma before the closing bracket; line 2, column 21: a comma"},
		{"no bytes", "", "does not parse"},
		{"an empty object", "{}", `"hooks" is missing`},
		{"no version", `{"hooks": {"stop": [{"command": "a"}]}}`, `"version" is missing`},
		{"nesting without end", strings.Repeat("[", maxSize), "too big"},
		{"binary", "\x00\xff\xfe", "line 1, column 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, _, err := merge([]byte(tt.file), linux().entries())
			if err == nil {
				t.Fatalf("got\n%s\nwant an error with %q", got, tt.want)
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got error %q, want %q in it", err, tt.want)
			}
			if !strings.Contains(hint.Of(err), "nothing was changed") {
				t.Errorf("%v has no hint", err)
			}
		})
	}
}

func TestAFileThatCursorDropsIsStripped(t *testing.T) {
	for name, raw := range map[string]string{
		"a comment sign":      `{"hooks": {"stop": [{"command": "/x/cursor-ralph-hook"}, {"command": "http://x"}]}}`,
		"a trailing comma":    `{"hooks": {"stop": [{"command": "/x/cursor-ralph-hook"},]},}`,
		"a number of its own": `{"hooks": {"stop": [{"command": "/x/cursor-ralph-hook"}]}, "version": 0}`,
	} {
		if got, err := strip([]byte(raw)); err != nil || Installed(got).Any() {
			t.Errorf("%s: got %s, error %v", name, got, err)
		}
	}
	if _, err := strip([]byte(`{"hooks": {"stop": [{"command": "/x/cursor-ralph-hook"}]}, "hooks": {}}`)); hint.Of(err) == "" {
		t.Errorf("two hooks: got %v", err)
	}
}

func FuzzMerge(f *testing.F) {
	for _, before := range odd() {
		f.Add([]byte(before))
	}
	for seed := range int64(20) {
		f.Add([]byte(randomHooks(rand.New(rand.NewSource(seed)))))
	}
	f.Fuzz(func(t *testing.T, before []byte) {
		_, _, err := merge(before, linux().entries())
		if err != nil || before == nil || Installed(before).Any() {
			return
		}
		checkRoundTrip(t, string(before))
	})
}
