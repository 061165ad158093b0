package loop_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// input is a tool's input with one path in a field.
func input(field, path string) string { return fmt.Sprintf(`{%q: %q, "contents": "x"}`, field, path) }

// The list has every kind of call: those marked pass, and no other.
func TestPlanAllowsWhatIsOnTheList(t *testing.T) {
	const passes, denied = true, false
	for _, tt := range []struct {
		tool, input string
		want        bool
	}{
		{"Read", `{"file_path": "/repo/src/main.go"}`, passes},
		{"Read", `{"path": "/etc/passwd"}`, passes},
		{"Read", `what is this?`, passes},
		{"Read", ``, passes},
		{"read_file", `{"target_file": "main.go"}`, passes},
		{"ReadFile", `{"path": "main.go"}`, passes},
		{"read_file_v2", `{}`, passes},
		{"READ", `{}`, passes},
		{"Grep", `{"pattern": "rm -rf"}`, passes},
		{"rg", `{"pattern": "x"}`, passes},
		{"grep_search", `{}`, passes},
		{"ripgrep_raw_search", `{}`, passes},
		{"Glob", `{"glob_pattern": "**/*.go"}`, passes},
		{"glob_file_search", `{}`, passes},
		{"file_search", `{}`, passes},
		{"LS", `{"path": "/"}`, passes},
		{"list_dir", `{}`, passes},
		{"SemanticSearch", `{"query": "x"}`, passes},
		{"codebase_search", `{"query": "x"}`, passes},
		{"ReadLints", `{"paths": ["a.go"]}`, passes},
		{"read_lints", `{}`, passes},
		{"fetch_rules", `{}`, passes},
		{"WebSearch", `{"search_term": "x"}`, passes},
		{"web_fetch", `{"url": "https://example.com"}`, passes},
		{"CreatePlan", `{"name": "x", "plan": "# x"}`, passes},
		{"create_plan", `{}`, passes},
		{"Write", input("file_path", "/repo/.cursor/plans/x.md"), passes},
		{"Write", input("path", "/repo/.cursor/plans/x.plan.md"), passes},
		{"write", input("path", ".cursor/plans/x.md"), passes},
		{"Write", input("path", "./.cursor//plans/./x.md"), passes},
		{"Write", input("path", "/home/me/.cursor/plans/i50–i56 ü_87cc767e.plan.md"), passes},
		{"StrReplace", `{"path": "/repo/.cursor/plans/x.md", "old_string": "a", "new_string": "b", "replace_all": true}`, passes},
		{"search_replace", input("file_path", "/other/.cursor/plans/x.md"), passes},
		{"edit_file", `{"target_file": "/repo/.cursor/plans/x.md", "instructions": "i", "code_edit": "c", "blocking": null}`, passes},

		{"Shell", `{"command": "cat README.md"}`, denied},
		{"Shell", `{"command": "cursor-ralph slash ralph-loop"}`, denied},
		{"Shell", `{"command": "cursor-ralph cancel"}`, denied},
		{"Shell", input("path", "/repo/.cursor/plans/x.md"), denied},
		{"AwaitShell", `{}`, denied},
		{"run_terminal_cmd", `{"command": "ls"}`, denied},
		{"write_shell_stdin", `{}`, denied},
		{"Bash", `{"command": "ls"}`, denied},
		{"MCP:read", `{}`, denied},
		{"MCP:read_file", `{"path": "/repo/a"}`, denied},
		{"MCP:Write", input("path", "/repo/.cursor/plans/x.md"), denied},
		{"MCP:", `{}`, denied},
		{"mcp_web_fetch", `{}`, denied},
		{"call_mcp_tool", `{}`, denied},
		{"read_mcp_resource", `{}`, denied},
		{"Task", `{"prompt": "do it"}`, denied},
		{"Delete", input("path", "/repo/.cursor/plans/x.md"), denied},
		{"delete_file", input("target_file", "/repo/a.go"), denied},
		{"ApplyPatch", `{"patch": "*** Update File: /repo/.cursor/plans/x.md"}`, denied},
		{"EditNotebook", input("target_notebook", "/repo/.cursor/plans/x.md"), denied},
		{"TodoWrite", `{"todos": []}`, denied},
		{"SwitchMode", `{"target_mode_id": "agent"}`, denied},
		{"AskQuestion", `{}`, denied},
		{"fix_lints", `{}`, denied},
		{"reapply", input("target_file", "/repo/.cursor/plans/x.md"), denied},
		{"computer_use", `{}`, denied},
		{"", `{}`, denied},
		{" Read", `{}`, denied},
		{"Read ", `{}`, denied},
		{"Read\x00", `{}`, denied},
		{"Read\n", `{}`, denied},
		{"read_and_write", `{}`, denied},
		{"Rеad", `{}`, denied},                                               // a Cyrillic e
		{"ſtrreplace", input("path", "/repo/.cursor/plans/x.md"), denied},    // a long s
		{"liſt_dir", `{}`, denied},                                           // the same
		{"Write", input("path", "/repo/src/main.go"), denied},                // not a plan
		{"Write", input("path", "/repo/.cursor/hooks.json"), denied},         // ours
		{"Write", input("path", "/tmp/cursor-ralph-loop-a.json"), denied},    // ours
		{"Write", input("path", "/repo/.cursor/plans/x.go"), denied},         // not Markdown
		{"Write", input("path", "/repo/.cursor/plans/x.MD"), denied},         // another name
		{"Write", input("path", "/repo/.cursor/plans/.md"), denied},          // no name
		{"Write", input("path", "/repo/.cursor/plans/.x.md"), denied},        // hidden
		{"Write", input("path", "/repo/.cursor/plans/"), denied},             // a folder
		{"Write", input("path", "/repo/.cursor/plans"), denied},              // a folder
		{"Write", input("path", "/repo/.cursor/plans/deep/x.md"), denied},    // not in it
		{"Write", input("path", "/repo/.cursor/plans/../x.md"), denied},      // upwards
		{"Write", input("path", "/repo/src/../.cursor/plans/x.md"), denied},  // upwards
		{"Write", input("path", `/repo/.cursor/plans/..\..\x.md`), denied},   // upwards elsewhere
		{"Write", input("path", "../repo/.cursor/plans/x.md"), denied},       // upwards
		{"Write", input("path", "/repo/.Cursor/plans/x.md"), denied},         // another name
		{"Write", input("path", "/work2/.cursor/plans/x.md"), denied},        // another folder
		{"Write", input("path", "/repo/sub/.cursor/plans/x.md"), denied},     // another folder
		{"Write", input("path", "~/.cursor/plans/x.md"), denied},             // nobody expands it
		{"Write", input("path", "plans/x.md"), denied},                       // relative
		{"Write", input("path", "x.md"), denied},                             // relative
		{"Write", input("path", "/repo/.cursor/plans/x.md:a.md"), denied},    // a stream
		{"Write", input("path", "/repo/.cursor/plans/x.md\n"), denied},       // a control character
		{"Write", input("path", "/repo/.cursor/plans/x\x00.md"), denied},     // a control character
		{"Write", input("path", "/repo/.cursor/plans/x\u202edm.md"), denied}, // shown backwards
		{"Write", input("path", "file:///repo/.cursor/plans/x.md"), denied},
		{"Write", input("path", ""), denied},
		{"Write", input("file", "/repo/.cursor/plans/x.md"), denied},
		{"Write", input("File_Path", "/repo/.cursor/plans/x.md"), denied},
		{"Write", `{"path": ["/repo/.cursor/plans/x.md"]}`, denied},
		{"Write", `{"path": null}`, denied},
		{"Write", `{"path": 7}`, denied},
		{"Write", `{"path": {"path": "/repo/.cursor/plans/x.md"}}`, denied},
		{"Write", `{"contents": "x"}`, denied},
		{"Write", `{"path": "/repo/.cursor/plans/x.md", "file_path": "/repo/a.go"}`, denied},
		{"Write", `{"path": "/repo/.cursor/plans/x.md", "path": "/repo/a.go"}`, denied},
		{"Write", `{"path": "/repo/a.go", "path": "/repo/.cursor/plans/x.md"}`, denied},
		{"Write", `{"path": "/repo/.cursor/plans/x.md", "PATH": "/repo/a.go"}`, denied},
		{"Write", `{"path": "/repo/.cursor/plans/x.md", "uri": "/repo/a.go"}`, denied},
		{"Write", `{"path": "/repo/.cursor/plans/x.md", "edits": [{"path": "/repo/a.go"}]}`, denied},
		{"Write", `{"path": "/repo/.cursor/plans/x.md"} {}`, denied},
		{"Write", `{"path": "/repo/.cursor/plans/x.md"`, denied},
		{"Write", `["/repo/.cursor/plans/x.md"]`, denied},
		{"Write", `"/repo/.cursor/plans/x.md"`, denied},
		{"Write", `null`, denied},
		{"Write", ``, denied},
	} {
		c := loop.PlanCall{Tool: tt.tool, Input: []byte(tt.input), Roots: []string{"/repo", "/other/"}, Home: "/home/me"}
		if files, got := c.Allowed(); got != tt.want {
			t.Errorf("%q with %s: got %v %q, want %v", tt.tool, tt.input, got, files, tt.want)
		}
	}
}

