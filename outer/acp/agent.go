package acp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/proc/supervise"
	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/internal/toolcall"
	"github.com/cursor-ralph/cursor-ralph/outer"
)

const (
	keptNoise = 4 << 10         // bytes of output that is not part of the protocol
	exitWait  = 2 * time.Second // for the agent to exit after it closed its input or output
	stopGrace = 2 * time.Second // for the agent to exit when it should
)

type agent struct {
	*driver
	process *supervise.Process
	noise   *tail
	lines   *lines
	conn    *sdk.Connection
	info    agentInfo
	session *session // nil before there is one
	ws      *workspace

	turn      atomic.Pointer[turn] // nil between turns
	replays   chan struct{}        // full if an update came between turns
	terminals terminals
}

type agentInfo struct {
	Version      int `json:"protocolVersion"`
	Capabilities struct {
		Load    bool `json:"loadSession"`
		Session struct {
			Resume json.RawMessage `json:"resume"`
		} `json:"sessionCapabilities"`
	} `json:"agentCapabilities"`
	Auth []struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"authMethods"`
}

func launch(d *driver) (*agent, error) {
	ws, err := openWorkspace(d.Dir)
	if err != nil {
		return nil, err
	}
	p, err := supervise.Start(supervise.Command{Argv: d.argv(), Dir: d.Dir, Env: d.env(), Self: d.Self})
	if err != nil {
		return nil, errors.Join(d.withInstallHint(err), ws.close())
	}
	a := &agent{driver: d, process: p, ws: ws, noise: &tail{limit: keptNoise}, replays: make(chan struct{}, 1)}
	a.lines = &lines{from: bufio.NewReaderSize(p.Stdout, 64<<10), to: p.Stdin, ready: make(chan struct{}), onUpdate: a.onUpdate, noise: a.noise}
	a.conn = sdk.NewConnection(a.serve, a.lines, a.lines)
	a.conn.SetLogger(slog.New(slog.DiscardHandler)) // it would write to our standard error
	close(a.lines.ready)
	return a, nil
}

// argv puts the model's flag right after the program, in front of subcommands.
func (d *driver) argv() []string {
	argv := slices.Concat(d.Argv, d.Args)
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

// stop ends the agent and its whole process tree, terminals included.
func (a *agent) stop() {
	a.terminals.close()
	a.process.Stop(stopGrace)
	_ = a.ws.close() // was only read
}

func (a *agent) initialize(ctx context.Context) error {
	// Reading files is served but not offered: gemini 0.61 takes the answer that a
	// file does not exist for a failure, and then cannot create it. Agents read the
	// disk themselves.
	body, err := a.call(ctx, sdk.AgentMethodInitialize, sdk.InitializeRequest{
		ProtocolVersion: sdk.ProtocolVersionNumber,
		ClientInfo:      &sdk.Implementation{Name: "cursor-ralph", Version: "1"},
		ClientCapabilities: sdk.ClientCapabilities{
			Fs:       sdk.FileSystemCapabilities{WriteTextFile: mayEdit(a.Policy)},
			Terminal: mayExecute(a.Policy),
		},
	})
	if err != nil {
		return err
	}
	if err := toolcall.Decode(body, &a.info); err != nil {
		return fmt.Errorf("read its answer to initialize: %w", err)
	}
	if a.info.Version != sdk.ProtocolVersionNumber {
		return hint.New(fmt.Sprintf("it speaks version %d of the protocol, and we speak %d", a.info.Version, sdk.ProtocolVersionNumber),
			"install another version of the agent or of cursor-ralph")
	}
	return nil
}

func (a *agent) prompt(ctx context.Context, text string, guarded bool, see func(outer.Seen)) error {
	t := newTurn(ctx, a, guarded, see)
	a.turn.Store(t)
	defer a.turn.Store(nil)
	t.report(outer.Seen{Session: a.session.ID})
	answer := a.send(sdk.AgentMethodSessionPrompt, sdk.PromptRequest{
		SessionId: sdk.SessionId(a.session.ID),
		Prompt:    []sdk.ContentBlock{sdk.TextBlock(text)},
	})
	var err error
	select {
	case r := <-answer:
		t.took(r.body)
		err = a.outcome(r)
		if errors.Is(err, context.Canceled) && t.denied.Load() {
			err = nil // codex ends its turn like this when a permission is denied
		}
	case <-ctx.Done():
		a.cancel(answer)
		err = ctx.Err()
	}
	t.end(err == nil)
	return err
}

// cancel asks the agent to end its turn, and ends the agent if it does not.
func (a *agent) cancel(answer <-chan reply) {
	go func() {
		// This may block until the agent reads, or fail if it is gone: stop handles both.
		_ = a.conn.SendNotification(context.Background(), sdk.AgentMethodSessionCancel,
			sdk.CancelNotification{SessionId: sdk.SessionId(a.session.ID)})
	}()
	a.terminals.close()
	late := time.NewTimer(a.Grace)
	defer late.Stop()
	select {
	case <-answer:
	case <-late.C:
		a.stop()
	}
}

func (a *agent) outcome(r reply) error {
	if r.err != nil {
		return a.turnError(r.err)
	}
	var end struct {
		Reason sdk.StopReason `json:"stopReason"`
	}
	if err := toolcall.Decode(r.body, &end); err != nil {
		return fmt.Errorf("read the agent's answer to a prompt: %w", err)
	}
	switch end.Reason {
	case sdk.StopReasonRefusal:
		return errors.New("the agent refused to go on")
	case sdk.StopReasonCancelled:
		return context.Canceled
	}
	return nil // also at a limit of tokens or requests: the next turn goes on
}

type reply struct {
	body json.RawMessage
	err  error
}

// send sends a request without waiting: an agent that does not read blocks it.
func (a *agent) send(method string, params any) <-chan reply {
	c := make(chan reply, 1)
	go func() {
		body, err := sdk.SendRequest[json.RawMessage](a.conn, context.Background(), method, params)
		c <- reply{body, a.explain(err)}
	}()
	return c
}

func (a *agent) call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	late := time.NewTimer(a.StartLimit)
	defer late.Stop()
	select {
	case r := <-a.send(method, params):
		return r.body, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-late.C:
		return nil, hint.New(fmt.Sprintf("it did not answer %s within %s%s", method, text.Exactly(a.StartLimit), a.lastOutput()),
			"does it speak ACP, and can it reach its service?")
	}
}

// onUpdate passes a notification to the turn. Between turns it is part of the
// replay of a loaded session.
func (a *agent) onUpdate(params json.RawMessage) {
	if t := a.turn.Load(); t != nil {
		t.onUpdate(params)
		return
	}
	select {
	case a.replays <- struct{}{}:
	default:
	}
}
