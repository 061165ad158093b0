package acp

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/cursor-ralph/cursor-ralph/internal/outer"
)

const everyOption = `[{"optionId":"ya","kind":"allow_always"},{"optionId":"na","kind":"reject_always"},{"optionId":"yo","kind":"allow_once"},{"optionId":"no","kind":"reject_once"}]`

// chosen returns the option that answers a request for permission; empty is cancelled.
func chosen(t *testing.T, x *turn, call, options string) string {
	t.Helper()
	var p sdk.RequestPermissionRequest
	if err := errors.Join(json.Unmarshal([]byte(call), &p.ToolCall), json.Unmarshal([]byte(options), &p.Options)); err != nil {
		t.Fatal(err)
	}
	if s := x.onPermission(t.Context(), p).Selected; s != nil {
		return string(s.OptionId)
	}
	return ""
}

// scene is a workspace with a file and links.
func scene(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(folder(t), "work")
	write(t, filepath.Join(dir, "a.go"), "x")
	write(t, filepath.Join(dir, "..", "secret"), "x")
	if runtime.GOOS == "windows" {
		return dir
	}
	if err := errors.Join(os.Symlink("..", filepath.Join(dir, "out")), os.Symlink("nothing", filepath.Join(dir, "CLAUDE.md")), os.Mkdir(filepath.Join(dir, "cfg"), 0o700),
		os.Mkdir(filepath.Join(dir, "other"), 0o700), os.Symlink("../cfg", filepath.Join(dir, "other", ".cursor")), os.Symlink("loop", filepath.Join(dir, "loop"))); err != nil {
		t.Fatal(err)
	}
	return dir
}

// The policies by the kind that an agent declares. DIR is the workspace.
func TestPolicies(t *testing.T) {
	t.Parallel()
	dir := scene(t)
	for _, k := range []struct {
		call        string
		edits, plan bool // whether it is allowed
	}{
		{`{"kind":"read","locations":[{"path":"DIR/a.go"}]}`, true, true},
		{`{"kind":"read","locations":[{"path":"a.go"},{"path":"/etc/passwd"}]}`, false, true},
		{`{"kind":"read","rawInput":{"file_path":"DIR/../secret"}}`, false, true},
		{`{"kind":"read"}`, false, true},
		{`{"kind":"search","locations":[{"path":"DIR"}]}`, true, true},
		{`{"kind":"search"}`, false, true},
		{`{"kind":"think"}`, true, true},
		{`{"kind":"fetch","rawInput":{"url":"https://example.com"}}`, false, true},
		{`{"kind":"edit","locations":[{"path":"DIR/a.go"}]}`, true, false},
		{`{"kind":"edit","content":[{"type":"diff","path":"DIR/new/b.go","newText":"x"}]}`, true, false},
		{`{"kind":"edit","content":[{"type":"diff","path":"DIR/b.go","newText":"x"}],"locations":[{"path":"DIR/AGENTS.md"}]}`, false, false},
		{`{"kind":"edit","rawInput":{"filePath":"DIR/b.go","content":"x"}}`, true, false},
		{`{"kind":"edit"}`, false, false},
		{`{"kind":"edit","locations":[{"path":"DIR/a.go"}],"rawInput":{"command":"rm -rf ."}}`, false, false},
		{`{"kind":"edit","locations":[{"path":"DIR/a.go"}],"rawInput":{"cmd":["rm","-rf","."]}}`, false, false},
		{`{"kind":"read","locations":[{"path":"DIR/a.go"}],"rawInput":{"cmd":"rm -rf ."}}`, false, false},
		{`{"kind":"edit","locations":[{"path":"DIR/.cursor/plans/a.md"}]}`, false, true},
		{`{"kind":"edit","locations":[{"path":"DIR/.cursor/plans/a.md"},{"path":"DIR/a.go"}]}`, false, false},
		{`{"kind":"edit","locations":[{"path":"DIR/.cursor/plans/a.sh"}]}`, false, false},
		{`{"kind":"delete","locations":[{"path":"DIR/a.go"}]}`, true, false},
		{`{"kind":"delete","locations":[{"path":"DIR"}]}`, false, false},
		{`{"kind":"move","locations":[{"path":"DIR/a.go"},{"path":"DIR/.git/hooks/pre-commit"}]}`, false, false},
		{`{"kind":"execute","rawInput":{"command":"ls"}}`, false, false},
		{`{"kind":"execute","locations":[{"path":"DIR/a.go"}]}`, false, false},
		{`{"kind":"switch_mode"}`, false, false},
		{`{"kind":"other","locations":[{"path":"DIR/a.go"}]}`, false, false},
		{`{"kind":"sudo","locations":[{"path":"DIR/a.go"}]}`, false, false},
		{`{}`, false, false},
	} {
		for _, policy := range []outer.Policy{"", outer.PolicyNone, outer.PolicyEdits, outer.PolicyAll, outer.PolicyAsk, "maybe"} {
			for _, plans := range []bool{false, true} {
				x := quiet(t, Config{Dir: dir, Policy: policy, Ask: func(context.Context, Request) bool { return true }}, plans, func(outer.Seen) {})
				want := map[outer.Policy]bool{outer.PolicyAll: true, outer.PolicyAsk: true, outer.PolicyEdits: k.edits}[policy]
				if plans {
					want = k.plan
				}
				call := strings.ReplaceAll(strings.Replace(k.call, "{", `{"toolCallId":"1",`, 1), "DIR", filepath.ToSlash(dir))
				if got := chosen(t, x, strings.Replace(call, ",}", "}", 1), everyOption); (got == "yo") != want || !want && got != "no" {
					t.Errorf("%q, plans %v, %s: got %q, want it allowed: %v", policy, plans, k.call, got, want)
				}
			}
		}
	}
}

