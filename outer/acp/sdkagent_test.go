package acp

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/cursor-ralph/cursor-ralph/outer"
)

// wellBehaved is an agent that uses the SDK. It has the client write a file and run a
// command, and reports the results.
type wellBehaved struct {
	sdk.Agent // for the methods that are not called
	conn      *sdk.AgentSideConnection
	mode      sdk.SessionModeId
	cwd       string
}

func serveSDK(*fake) {
	a := &wellBehaved{mode: "code"}
	ready := make(chan struct{})
	in, out := io.Pipe()
	go func() {
		<-ready // a.conn is set
		_, _ = io.Copy(out, os.Stdin)
		_ = out.Close()
	}()
	a.conn = sdk.NewAgentSideConnection(a, os.Stdout, in)
	a.conn.SetLogger(slog.New(slog.DiscardHandler))
	close(ready)
	<-a.conn.Done()
}

func (a *wellBehaved) Initialize(_ context.Context, p sdk.InitializeRequest) (sdk.InitializeResponse, error) {
	can := p.ClientCapabilities
	if can.Fs.ReadTextFile || !can.Fs.WriteTextFile || !can.Terminal {
		return sdk.InitializeResponse{}, fmt.Errorf("a client that offers something else: %+v", can)
	}
	return sdk.InitializeResponse{ProtocolVersion: sdk.ProtocolVersionNumber}, nil
}

func (a *wellBehaved) NewSession(_ context.Context, p sdk.NewSessionRequest) (sdk.NewSessionResponse, error) {
	a.cwd = p.Cwd
	return sdk.NewSessionResponse{SessionId: "sdk", Modes: &sdk.SessionModeState{CurrentModeId: a.mode,
		AvailableModes: []sdk.SessionMode{{Id: "code"}, {Id: "https://example.com/modes#plan"}}}}, nil
}

func (a *wellBehaved) SetSessionMode(_ context.Context, p sdk.SetSessionModeRequest) (sdk.SetSessionModeResponse, error) {
	a.mode = p.ModeId
	return sdk.SetSessionModeResponse{}, nil
}

func (a *wellBehaved) Prompt(ctx context.Context, p sdk.PromptRequest) (sdk.PromptResponse, error) {
	tell := func(u sdk.SessionUpdate) {
		_ = a.conn.SessionUpdate(ctx, sdk.SessionNotification{SessionId: p.SessionId, Update: u})
	}
	file := filepath.Join(a.cwd, "hello.txt")
	tell(sdk.StartToolCall("1", "Write hello.txt", sdk.WithStartKind(sdk.ToolKindEdit), sdk.WithStartLocations([]sdk.ToolCallLocation{{Path: file}})))
	may, err := a.conn.RequestPermission(ctx, sdk.RequestPermissionRequest{SessionId: p.SessionId, ToolCall: sdk.ToolCallUpdate{ToolCallId: "1"},
		Options: []sdk.PermissionOption{{OptionId: "y", Kind: sdk.PermissionOptionKindAllowOnce}, {OptionId: "n", Kind: sdk.PermissionOptionKindRejectOnce}}})
	if err != nil {
		return sdk.PromptResponse{}, err
	}
	_, err = a.conn.WriteTextFile(ctx, sdk.WriteTextFileRequest{SessionId: p.SessionId, Path: file, Content: p.Prompt[0].Text.Text})
	status := sdk.ToolCallStatusCompleted
	if err != nil || may.Outcome.Selected == nil || may.Outcome.Selected.OptionId != "y" {
		status = sdk.ToolCallStatusFailed
	}
	tell(sdk.UpdateToolCall("1", sdk.WithUpdateStatus(status)))
	tell(sdk.UpdateAgentMessageText(fmt.Sprintf("In mode %s: ", a.mode)))
	tell(sdk.UpdateAgentMessageText(a.shell(ctx, p.SessionId)))
	return sdk.PromptResponse{StopReason: sdk.StopReasonEndTurn}, nil
}

// shell makes the client run a command and returns its output.
func (a *wellBehaved) shell(ctx context.Context, id sdk.SessionId) string {
	t, err := a.conn.CreateTerminal(ctx, sdk.CreateTerminalRequest{SessionId: id, Command: "cat", Args: list("hello.txt")})
	if err != nil {
		return "no terminal"
	}
	defer func() {
		_, _ = a.conn.ReleaseTerminal(ctx, sdk.ReleaseTerminalRequest{SessionId: id, TerminalId: t.TerminalId})
	}()
	if _, err := a.conn.WaitForTerminalExit(ctx, sdk.WaitForTerminalExitRequest{SessionId: id, TerminalId: t.TerminalId}); err != nil {
		return err.Error()
	}
	out, err := a.conn.TerminalOutput(ctx, sdk.TerminalOutputRequest{SessionId: id, TerminalId: t.TerminalId})
	if err != nil {
		return err.Error()
	}
	return out.Output
}

func TestAnAgentOfTheLibrary(t *testing.T) {
	c := config(t, "sdk")
	d := open(t, c)
	file := filepath.Join(c.Dir, "hello.txt")
	s := take(t, d, outer.Prompt{Text: "hello"})
	same(t, "texts", s.texts(), list("In mode code: hello"))
	if r := s.records(); len(r) != 2 || r[0].Tool != "edit" || r[0].File != file || r[0].Error != "" {
		t.Errorf("got %+v, want an edit of %s", r, file)
	}
	s = take(t, d, outer.Prompt{Text: "changed", Guarded: true})
	same(t, "texts in a plan", s.texts(), list("In mode https://example.com/modes#plan: no terminal"))
	if r := s.records(); len(r) != 2 || r[0].Error != "failed" {
		t.Errorf("got %+v, want an edit that failed", r)
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != "hello" {
		t.Errorf("in a plan the file became %q, %v", got, err)
	}
	s = take(t, d, outer.Prompt{Text: "again"})
	same(t, "texts afterwards", s.texts(), list("In mode code: again"))
}
