package hook_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/hook"
)

const (
	conversation = "7c1f0f9e-52c4-4f0a-9b7e-2d6a1b3c4d5e"
	transcript   = "/home/ada/.cursor/projects/home-ada-shop/agent-transcripts/" + conversation + "/" + conversation + ".jsonl"
	callID       = "call-4b1d6c0e-7f3a-4a55-9c57-0d1e2f3a4b5c-3\nfc_91c2d3e4-f5a6-4b7c-8d9e-0f1a2b3c4d5e_0"
)

// common is what the samples in testdata have in common.
func common(name string) hook.Common {
	return hook.Common{
		ConversationID: conversation,
		GenerationID:   "e0a4c7d2-8b19-4c63-8f55-1a2b3c4d5e6f",
		Model:          "claude-sonnet-5",
		EventName:      name,
		CursorVersion:  "3.18.25",
		WorkspaceRoots: []string{"/home/ada/shop"},
		UserEmail:      "ada@example.com",
		TranscriptPath: transcript,
		SessionID:      conversation,
	}
}

// ofParent is common for the two events of a subagent that its parent sends.
func ofParent(name string) hook.Common {
	c := common(name)
	c.GenerationID = conversation
	return c
}

// atStart is common before there is a turn or a transcript.
func atStart(name string) hook.Common {
	c := common(name)
	c.GenerationID, c.TranscriptPath = "", ""
	return c
}

// samples holds, for each event, what its file in testdata decodes to.
func samples() []any {
	shell := json.RawMessage(`{"command":"go test ./...","cwd":"","timeout":30000}`)
	return []any{
		hook.SessionStart{Common: atStart("sessionStart"), ComposerMode: "agent"},
		hook.SessionEnd{Common: common("sessionEnd"), Reason: "error", DurationMS: 184213.5,
			FinalStatus: "error", ErrorMessage: "connection lost"},
		hook.BeforeSubmitPrompt{Common: common("beforeSubmitPrompt"), ComposerMode: "agent",
			Prompt: `/ralph-loop "add a /health endpoint, don't touch <main>" --max-iterations 5`,
			Attachments: []hook.Attachment{{Type: "file", FilePath: "/home/ada/shop/server.go"},
				{Type: "rule", FilePath: "/home/ada/shop/.cursor/rules/go.mdc"}}},
		hook.AfterAgentResponse{Common: common("afterAgentResponse"),
			Text:  "The endpoint answers 200.\n\n<promise>COMPLETE</promise>",
			Usage: hook.Usage{InputTokens: 18204, OutputTokens: 655, CacheReadTokens: 15360}},
		hook.AfterAgentThought{Common: common("afterAgentThought"), Text: "The router is in server.go.", DurationMS: 1067},
		hook.Stop{Common: common("stop"), Status: "completed", LoopCount: 3,
			Usage: hook.Usage{InputTokens: 144900, OutputTokens: 1032, CacheReadTokens: 115545, CacheWriteTokens: 12}},
		hook.PreCompact{Common: common("preCompact"), Trigger: "auto", ContextUsagePercent: 91.5, ContextTokens: 183000,
			ContextWindowSize: 200000, MessageCount: 146, MessagesToCompact: 118, IsFirstCompaction: true},
		hook.SubagentStart{Common: ofParent("subagentStart"), SubagentID: callID, SubagentType: "generalPurpose",
			Task: "Find every handler without a test", ParentConversationID: conversation, ToolCallID: callID,
			SubagentModel: "claude-sonnet-5", GitBranch: "health"},
		hook.SubagentStop{Common: ofParent("subagentStop"), SubagentID: callID, ParentConversationID: conversation,
			SubagentType: "generalPurpose", Status: "completed", Task: "Find every handler without a test",
			Description: "Find untested handlers", Summary: "Two handlers have no test.", DurationMS: 39041,
			MessageCount: 7, ToolCallCount: 4, LoopCount: 1, ModifiedFiles: []string{"/home/ada/shop/NOTES.md"},
			AgentTranscriptPath: "/home/ada/.cursor/projects/home-ada-shop/agent-transcripts/child.jsonl"},
		hook.WorkspaceOpen{Common: hook.Common{EventName: "workspaceOpen", CursorVersion: "3.18.25",
			WorkspaceRoots: []string{"/home/ada/shop", "/home/ada/shop-ui"}, UserEmail: "ada@example.com"}},

		hook.PreToolUse{Common: common("preToolUse"), ToolName: "Shell", ToolInput: shell, ToolUseID: callID,
			Cwd: "/home/ada/shop", AgentMessage: "Running the tests."},
		hook.PostToolUse{Common: common("postToolUse"), ToolName: "Shell", ToolInput: shell,
			ToolOutput: json.RawMessage(`"{\"output\": \"ok  \\tshop\\t0.412s\\n\", \"exitCode\": 0}"`),
			ToolUseID:  callID, Cwd: "/home/ada/shop", Duration: 5279.734},
		hook.PostToolUseFailure{Common: common("postToolUseFailure"), ToolName: "Read",
			ToolInput: json.RawMessage(`{"file_path":"/home/ada/shop/nowhere.go"}`), ErrorMessage: "File not found",
			FailureType: "error", ToolUseID: callID, Cwd: "/home/ada/shop", Duration: 6.139, IsInterrupt: true},
		hook.BeforeShellExecution{Common: common("beforeShellExecution"), Command: "git push --force",
			Cwd: "/home/ada/shop", Sandbox: true},
		hook.AfterShellExecution{Common: common("afterShellExecution"), Command: "go vet ./...",
			Output: "./server.go:12:2: unreachable code\n", Duration: 812.25, Cwd: "/home/ada/shop", Sandbox: true},
		hook.BeforeMCPExecution{Common: common("beforeMCPExecution"), ToolName: "query",
			ToolInput: json.RawMessage(`"{\"sql\": \"select 1\"}"`), URL: "https://mcp.example.com/db", Command: "db-mcp --stdio"},
		hook.AfterMCPExecution{Common: common("afterMCPExecution"), ToolName: "query",
			ToolInput:  json.RawMessage(`"{\"sql\": \"select 1\"}"`),
			ResultJSON: json.RawMessage(`"{\"content\": [{\"type\": \"text\", \"text\": \"1\"}], \"isError\": false}"`),
			Duration:   173.531},
		hook.BeforeReadFile{Common: common("beforeReadFile"), FilePath: "/home/ada/shop/.env", Content: "TOKEN=none\n",
			Attachments: []hook.Attachment{{Type: "rule", FilePath: "/home/ada/shop/AGENTS.md"}}},
		hook.AfterFileEdit{Common: common("afterFileEdit"), FilePath: "/home/ada/shop/server.go",
			Edits: []hook.Edit{{NewString: "package shop\n"}, {OldString: "a < b", NewString: "a <= b"}}},
		hook.BeforeTabFileRead{Common: common("beforeTabFileRead"), FilePath: "/home/ada/shop/server.go", Content: "package shop\n"},
		hook.AfterTabFileEdit{Common: common("afterTabFileEdit"), FilePath: "/home/ada/shop/server.go",
			Edits: []hook.TabEdit{{Edit: hook.Edit{OldString: "retrun", NewString: "return"},
				Range:   hook.EditRange{StartLineNumber: 10, StartColumn: 5, EndLineNumber: 11, EndColumn: 20},
				OldLine: "\tretrun nil", NewLine: "\treturn nil"}}},
	}
}