// What is outside of the workspace, and what is obeyed, by any name for it. test/hostile has
// more, through the program.
func TestPathsOfEdits(t *testing.T) {
	t.Parallel()
	dir := scene(t)
	x := quiet(t, Config{Dir: dir, Policy: outer.PolicyEdits}, false, func(outer.Seen) {})
	paths := map[string]bool{
		"a.go": true, "./a.go": true, "sub/new.go": true, ".gitignore": true, ".gitx/config": true, "husky/x": true, "envrc": true, dir + "/a.go": true, "file://" + filepath.ToSlash(dir) + "/a%2Ego": true,
		".git/hooks/pre-commit": false, ".GIT/config": false, "sub/repo/.git": false, ".vſcode/tasks.json": false, ".git./config": false, ".git::$INDEX_ALLOCATION/config": false, ".g\u200cit/config": false,
		"~/x": false, "/etc/x": false, "../x": false, "sub/../../x": false, "https://example.com/x": false, "x\x00y": false, "file:///etc/x": false, ".": false,
	}
	if runtime.GOOS != "windows" {
		for path, want := range map[string]bool{"out/x": false, "out/work/a.go": true, "nothing": false, "other/.cursor/hooks.json": false, "cfg/x": true, "loop/x": false} {
			paths[path] = want
		}
	}
	for path, want := range paths {
		call := compact(map[string]any{"toolCallId": "1", "kind": "edit", "locations": []any{map[string]any{"path": path}}})
		if got := chosen(t, x, call, everyOption); (got == "yo") != want {
			t.Errorf("%q: got %q, want it allowed: %v", path, got, want)
		}
	}
}

// A workspace below a folder with such a name is one like any other.
func TestAWorkspaceInsideOfAnObeyedFolder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(folder(t), ".claude", "worktrees", "x")
	write(t, filepath.Join(dir, "a.go"), "")
	x := quiet(t, Config{Dir: dir, Policy: outer.PolicyEdits}, false, func(outer.Seen) {})
	if got := chosen(t, x, compact(map[string]any{"toolCallId": "1", "kind": "edit", "locations": []any{map[string]any{"path": dir + "/a.go"}}}), everyOption); got != "yo" {
		t.Errorf("got %q", got)
	}
}

// A request has what was reported about the call before it.
func TestRequest(t *testing.T) {
	t.Parallel()
	dir := scene(t)
	var got Request
	x := quiet(t, Config{Dir: dir, Policy: outer.PolicyAsk, Ask: func(_ context.Context, r Request) bool { got = r; return false }}, false, func(outer.Seen) {})
	x.update(`{"sessionUpdate":"tool_call","toolCallId":"1","title":"Edit","kind":"edit","rawInput":{"file_path":"a.go","new":"y","n":7}}`)
	if a := chosen(t, x, `{"toolCallId":"1","title":"Edit a.go","content":[{"type":"diff","path":"a.go","oldText":"x","newText":"y"},{"type":"content","content":{"type":"text","text":"why"}}]}`, everyOption); a != "no" {
		t.Errorf("got the answer %q", a)
	}
	file := filepath.Join(dir, "a.go")
	if got.Kind != "edit" || got.Title != "Edit a.go" || len(got.Edits) != 1 || got.Edits[0] != (Edit{file, "x", "y"}) {
		t.Errorf("got %+v", got)
	}
	same(t, "paths", got.Paths, list(file))
	same(t, "input, without what the diff shows", got.Input, list(`"file_path": "a.go"`, `"n": 7`))
	same(t, "words", got.Says, list("why"))
}
