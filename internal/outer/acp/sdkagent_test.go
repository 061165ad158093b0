package acp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/cursor-ralph/cursor-ralph/internal/outer"
)

// wellBehaved is an agent that uses the SDK. It writes a file if it may, and tries what we
// do not offer.
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
	if can.Fs.ReadTextFile || can.Fs.WriteTextFile || can.Terminal {
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
	status := sdk.ToolCallStatusFailed
	if may.Outcome.Selected != nil && may.Outcome.Selected.OptionId == "y" {
		status = sdk.ToolCallStatusCompleted
		if err := os.WriteFile(file, []byte(p.Prompt[0].Text.Text), 0o600); err != nil {
			return sdk.PromptResponse{}, err
		}
	}
	tell(sdk.UpdateToolCall("1", sdk.WithUpdateStatus(status)))
	tell(sdk.UpdateAgentMessageText(fmt.Sprintf("In mode %s: ", a.mode)))
	tell(sdk.UpdateAgentMessageText(a.tries(ctx, p.SessionId)))
	return sdk.PromptResponse{StopReason: sdk.StopReasonEndTurn}, nil
}

// tries asks for what the client does not offer.
func (a *wellBehaved) tries(ctx context.Context, id sdk.SessionId) string {
	_, err := a.conn.CreateTerminal(ctx, sdk.CreateTerminalRequest{SessionId: id, Command: "touch", Args: list("made")})
	_, other := a.conn.WriteTextFile(ctx, sdk.WriteTextFileRequest{SessionId: id, Path: filepath.Join(a.cwd, "made"), Content: "x"})
	for _, err := range []error{err, other} {
		if refused := (*sdk.RequestError)(nil); !errors.As(err, &refused) || refused.Code != -32601 {
			return fmt.Sprintf("got %v", err)
		}
	}
	return "no terminal, no files"
}

func TestAnAgentOfTheLibrary(t *testing.T) {
	t.Parallel()
	c := config(t, "sdk")
	d := open(t, c)
	file := filepath.Join(c.Dir, "hello.txt")
	s := take(t, d, outer.Prompt{Text: "hello"})
	same(t, "texts", s.texts(), list("In mode code: no terminal, no files"))
	if r := s.records(); len(r) != 2 || r[0].Tool != "edit" || r[0].File != file || r[0].Error != "" {
		t.Errorf("got %+v, want an edit of %s", r, file)
	}
	s = take(t, d, outer.Prompt{Text: "changed", Plans: true})
	same(t, "texts in a plan", s.texts(), list("In mode https://example.com/modes#plan: no terminal, no files"))
	if r := s.records(); len(r) != 2 || r[0].Error != "failed" {
		t.Errorf("got %+v, want an edit that failed", r)
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != "hello" {
		t.Errorf("in a plan the file became %q, %v", got, err)
	}
	s = take(t, d, outer.Prompt{Text: "again"})
	same(t, "texts afterwards", s.texts(), list("In mode code: no terminal, no files"))
}