// nameOf is the event name that a sample was decoded from.
func nameOf(event any) string {
	return reflect.ValueOf(event).FieldByName("EventName").String()
}

// sample is the file in testdata of an event, without white space.
func sample(t testing.TB, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var line bytes.Buffer
	if err := json.Compact(&line, raw); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return line.Bytes()
}

// read reads raw, which must be an event.
func read(t testing.TB, raw []byte) hook.Input {
	t.Helper()
	in, err := hook.Read(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func TestEveryEventDecodesFromItsSample(t *testing.T) {
	for _, want := range samples() {
		t.Run(nameOf(want), func(t *testing.T) {
			in := read(t, sample(t, nameOf(want)))
			if in.EventName != nameOf(want) {
				t.Errorf("event name: got %q want %q", in.EventName, nameOf(want))
			}
			got := reflect.New(reflect.TypeOf(want))
			if err := in.Decode(got.Interface()); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got.Elem().Interface(), want) {
				t.Errorf("got  %+v\nwant %+v", got.Elem(), want)
			}
		})
	}
}

// A sample that leaves a field out would let a misspelt name pass.
func TestEverySampleFillsEveryField(t *testing.T) {
	mayBeFalse := []string{"is_background_agent", "is_parallel_worker", "cache_write_tokens", "generation_id", "transcript_path"}
	for _, event := range samples() {
		var sent map[string]json.RawMessage
		if err := json.Unmarshal(sample(t, nameOf(event)), &sent); err != nil {
			t.Fatal(err)
		}
		encoded, err := json.Marshal(event)
		if err != nil {
			t.Fatal(err)
		}
		var fields map[string]any
		if err := json.Unmarshal(encoded, &fields); err != nil {
			t.Fatal(err)
		}
		for name, value := range fields {
			if _, ok := sent[name]; !ok && nameOf(event) != hook.EventWorkspaceOpen {
				t.Errorf("%s: the sample has no %s", nameOf(event), name)
			}
			zero := value == nil || reflect.ValueOf(value).IsZero()
			if zero && !slices.Contains(mayBeFalse, name) && nameOf(event) != hook.EventWorkspaceOpen {
				t.Errorf("%s: %s is zero in the sample", nameOf(event), name)
			}
		}
	}
}

func TestEventsNamesEveryEventOnce(t *testing.T) {
	var want []string
	for _, event := range samples() {
		want = append(want, nameOf(event))
	}
	got := hook.Events()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
