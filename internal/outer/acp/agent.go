package acp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/outer"
	"github.com/cursor-ralph/cursor-ralph/internal/proc/supervise"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// exitWait is for the agent to exit after it closed its input or output.
const exitWait = 2 * time.Second

// agent is an agent's process. It implements sdk.Client.
type agent struct {
	*driver
	ws      workspace
	process *supervise.Process
	flow    *flow
	input   *input
	conn    *sdk.ClientSideConnection
	info    sdk.InitializeResponse
	session *session // nil before there is one
	turn    atomic.Pointer[turn]
}

func launch(d *driver) (*agent, error) {
	ws, err := openWorkspace(d.Dir)
	if err != nil {
		return nil, err
	}
	p, err := supervise.Start(supervise.Command{Argv: d.argv(), Dir: d.Dir, Env: d.env(), Self: d.Self})
	if err != nil {
		return nil, d.withInstallHint(err)
	}
	a := &agent{driver: d, ws: ws, process: p, flow: newFlow(p.Stdout), input: &input{Writer: p.Stdin}}
	a.conn = sdk.NewClientSideConnection(a, a.input, a.flow)
	a.conn.SetLogger(slog.New(slog.DiscardHandler)) // it would write to our standard error
	a.flow.begin()
	return a, nil
}

// argv puts the model's flag right after the program, in front of subcommands.
func (d *driver) argv() []string {
	argv := slices.Clone(d.Argv)
	if d.Model != "" && d.ModelFlag != "" {
		argv = slices.Insert(argv, 1, d.ModelFlag, d.Model)
	}
	return argv
}

// env makes the agent ask for permission. Under PolicyAll the user's own settings
// stand, which may deny something.
func (d *driver) env() []string {
	if d.Policy == outer.PolicyAll {
		return d.Env
	}
	return outer.Environ(d.Dir, d.Env, d.AskEnv)
}

func (a *agent) hasEnded() bool {
	select {
	case <-a.conn.Done():
		return true
	default:
		return a.process.HasEnded()
	}
}

func (a *agent) initialize(ctx context.Context) (err error) {
	a.info, err = step(ctx, a, "initialize", a.conn.Initialize, sdk.InitializeRequest{
		ProtocolVersion: sdk.ProtocolVersionNumber,
		ClientInfo:      &sdk.Implementation{Name: "cursor-ralph", Version: "1"},
	})
	if err != nil {
		return err
	}
	if v := a.info.ProtocolVersion; v != sdk.ProtocolVersionNumber {
		return hint.New(fmt.Sprintf("it speaks version %d of the protocol, and we speak %d", v, sdk.ProtocolVersionNumber),
			"install another version of the agent or of cursor-ralph")
	}
	return nil
}

// step sends one of the requests that come before a prompt.
func step[P, R any](ctx context.Context, a *agent, name string, send func(context.Context, P) (R, error), params P) (R, error) {
	timed, cancel := context.WithTimeout(ctx, a.StartLimit)
	defer cancel()
	r, err := send(timed, params)
	if timed.Err() != nil && ctx.Err() == nil {
		return r, a.lateError(name)
	}
	return r, a.explain(err)
}

// prompt plays a turn. When ctx is done it asks the agent to end its turn, and ends the
// agent if it does not.
func (a *agent) prompt(ctx context.Context, p outer.Prompt, see func(outer.Seen)) error {
	t := newTurn(ctx, a, p.Plans, see)
	a.turn.Store(t)
	defer a.turn.Store(nil)
	t.report(outer.Seen{Session: string(t.session)})
	answer := make(chan error, 1)
	go func() { // #nosec G118 -- sending blocks while the agent does not read; the turn is canceled below, not the call
		r, err := a.conn.Prompt(context.Background(), sdk.PromptRequest{SessionId: t.session, Prompt: []sdk.ContentBlock{sdk.TextBlock(p.Text)}})
		if err == nil {
			if n := tokensOf(r); n != nil {
				t.report(outer.Seen{Record: loop.Record{Kind: loop.RecordTokens, Tokens: n}})
			}
			err = outcome(r.StopReason)
		} else {
			err = a.promptError(err)
		}
		answer <- err
	}()
	select {
	case err := <-answer:
		if errors.Is(err, context.Canceled) && t.denied.Load() {
			err = nil // codex ends its turn like this when a permission is denied
		}
		t.end(err == nil)
		return err
	case <-ctx.Done():
	}
	go func() { // #nosec G118 -- ctx is done; the agent may have no session any more when this runs
		_ = a.conn.Cancel(context.Background(), sdk.CancelNotification{SessionId: t.session}) // an error: it is gone
	}()
	late := time.NewTimer(a.Grace)
	defer late.Stop()
	select {
	case <-answer:
	case <-late.C:
		a.process.Stop()
	}
	t.end(false)
	return ctx.Err()
}

