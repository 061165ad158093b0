package acp

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/cursor-ralph/cursor-ralph/outer"
)

const (
	everyOption = `[{"optionId":"ya","kind":"allow_always","name":"reject_once"},{"optionId":"no","kind":"reject_once","name":"allow_once"},{"optionId":"yo","kind":"allow_once"},{"optionId":"na","kind":"reject_always"}]`
	alwaysOnly  = `[{"optionId":"ya","kind":"allow_always"},{"optionId":"na","kind":"reject_always"}]`
	neverNo     = `[{"optionId":"yo","kind":"allow_once"}]`
)

// chosen returns the option that we choose for a tool call.
func chosen(t *testing.T, x *turn, call, options string) string {
	t.Helper()
	x.a.turn.Store(x)
	params := fmt.Sprintf(`{"sessionId":"s","toolCall":%s,"options":%s}`, call, options)
	answer, refused := x.a.serve(t.Context(), sdk.ClientMethodSessionRequestPermission, json.RawMessage(params))
	if refused != nil {
		t.Fatal(refused)
	}
	if s := answer.(sdk.RequestPermissionResponse).Outcome.Selected; s != nil {
		return string(s.OptionId)
	}
	return "cancelled"
}

// scene returns a workspace with links, beside a folder that the agent must not reach.
func scene(t *testing.T) string {
	t.Helper()
	top := folder(t)
	dir := filepath.Join(top, "work")
	write(t, filepath.Join(top, "outside", "secret"), "secret")
	write(t, filepath.Join(dir, "a.go"), "one\ntwo\nthree\n")
	write(t, filepath.Join(dir, ".git", "config"), "[core]\n")
	write(t, filepath.Join(dir, ".cursor", "plans", "p.md"), "plan\n")
	write(t, filepath.Join(dir, "husky", "pre-commit"), "#!/bin/sh\n")
	links := map[string]string{"out": "../outside", "nowhere": "../outside/new", "in": "a.go", "git": ".git", ".husky": "husky", ".cursor/plans/code.md": "../../a.go"}
	for link, target := range links {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// policyCase is a tool call and whether we allow it.
type policyCase struct {
	call  string
	edits bool // by PolicyEdits
	plan  bool // in a plan loop
}

// inPlan reports whether the call writes the plan, which is an edit only in a plan loop.
func (c policyCase) inPlan(guarded bool) bool {
	return guarded && c.plan && strings.Contains(c.call, ".cursor/plans/")
}

func TestPolicies(t *testing.T) {
	dir := scene(t)
	kinds := []policyCase{
		{`{"kind":"read","locations":[{"path":"DIR/a.go"}]}`, true, true},
		{`{"kind":"read","locations":[{"path":"a.go"}]}`, true, true},
		{`{"kind":"read","locations":[{"path":"file://DIR/a.go"}]}`, true, true},
		{`{"kind":"read","locations":[{"path":"DIR/../outside/secret"}]}`, false, true},
		{`{"kind":"read","locations":[{"path":"DIR/out/../a.go"}]}`, false, true}, // beside the folder that the link leads to
		{`{"kind":"read","locations":[{"path":"/etc/passwd"}]}`, false, true},
		{`{"kind":"read","locations":[{"path":"~/.ssh/id"}]}`, false, true},
		{`{"kind":"read","locations":[{"path":"ssh://host/x"}]}`, false, true},
		{`{"kind":"read"}`, false, true},
		{`{"kind":"read","rawInput":{"command":"cat a.go","path":"a.go"}}`, false, false},
		{`{"kind":"search","rawInput":{"pattern":"x"}}`, true, true},
		{`{"kind":"search","rawInput":{"pattern":"x","path":"/etc"}}`, false, true},
		{`{"kind":"think"}`, true, true},
		{`{"kind":"edit","locations":[{"path":"DIR/a.go"}]}`, true, false},
		{`{"kind":"edit","rawInput":{"file_path":"DIR/new/deep/b.go","new_string":"../x"}}`, true, false},
		{`{"kind":"edit","content":[{"type":"diff","path":"DIR/a.go","newText":"x"}]}`, true, false},
		{`{"kind":"edit","content":[{"type":"diff","path":"/etc/passwd","newText":"x"}],"locations":[{"path":"DIR/a.go"}]}`, false, false},
		{`{"kind":"edit","locations":[{"path":"DIR/a.go"},{"path":"DIR/../outside/secret"}]}`, false, false},
		{`{"kind":"edit","locations":[{"path":"DIR/a.go"}],"rawInput":{"changes":{"/etc/passwd":{}}}}`, false, false},
		{`{"kind":"edit","locations":[{"path":"DIR/out/secret"}]}`, false, false},
		{`{"kind":"edit","locations":[{"path":"DIR/out/new/file"}]}`, false, false},
		{`{"kind":"edit","locations":[{"path":"DIR/nowhere"}]}`, false, false},
		{`{"kind":"edit","locations":[{"path":"DIR/in"}]}`, true, false},
		{`{"kind":"edit","locations":[{"path":"DIR/.git/config"}]}`, false, false},
		{`{"kind":"edit","locations":[{"path":"DIR/sub/.GIT/config"}]}`, false, false},
		{`{"kind":"edit","locations":[{"path":"DIR/git/hooks/pre-commit"}]}`, false, false},
		{`{"kind":"edit","rawInput":{"path":"DIR/a.go","file_text":"/* one line */"}}`, true, false},
		{`{"kind":"edit","locations":[{"path":"DIR/a\u0000b"}]}`, false, false},
		{`{"kind":"edit"}`, false, false},
		{`{"kind":"edit","locations":[{"path":"DIR/.cursor/plans/p.md"}]}`, false, true}, // in a plan it is the plan
		{`{"kind":"edit","locations":[{"path":"DIR/.cursor/plans/new.md"}]}`, false, true},
		{`{"kind":"edit","locations":[{"path":"DIR/.cursor/plans/p.md"},{"path":"DIR/a.go"}]}`, false, false},
		{`{"kind":"edit","locations":[{"path":"DIR/.cursor/plans/p.md"}],"rawInput":{"to":"a.go"}}`, false, false},
		{`{"kind":"edit","locations":[{"path":"DIR/.cursor/plans/code.md"}]}`, false, false},
		{`{"kind":"edit","locations":[{"path":"DIR/.cursor/plans/p.sh"}]}`, false, false},
		{`{"kind":"delete","locations":[{"path":"DIR/a.go"}]}`, true, false},
		{`{"kind":"move","rawInput":{"old_path":"DIR/a.go","new_path":"/tmp/x"}}`, false, false},
		{`{"kind":"move","rawInput":{"old_path":"DIR/a.go","new_path":"DIR/b.go"}}`, true, false},
		{`{"kind":"move","rawInput":{"from":"a.go","to":"b.go"}}`, false, false}, // no field says that these are paths
		{`{"kind":"move","locations":[{"path":"a.go"}],"rawInput":{"from":"a.go","to":"b.go"}}`, true, false},
		{`{"kind":"move","locations":[{"path":"a.go"}],"rawInput":{"from":"a.go","to":"/tmp/x"}}`, false, false},
		{`{"kind":"move","locations":[{"path":"a.go"}],"rawInput":{"from":"../outside/secret","to":"b.go"}}`, false, false},
		{`{"kind":"move","locations":[{"path":"a.go"}],"rawInput":{"from":"a.go","to":"out/x"}}`, false, false},
		{`{"kind":"move","locations":[{"path":"a.go"}],"rawInput":{"from":"a.go","to":".github"}}`, false, false},
		{`{"kind":"move","locations":[{"path":"a.go"}],"rawInput":["a.go","/tmp/x"]}`, false, false},
		{`{"kind":"move","locations":[{"path":"a.go"}],"rawInput":{"what":{"/tmp/x":true}}}`, false, false},
		{`{"kind":"move","locations":[{"path":"a.go"}],"rawInput":{"what":{"..":true}}}`, false, false},
		{`{"kind":"delete","locations":[{"path":"DIR"}]}`, false, false},
		{`{"kind":"edit","locations":[{"path":"a.go"}],"rawInput":{"source":"/etc/passwd"}}`, false, false},
		{`{"kind":"edit","locations":[{"path":"a.go"}],"rawInput":{"url":"https://example.com/x"}}`, false, false},
		{`{"kind":"edit","locations":[{"path":"a.go"}],"rawInput":{"url":"file:/etc/passwd"}}`, false, false},
		{`{"kind":"edit","locations":[{"path":"a.go"}],"rawInput":{"url":"file://localhost/etc/passwd"}}`, false, false},
		{`{"kind":"edit","locations":[{"path":"a.go"}],"rawInput":{"anything":"one\n/etc/passwd"}}`, false, false},
		{`{"kind":"edit","locations":[{"path":"a.go"}],"rawInput":"*** Begin Patch\n*** Update File: /etc/passwd\n"}`, false, false},
		{`{"kind":"edit","locations":[{"path":"a.go"}],"rawInput":{"patch":"*** Begin Patch\n*** Update File: /etc/passwd\n"}}`, false, false},
		{`{"kind":"edit","locations":[{"path":"a.go"}],"rawInput":{"diff":"--- a.go\n+++ ../outside/secret\n"}}`, false, false},
		{`{"kind":"edit","locations":[{"path":"a.go"}],"rawInput":{"filepath":"DIR/a.go","diff":"Index: DIR/a.go\n--- DIR/a.go\n+++ DIR/a.go\n@@ -1 +1 @@\n-x\n+../../y\n"}}`, true, false},
		{`{"kind":"edit","locations":[{"path":"a.go"}],"rawInput":{"executable":"./x.sh"}}`, false, false},
		{`{"kind":"edit","locations":[{"path":"a.go"}],"rawInput":{"old_string":"../x\n/etc","new_string":"~/y\n","replace_all":true,"line":3,"mode":"all at once"}}`, true, false},
		{`{"kind":"search","rawInput":{"pattern":"x","root":"/etc"}}`, false, true},
		{`{"kind":"search","rawInput":{"pattern":"x","include":["a","../outside"]}}`, false, true},
		{`{"kind":"search","rawInput":{"pattern":"x","glob":"*.{ts,tsx}"}}`, true, true},
		{`{"kind":"search","rawInput":{"pattern":"x","glob":"src/{a,b}/**/*.go"}}`, true, true},
		{`{"kind":"search","rawInput":{"glob":"/etc/*"}}`, false, true},
		{`{"kind":"search","rawInput":{"glob":"{x,/etc/*}"}}`, false, true},
		{`{"kind":"search","rawInput":{"glob":"{,x}/etc/*"}}`, false, true},
		{`{"kind":"search","rawInput":{"glob":"{..,x}/outside/*"}}`, false, true},
		{`{"kind":"search","rawInput":{"glob":"@(..|x)/outside/*"}}`, false, true},
		{`{"kind":"search","rawInput":{"glob":"{a,~/.ssh}/*"}}`, false, true},
		{`{"kind":"search"}`, false, true}, // everywhere
		{`{"kind":"think","rawInput":{"description":"Look","prompt":"Look at /etc\nand more"}}`, true, true},
		{`{"kind":"execute","rawInput":{"command":"ls"}}`, false, false},
		{`{"kind":"execute","title":"ls"}`, false, false},
		{`{"kind":"fetch","rawInput":{"url":"https://example.com"}}`, false, true},
		{`{"kind":"switch_mode"}`, false, false},
		{`{"kind":"other","locations":[{"path":"DIR/a.go"}]}`, false, false},
		{`{"kind":"sudo"}`, false, false},
		{`{}`, false, false},
	}
	for _, policy := range []outer.Policy{"", outer.PolicyNone, outer.PolicyEdits, outer.PolicyAll, outer.PolicyAsk, "maybe"} {
		for _, guarded := range []bool{false, true} {
			c := Config{Dir: dir, Policy: policy, Ask: func(context.Context, Request) Answer { return Yes }}
			x := quiet(t, c, guarded, func(outer.Seen) {})
			for _, k := range kinds {
				yes := policy == outer.PolicyAll || policy == outer.PolicyAsk || policy == outer.PolicyEdits && (k.edits || k.inPlan(guarded))
				want := "no"
				if yes && (k.plan || !guarded) {
					want = "yo"
				}
				call := strings.ReplaceAll(k.call, "DIR", filepath.ToSlash(dir))
				if got := chosen(t, x, call, everyOption); got != want {
					t.Errorf("%q, guarded %v, %s: got %s, want %s", policy, guarded, k.call, got, want)
				}
			}
		}
	}
}

// PolicyEdits does not cover files that tools execute, however their name is written.
func TestFilesThatToolsExecute(t *testing.T) {
	x := quiet(t, Config{Dir: scene(t), Policy: outer.PolicyEdits}, false, func(outer.Seen) {})
	for path, want := range map[string]bool{
		".git/hooks/pre-commit": true, ".git": true, "sub/repo/.git/config": true, ".GIT/config": true, "git/config": true,
		".cursor/hooks.json": true, ".Cursor/mcp.json": true, "a/.cursor/rules/x.mdc": true,
		".claude/settings.json": true, ".vscode/tasks.json": true, ".vſcode/tasks.json": true, ".envrc": true, "sub/.envrc": true,
		".husky/pre-commit": true, "husky/pre-commit": true, "husky": true, "husky/new/file": true,
		".devcontainer/devcontainer.json": true, ".devcontainer.json": true,
		".github/workflows/ci.yml": true, ".github/Workflows/ci.yml": true, ".github/workflows": true, ".github": true,
		".git./config": true, ".git /config": true, ".git::$INDEX_ALLOCATION/config": true, ".g\u200cit/config": true,
		"a.go": false, ".github/ISSUE_TEMPLATE.md": false, ".gitignore": false, ".gitx/config": false, "workflows/ci.yml": false,
		"envrc": false, "sub/husky/x": false, "docs/.github-like": false,
	} {
		call := compact(map[string]any{"kind": "edit", "locations": []any{map[string]any{"path": path}}})
		if got := chosen(t, x, call, everyOption); (got == "no") != want {
			t.Errorf("%q: got %s, want it refused: %v", path, got, want)
		}
		if _, err := x.writeFile(t.Context(), sdk.WriteTextFileRequest{Path: path, Content: "x"}); want && err == nil {
			t.Errorf("%q was written", path)
		}
	}
}

// Gemini reports a call first in its request for permission.
func TestACallIsKnownByItsRequest(t *testing.T) {
	dir, s := scene(t), &story{}
	x := quiet(t, Config{Dir: dir, Policy: outer.PolicyEdits}, false, s.see)
	chosen(t, x, `{"toolCallId":"1","status":"pending","title":"Writing to a.go","kind":"edit","locations":[{"path":"a.go"}]}`, everyOption)
	x.onUpdate(json.RawMessage(`{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"1","status":"completed"}}`))
	if got := s.records(); len(got) != 1 || got[0].Tool != "edit" || got[0].File != filepath.Join(dir, "a.go") {
		t.Errorf("got %+v, want an edit of a.go", got)
	}
}

func TestOptions(t *testing.T) {
	const edit, run = `{"kind":"edit","locations":[{"path":"a.go"}]}`, `{"kind":"execute","title":"x"}`
	for _, tt := range []struct {
		policy              outer.Policy
		call, options, want string
	}{
		{outer.PolicyAll, run, alwaysOnly, "ya"},
		{outer.PolicyAsk, run, alwaysOnly, "na"}, // it would allow more than this request
		{outer.PolicyAsk, run, everyOption, "yo"},
		{outer.PolicyEdits, edit, alwaysOnly, "na"},
		{outer.PolicyEdits, run, alwaysOnly, "na"},
		{outer.PolicyNone, run, neverNo, "cancelled"},
		{outer.PolicyAll, run, `[]`, "cancelled"},
		{outer.PolicyAll, run, `[{"optionId":"x","kind":"allow_sometimes"}]`, "cancelled"},
	} {
		asked := false
		x := quiet(t, Config{Dir: folder(t), Policy: tt.policy, Ask: func(context.Context, Request) Answer {
			asked = true
			return Yes
		}}, false, func(outer.Seen) {})
		if got := chosen(t, x, tt.call, tt.options); got != tt.want {
			t.Errorf("%s of %s: got %s, want %s", tt.policy, tt.options, got, tt.want)
		}
		if want := tt.policy == outer.PolicyAsk && tt.options == everyOption; asked != want {
			t.Errorf("%s of %s: asked %v, want %v", tt.policy, tt.options, asked, want)
		}
	}
}

func TestTheUserIsAsked(t *testing.T) {
	dir := scene(t)
	var got []Request
	x := quiet(t, Config{Dir: dir, Policy: outer.PolicyAsk, Ask: func(_ context.Context, r Request) Answer {
		got = append(got, r)
		return No
	}}, false, func(outer.Seen) {})
	x.onUpdate(json.RawMessage(`{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"7","title":"Edit it","kind":"edit","locations":[{"path":"out/x"}]}}`))
	if got := chosen(t, x, `{"toolCallId":"7","status":"pending"}`, everyOption); got != "no" {
		t.Errorf("got %s, want no", got)
	}
	if len(got) != 1 || got[0].Title != "Edit it" || got[0].Kind != "edit" || !got[0].Outside || got[0].Paths[0] != filepath.Join(dir, "out/x") {
		t.Errorf("got %+v, want what the agent reported before", got)
	}
	x.a.Ask = nil
	if got := chosen(t, x, `{"toolCallId":"7"}`, everyOption); got != "no" {
		t.Errorf("without a user: got %s, want no", got)
	}
}

func TestTheEndOfTheTurnEndsAQuestion(t *testing.T) {
	asked := make(chan struct{})
	x := quiet(t, Config{Dir: folder(t), Policy: outer.PolicyAsk, Ask: func(context.Context, Request) Answer {
		close(asked)
		select {} // the user does not answer
	}}, false, func(outer.Seen) {})
	go func() {
		<-asked
		x.end(false)
	}()
	if got := chosen(t, x, `{"kind":"execute","title":"x"}`, everyOption); got != "cancelled" {
		t.Errorf("got %s, want cancelled", got)
	}
}

func TestAPermissionIsUsedOnce(t *testing.T) {
	dir := scene(t)
	asked := 0
	x := quiet(t, Config{Dir: dir, Policy: outer.PolicyAsk, Ask: func(context.Context, Request) Answer {
		asked++
		return map[bool]Answer{true: Yes}[asked < 3]
	}}, false, func(outer.Seen) {})
	file := filepath.Join(dir, "b.go")
	chosen(t, x, `{"kind":"edit","content":[{"type":"diff","path":"b.go","newText":"0"}]}`, everyOption)
	for i, want := range []struct{ asked, errors int }{{1, 0}, {2, 0}, {3, 1}} {
		_, err := x.writeFile(t.Context(), sdk.WriteTextFileRequest{Path: file, Content: fmt.Sprint(i)})
		if asked != want.asked || (err != nil) != (want.errors > 0) {
			t.Errorf("write %d: asked %d times and got %v, want %d and an error: %v", i, asked, err, want.asked, want.errors > 0)
		}
	}
	if got, _ := os.ReadFile(file); string(got) != "1" {
		t.Errorf("got %q, want the second", got)
	}
}

// Each case is an edit that the user allows, and what the agent then writes.
func TestAPermissionIsForItsEdit(t *testing.T) {
	const whole, part = `{"type":"diff","path":"a.go","newText":"new\n"}`, `{"type":"diff","path":"a.go","oldText":"two","newText":"2"}`
	for _, tt := range []struct {
		diff, path, content string
		want                bool // the user is not asked again
	}{
		{whole, "a.go", "new\n", true},
		{whole, "a.go", "other\n", false},
		{whole, "b.go", "new\n", false},
		{part, "a.go", "one\n2\nthree\n", true},
		{part, "a.go", "2", false},
		{part, "a.go", "one\n2\nthree\nfour\n", false},
		{`{"type":"diff","path":"a.go","oldText":"e","newText":"E"}`, "a.go", "onE\ntwo\nthree\n", false}, // which e is not said
		{`{"type":"content"}`, "a.go", "new\n", false},
	} {
		asked := 0
		x := quiet(t, Config{Dir: scene(t), Policy: outer.PolicyAsk, Ask: func(context.Context, Request) Answer {
			asked++
			return Yes
		}}, false, func(outer.Seen) {})
		chosen(t, x, `{"kind":"edit","locations":[{"path":"a.go"}],"content":[`+tt.diff+`]}`, everyOption)
		if _, err := x.writeFile(t.Context(), sdk.WriteTextFileRequest{Path: tt.path, Content: tt.content}); err != nil || asked > 2 || (asked == 1) != tt.want {
			t.Errorf("%q after %s: asked %d times, %v; want it allowed already: %v", tt.content, tt.diff, asked, err, tt.want)
		}
	}
}

// The user sees everything that the agent sent.
func TestARequestIsComplete(t *testing.T) {
	dir := scene(t)
	var got Request
	x := quiet(t, Config{Dir: dir, Policy: outer.PolicyAsk, Ask: func(_ context.Context, r Request) Answer {
		got = r
		return No
	}}, false, func(outer.Seen) {})
	chosen(t, x, `{"kind":"execute","title":"run ls","rawInput":{"command":["DIR/evil/bash","-c","ls"],"cwd":"sub","env":{"B":"2","A":"1"},"timeout":5}}`, everyOption)
	want := Execution{Argv: list("DIR/evil/bash", "-c", "ls"), Dir: filepath.Join(dir, "sub"), Env: list("A=1", "B=2")}
	if got.Execution == nil || !got.Execution.equal(want) || len(got.Input) != 1 || got.Input[0] != `"timeout": 5` {
		t.Errorf("got %+v, input %q; want %+v and the timeout", got.Execution, got.Input, want)
	}
	chosen(t, x, `{"kind":"edit","rawInput":{"path":"a.go","mode":"append","content":"x"},"content":[{"type":"diff","path":"a.go","newText":"x"}]}`, everyOption)
	if len(got.Edits) != 1 || got.Edits[0] != (Edit{filepath.Join(dir, "a.go"), "one\ntwo\nthree\n", "x"}) || len(got.Input) != 1 || got.Input[0] != `"mode": "append"` {
		t.Errorf("got %+v, want the edit of what is there, and the mode", got)
	}
	chosen(t, x, `{"kind":"read","rawInput":{"path":"a\nb"}}`, everyOption)
	if len(got.Paths) != 1 || got.Paths[0] != filepath.Join(dir, "a\nb") {
		t.Errorf("got %q, want the path of two lines", got.Paths)
	}
	chosen(t, x, `{"kind":"execute","title":"ls","content":[{"type":"content","content":{"type":"text","text":"lists"}}]}`, everyOption)
	if got.Execution == nil || got.Execution.String() != "" || len(got.Says) != 1 {
		t.Errorf("got %+v, want an execution of which nothing is known but words", got)
	}
}

// Each request is made after the user has allowed the first one for good.
func TestALastingPermissionIsForExactlyThat(t *testing.T) {
	const ls, edit = `{"kind":"execute","rawInput":{"command":"ls -l","description":"list"}}`, `{"kind":"edit","content":[{"type":"diff","path":"a.go","oldText":"one","newText":"1"}]}`
	for _, tt := range []struct {
		first, then string
		want        bool // the user is asked again
	}{
		{ls, ls, false},
		{ls, `{"kind":"execute","title":"other words","rawInput":{"command":"ls -l","description":"list again"}}`, false},
		{ls, `{"kind":"execute","rawInput":{"command":"ls  -l"}}`, true},
		{ls, `{"kind":"execute","rawInput":{"command":"ls -l; rm x"}}`, true},
		{ls, `{"kind":"execute","rawInput":{"command":"ls -l","script":"rm x"}}`, true},
		{ls, `{"kind":"execute","rawInput":{"command":["ls","-l"]}}`, true},
		{ls, `{"kind":"execute","rawInput":{"command":"ls -l","cwd":"husky"}}`, true},
		{ls, `{"kind":"execute","rawInput":{"command":"ls -l","cwd":"DIR","workdir":"husky"}}`, true},
		{ls, `{"kind":"execute","rawInput":{"command":"ls -l","env":{"PATH":"."}}}`, true},
		{ls, `{"kind":"execute","rawInput":{"command":"ls -l","sandbox":false}}`, true},
		{ls, edit, true},
		{edit, edit, false},
		{edit, `{"kind":"edit","rawInput":{"path":"DIR/a.go","old_string":"x","new_string":"y","replace_all":true}}`, false},
		{edit, `{"kind":"edit","content":[{"type":"diff","path":"b.go","newText":"1"}]}`, true},
		{edit, `{"kind":"edit","content":[{"type":"diff","path":"a.go","newText":"1"},{"type":"diff","path":"b.go","newText":"1"}]}`, true},
		{edit, `{"kind":"edit","rawInput":{"path":"a.go","to":"b.go"}}`, true},
		{edit, `{"kind":"edit","rawInput":{"path":"a.go","command":"rm x"}}`, true},
		{edit, `{"kind":"delete","locations":[{"path":"a.go"}]}`, true},
		{edit, `{"kind":"read","locations":[{"path":"a.go"}]}`, true},
		{edit, ls, true},
	} {
		dir, asked, lasting := scene(t), 0, false
		x := quiet(t, Config{Dir: dir, Policy: outer.PolicyAsk, Ask: func(_ context.Context, r Request) Answer {
			asked, lasting = asked+1, lasting || r.Lasting
			return Always
		}}, false, func(outer.Seen) {})
		for _, call := range []string{tt.first, tt.then} {
			if got := chosen(t, x, strings.ReplaceAll(call, "DIR", filepath.ToSlash(dir)), everyOption); got != "yo" {
				t.Errorf("%s: the agent got %s, want yo: it must not remember more than we do", call, got)
			}
		}
		if !lasting || (asked == 2) != tt.want {
			t.Errorf("%s after %s: asked %d times, want it asked again: %v", tt.then, tt.first, asked, tt.want)
		}
	}
}

// For these the user is asked each time.
func TestSomePermissionsDoNotLast(t *testing.T) {
	for _, call := range []string{
		`{"kind":"execute","title":"ls"}`,
		`{"kind":"execute","rawInput":{"command":"ls","cmd":"rm x"}}`,
		`{"kind":"edit","locations":[{"path":".git/config"}]}`,
		`{"kind":"edit","locations":[{"path":"in"}]}`, // a link may lead elsewhere next time
		`{"kind":"edit","locations":[{"path":"../outside/secret"}]}`,
		`{"kind":"edit","locations":[{"path":"a.go"},{"path":"b.go"}]}`,
		`{"kind":"delete","locations":[{"path":"a.go"}]}`,
		`{"kind":"fetch","rawInput":{"url":"https://example.com"}}`,
		`{"kind":"other"}`,
	} {
		asked := 0
		x := quiet(t, Config{Dir: scene(t), Policy: outer.PolicyAsk, Ask: func(_ context.Context, r Request) Answer {
			asked++
			if r.Lasting {
				t.Errorf("%s: always is an answer", call)
			}
			return Always
		}}, false, func(outer.Seen) {})
		chosen(t, x, call, everyOption)
		chosen(t, x, call, everyOption)
		if asked != 2 {
			t.Errorf("%s: asked %d times, want 2", call, asked)
		}
	}
}
