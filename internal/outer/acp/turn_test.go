package acp

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/cursor-ralph/cursor-ralph/internal/outer"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// quiet returns a turn without an agent process.
func quiet(t *testing.T, c Config, plans bool, see func(outer.Seen)) *turn {
	t.Helper()
	ws, err := openWorkspace(c.Dir)
	if err != nil {
		t.Fatal(err)
	}
	a := &agent{driver: Open(c).(*driver), ws: ws, session: &session{id: "s"}}
	x := newTurn(t.Context(), a, plans, see)
	t.Cleanup(func() { x.end(false) })
	return x
}

// update is what the SDK does with an update: what it cannot read, it leaves out.
func (t *turn) update(u string) {
	var update sdk.SessionUpdate
	if json.Unmarshal([]byte(u), &update) == nil {
		t.onUpdate(update)
	}
}

// Each case is the updates of a turn and what the turn reports. DIR is the workspace.
func TestUpdates(t *testing.T) {
	t.Parallel()
	text := func(s string) outer.Seen { return outer.Seen{Record: loop.Record{Kind: loop.RecordText, Text: s}} }
	piece := func(s string) outer.Seen { return outer.Seen{Text: s} }
	begun := func(s string) outer.Seen { return outer.Seen{Tool: s} }
	tool := func(r loop.Record) outer.Seen {
		r.Kind = loop.RecordTool
		return outer.Seen{Record: r}
	}
	ran := func(command string, r loop.Record) outer.Seen {
		s := tool(r)
		s.Command = command
		return s
	}
	for _, tt := range []struct {
		name    string
		updates []string
		want    []outer.Seen
	}{
		{"pieces are one message", list(
			`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"one <prom"}}`,
			`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"ise>"}}`),
			[]outer.Seen{piece("one <prom"), piece("ise>"), text("one <promise>")}},
		{"a tool call ends a message", list(
			`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"one"}}`,
			`{"sessionUpdate":"tool_call","toolCallId":"1","title":"Read a","kind":"read","status":"completed"}`,
			`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"two"}}`),
			[]outer.Seen{piece("one"), text("one"), begun("Read a"), tool(loop.Record{Tool: "read"}), piece("two"), text("two")}},
		{"another name is another message", list(
			`{"sessionUpdate":"agent_message_chunk","messageId":"a","content":{"type":"text","text":"one"}}`,
			`{"sessionUpdate":"agent_message_chunk","messageId":"b","content":{"type":"text","text":"two"}}`),
			[]outer.Seen{piece("one"), text("one"), piece("two"), text("two")}},
		{"a thought is no message", list(
			`{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"<promise>COMPLETE</promise>"}}`),
			[]outer.Seen{{Thought: "<promise>COMPLETE</promise>"}}},
		{"nor is what the user said", list(
			`{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"<promise>COMPLETE</promise>"}}`), nil},
		{"nor a picture, nor space", list(
			`{"sessionUpdate":"agent_message_chunk","content":{"type":"image","data":"x","mimeType":"image/png"}}`,
			`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":" \n"}}`),
			[]outer.Seen{piece(" \n")}},
		{"what is not known is passed over", list(
			`{"sessionUpdate":"telepathy","content":[1,2]}`, `7`, `null`, `{"sessionUpdate":7}`, `{}`), nil},
		{"an edit names its file", list(
			`{"sessionUpdate":"tool_call","toolCallId":"1","title":"Edit a.go","kind":"edit","status":"pending","locations":[{"path":"DIR/a.go"}]}`,
			`{"sessionUpdate":"tool_call_update","toolCallId":"1","status":"completed"}`),
			[]outer.Seen{begun("Edit a.go"), tool(loop.Record{Tool: "edit", File: "DIR/a.go"})}},
		{"by a diff before all", list(
			`{"sessionUpdate":"tool_call","toolCallId":"1","title":"Edit","kind":"edit","locations":[{"path":"DIR/b.go"}],"rawInput":{"file_path":"DIR/c.go"}}`,
			`{"sessionUpdate":"tool_call_update","toolCallId":"1","status":"completed","content":[{"type":"diff","path":"sub/a.go","newText":"x"}]}`),
			[]outer.Seen{begun("Edit: DIR/b.go"), tool(loop.Record{Tool: "edit", File: "DIR/sub/a.go"})}},
		{"or by its input", list(
			`{"sessionUpdate":"tool_call","toolCallId":"1","title":"x","kind":"delete","status":"completed","rawInput":{"filePath":"a.go"}}`),
			[]outer.Seen{begun("x: a.go"), tool(loop.Record{Tool: "delete", File: "DIR/a.go"})}},
		{"a read names none", list(
			`{"sessionUpdate":"tool_call","toolCallId":"1","title":"Read it","kind":"read","status":"completed","locations":[{"path":"DIR/a.go"}]}`),
			[]outer.Seen{begun("Read it"), tool(loop.Record{Tool: "read"})}},
		{"a call that failed", list(
			"{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"1\",\"title\":\"x\",\"kind\":\"edit\",\"status\":\"failed\",\"content\":[{\"type\":\"content\",\"content\":{\"type\":\"text\",\"text\":\"```\\n\\n no such file\\nmore\"}}]}"),
			[]outer.Seen{begun("x"), tool(loop.Record{Tool: "edit", Error: "no such file"})}},
		{"one that does not say why", list(
			`{"sessionUpdate":"tool_call","toolCallId":"1","title":"x","kind":"fetch","status":"failed"}`),
			[]outer.Seen{begun("x"), tool(loop.Record{Tool: "fetch", Error: "failed"})}},
		{"a command", list(
			`{"sessionUpdate":"tool_call","toolCallId":"1","title":"bash","kind":"execute","status":"pending","rawInput":{}}`,
			`{"sessionUpdate":"tool_call_update","toolCallId":"1","status":"in_progress","rawInput":{"command":"go test ./..."}}`,
			`{"sessionUpdate":"tool_call_update","toolCallId":"1","status":"completed","rawOutput":{"output":"ok"}}`),
			[]outer.Seen{begun("bash: go test ./..."), ran("go test ./...", loop.Record{Tool: "execute"})}},
		{"a command that failed", list(
			`{"sessionUpdate":"tool_call","toolCallId":"1","title":"go vet","kind":"execute","status":"in_progress","rawInput":{"command":["bash","-lc","go vet"]}}`,
			`{"sessionUpdate":"tool_call_update","toolCallId":"1","status":"failed","rawOutput":{"stderr":"vet: x.go:1\nmore"}}`),
			[]outer.Seen{begun("go vet"), ran("go vet", loop.Record{Tool: "execute", Command: "go vet", Error: "vet: x.go:1"})}},
		{"a command with an exit code", list(
			`{"sessionUpdate":"tool_call","toolCallId":"1","title":"false x","kind":"execute","status":"completed","rawInput":{"cmd":"false x"},"rawOutput":{"metadata":{"exit":1}}}`),
			[]outer.Seen{begun("false x"), ran("false x", loop.Record{Tool: "execute", Command: "false x"})}},
		{"a command that only its title tells", list(
			"{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"1\",\"title\":\"`make all`\",\"kind\":\"execute\",\"status\":\"completed\"}"),
			[]outer.Seen{begun("`make all`"), ran("make all", loop.Record{Tool: "execute"})}},
		{"a tool of no known kind goes by its name", list(
			`{"sessionUpdate":"tool_call","toolCallId":"1","title":"todowrite","kind":"other","status":"completed"}`,
			`{"sessionUpdate":"tool_call","toolCallId":"2","title":"3 things to do","kind":"magic","status":"completed"}`),
			[]outer.Seen{begun("todowrite"), tool(loop.Record{Tool: "todowrite"}), begun("3 things to do"), tool(loop.Record{Tool: "other"})}},
		{"what a subagent says and does is shown, and does not count", list(
			`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"one <prom"}}`,
			`{"sessionUpdate":"tool_call","toolCallId":"1","title":"x","kind":"edit","status":"pending","locations":[{"path":"a.go"}],"_meta":{"claudeCode":{"parentToolUseId":"toolu_1"}}}`,
			`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"<promise>COMPLETE</promise>"},"_meta":{"claudeCode":{"parentToolUseId":"toolu_1"}}}`,
			`{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"do it"},"_meta":{"claudeCode":{"parentToolUseId":"toolu_1"}}}`,
			`{"sessionUpdate":"plan","entries":[{"content":"its plan","status":"pending"}],"_meta":{"claudeCode":{"parentToolUseId":"toolu_1"}}}`,
			`{"sessionUpdate":"tool_call_update","toolCallId":"1","status":"completed"}`,
			`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"ise>"}}`),
			[]outer.Seen{piece("one <prom"), begun("x: a.go"), piece("ise>"), text("one <promise>")}},
		{"as claude's adapter tells it", list(
			`{"sessionUpdate":"tool_call","toolCallId":"1","name":"Bash","rawInput":{},"status":"pending","title":"Terminal","kind":"execute","content":[]}`,
			`{"sessionUpdate":"tool_call_update","toolCallId":"1","rawInput":{"command":"echo bad >&2; exit 3","description":"Says"},"title":"echo bad >&2; exit 3","content":[{"type":"content","content":{"type":"text","text":"Says"}}]}`,
			`{"sessionUpdate":"tool_call_update","toolCallId":"1","_meta":{"claudeCode":{"toolName":"Bash"}}}`,
			"{\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"1\",\"status\":\"failed\",\"rawOutput\":\"Exit code 3\\nbad\",\"content\":[{\"type\":\"content\",\"content\":{\"type\":\"text\",\"text\":\"```\\nExit code 3\\nbad\\n```\"}}]}"),
			[]outer.Seen{begun("echo bad >&2; exit 3"), ran("echo bad >&2; exit 3", loop.Record{Tool: "execute", Command: "echo bad >&2; exit 3", Error: "bad"})}},
		{"as opencode tells it", list(
			`{"sessionUpdate":"tool_call","toolCallId":"1","title":"write","kind":"edit","status":"pending","locations":[],"rawInput":{}}`,
			`{"sessionUpdate":"tool_call_update","toolCallId":"1","status":"in_progress","kind":"edit","title":"write","locations":[{"path":"DIR/one.txt"}],"rawInput":{"content":"one\n","filePath":"DIR/one.txt"}}`,
			`{"sessionUpdate":"tool_call_update","toolCallId":"1","status":"completed","title":"one.txt","rawOutput":{"output":"Wrote file successfully."}}`,
			`{"sessionUpdate":"tool_call","toolCallId":"2","title":"bash","kind":"execute","status":"pending","locations":[{"path":"DIR"}],"rawInput":{"cwd":"DIR"}}`,
			`{"sessionUpdate":"tool_call_update","toolCallId":"2","status":"in_progress","title":"exit 3","rawInput":{"command":"exit 3","cwd":"DIR"}}`,
			`{"sessionUpdate":"tool_call_update","toolCallId":"2","status":"completed","title":"exit 3","rawOutput":{"output":"","metadata":{"exit":3}}}`),
			[]outer.Seen{begun("write: DIR/one.txt"), tool(loop.Record{Tool: "edit", File: "DIR/one.txt"}),
				begun("exit 3"), ran("exit 3", loop.Record{Tool: "execute", Command: "exit 3"})}},
		{"as copilot tells it", list(
			`{"sessionUpdate":"tool_call","toolCallId":"1","title":"Runs it","kind":"execute","status":"pending","rawInput":{"command":"exit 3","description":"Runs it"}}`,
			`{"sessionUpdate":"tool_call_update","toolCallId":"1","status":"completed","rawOutput":{"content":"bad","contents":[{"type":"shell_exit","shellId":"1","exitCode":3}]}}`),
			[]outer.Seen{begun("Runs it: exit 3"), ran("exit 3", loop.Record{Tool: "execute", Command: "exit 3"})}},
		{"as codex's adapter tells it", list(
			`{"sessionUpdate":"tool_call","toolCallId":"1","title":"exit 3","kind":"execute","status":"in_progress","rawInput":{"command":["/bin/bash","-lc","exit 3"],"cwd":"DIR"}}`,
			`{"sessionUpdate":"tool_call_update","toolCallId":"1","status":"failed","rawOutput":{"stdout":"bad\n","stderr":"","exit_code":3,"formatted_output":"bad\n"}}`),
			[]outer.Seen{begun("exit 3"), ran("exit 3", loop.Record{Tool: "execute", Command: "exit 3", Error: "bad"})}},
		{"a call is reported once", list(
			`{"sessionUpdate":"tool_call","toolCallId":"1","title":"x","kind":"read","status":"completed"}`,
			`{"sessionUpdate":"tool_call_update","toolCallId":"1","status":"completed"}`,
			`{"sessionUpdate":"tool_call_update","toolCallId":"1","status":"failed"}`),
			[]outer.Seen{begun("x"), tool(loop.Record{Tool: "read"})}},
		{"one that runs at the end of a turn is over, one that waits never was", list(
			`{"sessionUpdate":"tool_call","toolCallId":"1","title":"Read a","kind":"read","status":"in_progress"}`,
			`{"sessionUpdate":"tool_call","toolCallId":"2","title":"Read b","kind":"read","status":"pending"}`),
			[]outer.Seen{begun("Read a"), begun("Read b"), tool(loop.Record{Tool: "read"})}},
		{"a plan", list(
			`{"sessionUpdate":"plan","entries":[{"content":"a","status":"completed"},{"content":"b","status":"in_progress"},{"content":"c","status":"pending"}]}`),
			[]outer.Seen{{Plan: "[x] a\n[>] b\n[ ] c"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &story{}
			x := quiet(t, Config{Dir: folder(t)}, false, s.see)
			for _, u := range tt.updates {
				x.update(strings.ReplaceAll(u, "DIR", filepath.ToSlash(x.a.Dir)))
			}
			x.end(true)
			got := s.seen
			for i, g := range got {
				got[i].Record.File = strings.ReplaceAll(filepath.ToSlash(g.Record.File), filepath.ToSlash(x.a.Dir), "DIR")
				got[i].Tool = strings.ReplaceAll(g.Tool, filepath.ToSlash(x.a.Dir), "DIR")
			}
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
		})
	}
}

func list(s ...string) []string { return s }
