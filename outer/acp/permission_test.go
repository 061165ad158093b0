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

// chosen gives the option that is chosen for a tool call.
func chosen(t *testing.T, x *turn, call, options string) string {
	t.Helper()
	x.a.setTurn(x)
	params := fmt.Sprintf(`{"sessionId":"s","toolCall":%s,"options":%s}`, call, options)
	answer, refused := x.a.handle(t.Context(), sdk.ClientMethodSessionRequestPermission, json.RawMessage(params))
	if refused != nil {
		t.Fatal(refused)
	}
	if s := answer.(sdk.RequestPermissionResponse).Outcome.Selected; s != nil {
		return string(s.OptionId)
	}
	return "cancelled"
}

// scene is a workspace with links, beside a folder that is not for the agent.
func scene(t *testing.T) string {
	t.Helper()
	top := folder(t)
	dir := filepath.Join(top, "work")
	write(t, filepath.Join(top, "outside", "secret"), "secret")
	write(t, filepath.Join(dir, "a.go"), "one\ntwo\nthree\n")
	write(t, filepath.Join(dir, ".git", "config"), "[core]\n")
	write(t, filepath.Join(dir, ".cursor", "plans", "p.md"), "plan\n")
	for link, target := range map[string]string{"out": "../outside", "nowhere": "../outside/new", "in": "a.go", "git": ".git", ".cursor/plans/code.md": "../../a.go"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestPolicies(t *testing.T) {
	dir := scene(t)
	kinds := []struct {
		call  string
		edits bool // allowed under that policy
		plan  bool // and in a plan
	}{
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
		{`{"kind":"edit","locations":[{"path":"DIR/.cursor/plans/p.md"}]}`, true, true},
		{`{"kind":"edit","locations":[{"path":"DIR/.cursor/plans/new.md"}]}`, true, true},
		{`{"kind":"edit","locations":[{"path":"DIR/.cursor/plans/p.md"},{"path":"DIR/a.go"}]}`, true, false},
		{`{"kind":"edit","locations":[{"path":"DIR/.cursor/plans/code.md"}]}`, true, false},
		{`{"kind":"edit","locations":[{"path":"DIR/.cursor/plans/p.sh"}]}`, true, false},
		{`{"kind":"delete","locations":[{"path":"DIR/a.go"}]}`, true, false},
		{`{"kind":"move","rawInput":{"old_path":"DIR/a.go","new_path":"/tmp/x"}}`, false, false},
		{`{"kind":"move","rawInput":{"old_path":"DIR/a.go","new_path":"DIR/b.go"}}`, true, false},
		{`{"kind":"execute","rawInput":{"command":"ls"}}`, false, false},
		{`{"kind":"execute","title":"ls"}`, false, false},
		{`{"kind":"fetch","rawInput":{"url":"https://example.com"}}`, false, true},
		{`{"kind":"switch_mode"}`, false, false},
		{`{"kind":"other","locations":[{"path":"DIR/a.go"}]}`, false, false},
		{`{"kind":"sudo"}`, false, false},
		{`{}`, false, false},
	}
	for _, policy := range []Policy{"", PolicyNone, PolicyEdits, PolicyAll, PolicyAsk, "maybe"} {
		for _, guarded := range []bool{false, true} {
			c := Config{Dir: dir, Policy: policy, Ask: func(context.Context, Request) bool { return true }}
			x := quiet(t, c, guarded, func(outer.Seen) {})
			for _, k := range kinds {
				yes := policy == PolicyAll || policy == PolicyAsk || policy == PolicyEdits && k.edits
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

// Gemini tells of a call in its request for permission first.
func TestACallIsKnownByItsRequest(t *testing.T) {
	dir, s := scene(t), &story{}
	x := quiet(t, Config{Dir: dir, Policy: PolicyEdits}, false, s.see)
	chosen(t, x, `{"toolCallId":"1","status":"pending","title":"Writing to a.go","kind":"edit","locations":[{"path":"a.go"}]}`, everyOption)
	x.update(json.RawMessage(`{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"1","status":"completed"}}`))
	if got := s.records(); len(got) != 1 || got[0].Tool != "edit" || got[0].File != filepath.Join(dir, "a.go") {
		t.Errorf("got %+v, want an edit of a.go", got)
	}
}

func TestOptions(t *testing.T) {
	const edit, run = `{"kind":"edit","locations":[{"path":"a.go"}]}`, `{"kind":"execute","title":"x"}`
	for _, tt := range []struct {
		policy              Policy
		call, options, want string
	}{
		{PolicyAll, run, alwaysOnly, "ya"},
		{PolicyAsk, run, alwaysOnly, "ya"},
		{PolicyEdits, edit, alwaysOnly, "cancelled"},
		{PolicyEdits, run, alwaysOnly, "na"},
		{PolicyNone, run, neverNo, "cancelled"},
		{PolicyAll, run, `[]`, "cancelled"},
		{PolicyAll, run, `[{"optionId":"x","kind":"allow_sometimes"}]`, "cancelled"},
	} {
		asked := false
		x := quiet(t, Config{Dir: folder(t), Policy: tt.policy, Ask: func(_ context.Context, r Request) bool {
			asked = r.Always
			return true
		}}, false, func(outer.Seen) {})
		if got := chosen(t, x, tt.call, tt.options); got != tt.want {
			t.Errorf("%s of %s: got %s, want %s", tt.policy, tt.options, got, tt.want)
		}
		if tt.policy == PolicyAsk && !asked {
			t.Error("the user is not told that his yes is for all")
		}
	}
}

func TestTheUserIsAsked(t *testing.T) {
	dir := scene(t)
	var got []Request
	answer := false
	x := quiet(t, Config{Dir: dir, Policy: PolicyAsk, Ask: func(_ context.Context, r Request) bool {
		got = append(got, r)
		return answer
	}}, false, func(outer.Seen) {})
	x.update(json.RawMessage(`{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"7","title":"Edit it","kind":"edit","locations":[{"path":"out/x"}]}}`))
	if got := chosen(t, x, `{"toolCallId":"7","status":"pending"}`, everyOption); got != "no" {
		t.Errorf("got %s, want no", got)
	}
	if len(got) != 1 || got[0].Title != "Edit it" || got[0].Kind != "edit" || !got[0].Outside || got[0].Always || got[0].Paths[0] != filepath.Join(dir, "out/x") {
		t.Errorf("got %+v, want what was told of the call before", got)
	}
	x.a.Ask = nil
	if got := chosen(t, x, `{"toolCallId":"7"}`, everyOption); got != "no" {
		t.Errorf("without a user: got %s, want no", got)
	}
}

func TestWhoIsAskedWhenTheTurnEndsWaitsForNoAnswer(t *testing.T) {
	asked := make(chan struct{})
	x := quiet(t, Config{Dir: folder(t), Policy: PolicyAsk, Ask: func(context.Context, Request) bool {
		close(asked)
		select {} // a user who is away
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
	x := quiet(t, Config{Dir: dir, Policy: PolicyAsk, Ask: func(context.Context, Request) bool {
		asked++
		return asked < 3
	}}, false, func(outer.Seen) {})
	file := filepath.Join(dir, "b.go")
	chosen(t, x, `{"kind":"edit","locations":[{"path":"b.go"}]}`, everyOption)
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