func outcome(reason sdk.StopReason) error {
	switch reason {
	case sdk.StopReasonRefusal:
		return errors.New("the agent refused to go on")
	case sdk.StopReasonCancelled:
		return context.Canceled
	}
	return nil // also at a limit of tokens or requests: the next turn goes on
}

// tokensOf returns what a turn took, or nil if that is unknown. The protocol has it as
// unstable, and gemini its own. Those from the cache count among the input: where the
// total shows that an agent left them out, they are added.
func tokensOf(r sdk.PromptResponse) (n *loop.Tokens) {
	if u := r.Usage; u != nil {
		read, written := count(u.CachedReadTokens), count(u.CachedWriteTokens)
		input, output := int64(u.InputTokens), int64(u.OutputTokens)
		if cached := read + written; cached > 0 && int64(u.TotalTokens) >= input+output+cached {
			input += cached
		}
		n = loop.TokensOf(input, output, read, written)
	}
	if n == nil {
		return loop.TokensOf(number(r.Meta, "quota", "token_count", "input_tokens"), number(r.Meta, "quota", "token_count", "output_tokens"), 0, 0)
	}
	return n
}

func count(n *int) int64 {
	if n == nil {
		return 0
	}
	return int64(max(0, *n))
}

func number(m map[string]any, path ...string) int64 {
	n, _ := field(m, path...).(float64)
	return int64(n)
}

// field returns a value in nested objects, or nil.
func field(m map[string]any, path ...string) any {
	for _, name := range path[:len(path)-1] {
		m, _ = m[name].(map[string]any)
	}
	return m[path[len(path)-1]]
}

// SessionUpdate implements sdk.Client. Between turns an update is part of the replay of a
// loaded session.
func (a *agent) SessionUpdate(_ context.Context, n sdk.SessionNotification) error {
	defer a.flow.handled()
	if t := a.turn.Load(); t != nil && n.SessionId == t.session {
		t.onUpdate(n.Update)
	}
	return nil
}

// RequestPermission implements sdk.Client.
func (a *agent) RequestPermission(ctx context.Context, p sdk.RequestPermissionRequest) (sdk.RequestPermissionResponse, error) {
	a.flow.settle(ctx) // what the request is about may be in an update before it
	answer := sdk.NewRequestPermissionOutcomeCancelled()
	if t := a.turn.Load(); t != nil {
		answer = t.onPermission(ctx, p)
	}
	return sdk.RequestPermissionResponse{Outcome: answer}, nil
}

// The rest of sdk.Client is what we do not offer.

// ReadTextFile implements sdk.Client.
func (*agent) ReadTextFile(context.Context, sdk.ReadTextFileRequest) (r sdk.ReadTextFileResponse, err error) {
	return r, sdk.NewMethodNotFound(sdk.ClientMethodFsReadTextFile)
}

// WriteTextFile implements sdk.Client.
func (*agent) WriteTextFile(context.Context, sdk.WriteTextFileRequest) (r sdk.WriteTextFileResponse, err error) {
	return r, sdk.NewMethodNotFound(sdk.ClientMethodFsWriteTextFile)
}

// CreateTerminal implements sdk.Client.
func (*agent) CreateTerminal(context.Context, sdk.CreateTerminalRequest) (r sdk.CreateTerminalResponse, err error) {
	return r, sdk.NewMethodNotFound(sdk.ClientMethodTerminalCreate)
}

// KillTerminal implements sdk.Client.
func (*agent) KillTerminal(context.Context, sdk.KillTerminalRequest) (r sdk.KillTerminalResponse, err error) {
	return r, sdk.NewMethodNotFound(sdk.ClientMethodTerminalKill)
}

// TerminalOutput implements sdk.Client.
func (*agent) TerminalOutput(context.Context, sdk.TerminalOutputRequest) (r sdk.TerminalOutputResponse, err error) {
	return r, sdk.NewMethodNotFound(sdk.ClientMethodTerminalOutput)
}

// ReleaseTerminal implements sdk.Client.
func (*agent) ReleaseTerminal(context.Context, sdk.ReleaseTerminalRequest) (r sdk.ReleaseTerminalResponse, err error) {
	return r, sdk.NewMethodNotFound(sdk.ClientMethodTerminalRelease)
}

// WaitForTerminalExit implements sdk.Client.
func (*agent) WaitForTerminalExit(context.Context, sdk.WaitForTerminalExitRequest) (r sdk.WaitForTerminalExitResponse, err error) {
	return r, sdk.NewMethodNotFound(sdk.ClientMethodTerminalWaitForExit)
}
