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

func mustMerge(t *testing.T, raw, original []byte, o Options) []byte {
	t.Helper()
	merged, _, err := merge(raw, o.entries(), outlineOf(original), false)
	if err != nil {
		t.Fatalf("merge into\n%s\n%v", raw, err)
	}
	return merged
}

func mustUnmerge(t *testing.T, raw, original []byte) []byte {
	t.Helper()
	rest, err := unmerge(raw, original)
	if err != nil {
		t.Fatalf("unmerge\n%s\n%v", raw, err)
	}
	return rest
}

// withoutComments is a file as a value, without our entries and what only they needed.
func withoutOurs(t *testing.T, raw []byte) any {
	t.Helper()
	if strings.TrimSpace(string(raw)) == "" {
		raw = []byte("{}")
	}
	plain, err := hujson.Standardize(append([]byte(nil), append(raw, '\n')...))
	if err != nil {
		t.Fatalf("standardize\n%s\n%v", raw, err)
	}
	var file map[string]any
	if err := json.Unmarshal(plain, &file); err != nil {
		t.Fatal(err)
	}
	delete(file, "version")
	hooks, _ := file["hooks"].(map[string]any)
	for event, list := range hooks {
		if hooks[event] = others(list.([]any)); len(hooks[event].([]any)) == 0 {
			delete(hooks, event)
		}
	}
	if len(hooks) == 0 {
		delete(file, "hooks")
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

func checkRoundTrip(t *testing.T, before string, change func(Options) Options) {
	t.Helper()
	original := []byte(before)
	once := mustMerge(t, original, original, linux())
	if found := drops(mustParse(t, once), false); len(found) > 0 {
		t.Errorf("merged file would be dropped: %v\n%s", found, once)
	}
	if diff := cmp.Diff(withoutOurs(t, original), withoutOurs(t, once)); diff != "" {
		t.Errorf("other people's entries changed:\n%s", diff)
	}
	if twice := mustMerge(t, once, original, linux()); string(twice) != string(once) {
		t.Errorf("second merge changed\n%s\nto\n%s", once, twice)
	}
	other := mustMerge(t, once, original, change(linux()))
	for _, merged := range [][]byte{once, other, mustMerge(t, other, original, linux())} {
		if got := mustUnmerge(t, merged, original); string(got) != before {
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

func minimal(o Options) Options {
	o.Minimal, o.SessionLimit = true, "none"
	return o
}

// typed asks for a way of typing in everything that can be asked for.
func typed(o Options) Options {
	injectors, keys, unchecked := "wl-copy,robotgo", "ctrl+shift+i", true
	o.Injectors, o.FocusKeys, o.TypeUnchecked = &injectors, &keys, &unchecked
	return o
}

func TestInstalledTwiceAndUninstalledIsTheOriginal(t *testing.T) {
	for name, before := range odd() {
		t.Run(name, func(t *testing.T) {
			checkRoundTrip(t, before, minimal)
			checkRoundTrip(t, before, typed)
		})
	}
	for seed := range int64(short.Times(50, 500)) {
		checkRoundTrip(t, randomHooks(rand.New(rand.NewSource(seed))), minimal)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// A member that the user adds at the top after the installation keeps unmerge from using the backup.
func TestAnEditInBetweenSurvives(t *testing.T) {
	edit := func(s string) string { return strings.Replace(s, "{", "{ \"mine\": [1], // new\n", 1) }
	check := func(t *testing.T, before string) {
		t.Helper()
		original := []byte(before)
		d := mustParse(t, original)
		if len(members(d.root)) == 0 {
			return
		}
		merged := mustMerge(t, original, original, linux())
		got := mustUnmerge(t, []byte(edit(string(merged))), original)
		if diff := cmp.Diff(withoutOurs(t, []byte(edit(before))), withoutOurs(t, got)); diff != "" {
			t.Errorf("got %s\nwant %s\n%s", got, edit(before), diff)
		}
		if Installed(got).own {
			t.Errorf("ours is still in\n%s", got)
		}
		if strings.Count(string(got), " c") != strings.Count(edit(before), " c") {
			t.Errorf("a comment is lost: got\n%s\nwant\n%s", got, edit(before))
		}
	}
	for name, before := range odd() {
		if strings.TrimSpace(before) != "" {
			t.Run(name, func(t *testing.T) { check(t, before) })
		}
	}
	for seed := range int64(short.Times(50, 500)) {
		check(t, randomHooks(rand.New(rand.NewSource(seed))))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// Without the backup's help the usual files come back to the byte all the same.
func TestRemovalAloneIsExactForUsualFiles(t *testing.T) {
	for _, name := range []string{
		"another stop hook", "spread entries", "tabs", "CRLF", "no spaces", "one line", "comments everywhere", "a block comment last",
		"a commented empty stop", "unknown members", "empty hooks", "an empty stop", "odd indentation", "blank lines between", "no indentation",
	} {
		t.Run(name, func(t *testing.T) {
			before := []byte(odd()[name])
			got, err := strip(mustMerge(t, before, before, linux()), outlineOf(before))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(before), string(got)); diff != "" {
				t.Error(diff)
			}
		})
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
			`"postToolUse": [`, `"postToolUse": [ // mine`,
			"{\n  \"version\": 1,\n  \"hooks\": {\n    \"stop\": [\n      { \"command\": \"a\" }\n    ],\n    \"postToolUse\": [ // mine\n    ]\n  }\n}\n",
		},
		"an entry in a list that we made": {
			`"postToolUse": [`, "\"postToolUse\": [\n      { \"command\": \"b\" },",
			"{\n  \"version\": 1,\n  \"hooks\": {\n    \"stop\": [\n      { \"command\": \"a\" }\n    ],\n    \"postToolUse\": [\n      { \"command\": \"b\" }\n    ]\n  }\n}\n",
		},
		"a trailing comma": {
			`"loop_limit": null }`, `"loop_limit": null },`,
			"{\n  \"version\": 1,\n  \"hooks\": {\n    \"stop\": [\n      { \"command\": \"a\" },\n    ]\n  }\n}\n",
		},
		"the other entry removed": {
			"\n      { \"command\": \"a\" },", "",
			"{\n  \"version\": 1,\n  \"hooks\": {\n    \"stop\": []\n  }\n}\n",
		},
		"our entry edited": {
			`"loop_limit": null }`, `"loop_limit": 7, "failClosed": true }`, before,
		},
	} {
		t.Run(name, func(t *testing.T) {
			merged := string(mustMerge(t, []byte(before), []byte(before), linux()))
			edited := strings.Replace(merged, tt.old, tt.new, 1)
			if edited == merged {
				t.Fatalf("%q is not in\n%s", tt.old, merged)
			}
			got := mustUnmerge(t, []byte(edited), []byte(before))
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("%s\nfrom\n%s", diff, edited)
			}
		})
	}
}

func TestMergedFilesAreAsInTestdata(t *testing.T) {
	for name, before := range map[string]string{
		"fresh": "", "tabs": odd()["tabs"], "comments": odd()["comments everywhere"], "tight": odd()["no spaces"],
	} {
		golden.Matches(t, "testdata/merged-"+name+".json", string(mustMerge(t, []byte(before), nil, linux())))
	}
	golden.Matches(t, "testdata/merged-limit.json", string(mustMerge(t, nil, nil, Options{OS: "linux", Hook: "/opt/cursor-ralph-hook", SessionLimit: "5"})))
	golden.Matches(t, "testdata/merged-typing.json", string(mustMerge(t, nil, nil, typed(linux()))))
	o := Options{OS: "windows", Hook: `C:\Users\Jo Doe\bin\cursor-ralph-hook.exe`, SessionLimit: "none", Minimal: true}
	golden.Matches(t, "testdata/merged-windows.json", string(mustMerge(t, nil, nil, o)))
	golden.Matches(t, "testdata/merged-windows-typing.json", string(mustMerge(t, nil, nil, typed(o))))
}

func TestOtherOptionsUpdateInPlace(t *testing.T) {
	before := []byte("{\n  \"version\": 1,\n  \"hooks\": {\n    \"stop\": [\n      { \"command\": \"/old/cursor-ralph-hook\", /* mine */ \"failClosed\": true, \"matcher\": \"x\" },\n" +
		"      { \"command\": \"b\" },\n      { \"command\": \"/older/cursor-ralph-hook --x\" }\n    ],\n    \"sessionStart\": [ { \"command\": \"/old/cursor-ralph-hook\" } ]\n  }\n}\n")
	o := minimal(Options{OS: "linux", Hook: "/new/cursor-ralph-hook"})
	want := "{\n  \"version\": 1,\n  \"hooks\": {\n    \"stop\": [\n      { \"command\": \"/new/cursor-ralph-hook --session-limit none --timeout 660 --linger 100ms --minimal\", /* mine */ \"failClosed\": true, \"timeout\": 660, \"loop_limit\": null },\n" +
		"      { \"command\": \"b\" }\n    ]\n  }\n}\n"
	if diff := cmp.Diff(want, string(mustMerge(t, before, nil, o))); diff != "" {
		t.Error(diff)
	}
}

// What others broke in our own entry an installation puts right: nothing is lost by that.
func TestOurOwnEntryIsRepaired(t *testing.T) {
	for name, broken := range map[string]string{
		"a type that a merger emptied": `"type": ""`, "an unknown type": `"type": "http"`, "a type of our own": `"type": "command"`,
		"failClosed in words": `"failClosed": "yes"`, "a matcher that is no pattern": `"matcher": "("`, "a timeout of 0": `"timeout": 0`, "a loop_limit of 0": `"loop_limit": 0`,
	} {
		before := `{"version": 1, "hooks": {"stop": [{"command": "/old/cursor-ralph-hook", ` + broken + `}]}}`
		once := mustMerge(t, []byte(before), nil, linux())
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
		{"a trailing comma without a version", "{\n\"hooks\": {\"stop\": [],},}", "line 2, column 23: a comma before the closing bracket; line 2, column 21: a comma"},
		{"nesting without end", strings.Repeat("[", maxSize), "too big"},
		{"binary", "\x00\xff\xfe", "line 1, column 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, _, err := merge([]byte(tt.file), linux().entries(), outlineOf(nil), false)
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

func TestARefusalSaysWhatToDoOnce(t *testing.T) {
	for _, tt := range []struct{ file, want string }{
		{`{"version": 1, "hooks": {"stop": [],},}`, "remove the comma (nothing was changed)"},
		{`{"hooks": {"stop": [],}}`, "remove the comma (nothing was changed)"},
		{`{"version": 1, "hooks": {"onStop": []}}`,
			"correct or remove it; `cursor-ralph install --any-event`, if your Cursor is newer and knows it (nothing was changed)"},
	} {
		_, _, err := merge([]byte(tt.file), linux().entries(), outlineOf(nil), false)
		if hint.Of(err) != tt.want {
			t.Errorf("%s: got %#v, want the hint %q", tt.file, err, tt.want)
		}
	}
}

func TestANewerEventIsAcceptedOnRequest(t *testing.T) {
	before := []byte(`{"version": 1, "hooks": {"onNewThing": [{"command": "a"}]}}`)
	if _, _, err := merge(before, linux().entries(), outlineOf(before), true); err != nil {
		t.Error(err)
	}
}

func TestAMissingVersionIsAddedAndSaid(t *testing.T) {
	before := []byte(`{"hooks": {"stop": [{"command": "a"}]}}`)
	merged, notes, err := merge(before, linux().entries(), outlineOf(before), false)
	if err != nil || len(notes) != 1 {
		t.Fatalf("got notes %q, error %v, want one note", notes, err)
	}
	edited := strings.Replace(string(merged), `"a"`, `"b"`, 1)
	if got := mustUnmerge(t, []byte(edited), before); string(got) != `{"hooks": {"stop": [{"command": "b"}]}, "version": 1}` {
		t.Errorf("got %s, want the version kept beside the user's edit", got)
	}
}

func TestUnmergeOfAFileThatCursorDropsStillWorks(t *testing.T) {
	for name, raw := range map[string]string{
		"two hooks":          `{"hooks": {"stop": [{"command": "/x/cursor-ralph-hook"}, {"command": "a"}]}, "hooks": {"stop": [{"command": "/x/cursor-ralph-hook"}]}}`,
		"a byte-order mark":  "\xef\xbb\xbf" + `{"hooks": {"stop": [{"command": "/x/cursor-ralph-hook"}, {"command": "http://x"}]}}`,
		"a trailing comma":   `{"hooks": {"stop": [{"command": "/x/cursor-ralph-hook"},]},}`,
		"an event as object": `{"hooks": {"stop": {}, "postToolUse": [{"command": "/x/cursor-ralph-hook"}]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			got, err := unmerge([]byte(raw), []byte(`{"mine": 1}`))
			if err != nil || Installed(got).own {
				t.Errorf("got %s, error %v", got, err)
			}
		})
	}
}

func FuzzMerge(f *testing.F) {
	for _, before := range odd() {
		f.Add([]byte(before), false)
		f.Add([]byte(before), true)
	}
	for seed := range int64(20) {
		f.Add([]byte(randomHooks(rand.New(rand.NewSource(seed)))), seed%2 == 0)
	}
	f.Fuzz(func(t *testing.T, before []byte, small bool) {
		o := linux()
		if o.Minimal = small; len(before) == 0 {
			before = []byte{}
		}
		merged, _, err := merge(before, o.entries(), outlineOf(before), false)
		if _, stripErr := strip(before, outlineOf(nil)); err != nil || stripErr != nil {
			return
		}
		if Installed(before).own {
			return
		}
		checkRoundTrip(t, string(before), func(o Options) Options { o.Minimal = small; return o })
		if found := drops(mustParse(t, merged), false); len(found) > 0 {
			t.Errorf("merged file would be dropped: %v\n%s", found, merged)
		}
	})
}