func TestFilesThatAPlanMayBe(t *testing.T) {
	both := []string{"/a", "/b"}
	for _, tt := range []struct {
		path    string
		roots   []string
		home    string
		windows bool
		want    []string
	}{
		{"/a/.cursor/plans/x.md", both, "/h", false, []string{"/a/.cursor/plans/x.md"}},
		{"//a/./.cursor/plans/x.md", both, "/h", false, []string{"/a/.cursor/plans/x.md"}},
		{".cursor/plans/x.md", both, "/h", false, []string{"/a/.cursor/plans/x.md", "/b/.cursor/plans/x.md"}},
		{".cursor/plans/x.md", nil, "/h", false, nil},
		{".cursor/plans/x.md", []string{"/"}, "", false, []string{"/.cursor/plans/x.md"}},
		{"/.cursor/plans/x.md", []string{"", "."}, "", false, nil},
		{"/.cursor/plans/x.md", []string{"/a/.."}, "..", false, nil},
		{"/h/.cursor/plans/x.md", nil, "/h", false, []string{"/h/.cursor/plans/x.md"}},
		{`C:\a\.cursor\plans\x.md`, []string{"/c:/a"}, "", true, []string{"c:/a/.cursor/plans/x.md"}},
		{`/c:/a/.cursor/plans/x.md`, []string{`C:\a\`}, "", true, []string{"c:/a/.cursor/plans/x.md"}},
		{`.cursor\plans\x.md`, []string{`C:\a`}, "", true, []string{"c:/a/.cursor/plans/x.md"}},
		{`C:\Users\me\.cursor\plans\x.md`, nil, `C:\Users\me`, true, []string{"c:/Users/me/.cursor/plans/x.md"}},
		{`\\server\a\.cursor\plans\x.md`, []string{"//server/a"}, "", true, []string{"//server/a/.cursor/plans/x.md"}},
		{`\server\a\.cursor\plans\x.md`, []string{"//server/a"}, "", true, nil},
		{`C:.cursor\plans\x.md`, []string{`C:\a`}, "", true, nil},
		{`D:\a\.cursor\plans\x.md`, []string{`C:\a`}, "", true, nil},
		{`C:\a\.cursor\plans\..\x.md`, []string{`C:\a`}, "", true, nil},
		{`C:\a\.cursor\plans\x.md`, []string{"/c:/a"}, "", false, nil},
	} {
		c := loop.PlanCall{Tool: "Write", Input: []byte(input("path", tt.path)), Roots: tt.roots, Home: tt.home, Windows: tt.windows}
		got, ok := c.Allowed()
		if !slices.Equal(got, tt.want) || ok != (len(tt.want) > 0) {
			t.Errorf("%s in %q: got %q, %v, want %q", tt.path, tt.roots, got, ok, tt.want)
		}
	}
}

// Whatever stands in the input of a tool that writes, what passes is in the
// folder of plans.
func FuzzPlanCall(f *testing.F) {
	f.Add("Write", input("path", "/repo/.cursor/plans/x.md"), false)
	f.Add("Write", input("path", `C:\work\.cursor\plans\x.md`), true)
	f.Add("edit_file", `{"target_file": ".cursor/plans/x.md", "code_edit": "x"}`, false)
	f.Fuzz(func(t *testing.T, tool, input string, windows bool) {
		root := "/repo"
		if windows {
			root = "c:/repo"
		}
		files, ok := loop.PlanCall{Tool: tool, Input: []byte(input), Roots: []string{root}, Windows: windows}.Allowed()
		for _, file := range files {
			name, in := strings.CutPrefix(file, root+"/.cursor/plans/")
			if !ok || !in || !strings.HasSuffix(name, ".md") || strings.ContainsAny(name, `/\:`) {
				t.Errorf("%q with %q: got %q", tool, input, file)
			}
		}
	})
}
