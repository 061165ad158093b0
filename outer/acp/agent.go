package acp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/cursor-ralph/cursor-ralph/internal/tend"
	"github.com/cursor-ralph/cursor-ralph/outer"
)

const (
	chatter = 4 << 10         // bytes that are kept of what is no message
	ending  = 2 * time.Second // for the agent's end after that of its output
	leaving = 2 * time.Second // for the agent to end that is asked to
)

// agent is one that runs.
type agent struct {
	*driver
	process *tend.Process
	noise   *tail
	lines   *lines
	conn    *sdk.Connection
	about   about
	session *session // nil before there is one
	ws      *workspace

	mu        sync.Mutex
	now       *turn         // nil between turns
	replays   chan struct{} // has one while no turn goes on and something was told
	terminals terminals
}

// about is what an agent says of itself.
type about struct {
	Version int `json:"protocolVersion"`
	Can     struct {
		Load bool `json:"loadSession"`
		With struct {
			Resume json.RawMessage `json:"resume"`
		} `json:"sessionCapabilities"`
	} `json:"agentCapabilities"`
	Auth []struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"authMethods"`
}

// launch starts the agent's program.
func launch(d *driver) (*agent, error) {
	ws, err := openWorkspace(d.Dir)
	if err != nil {
		return nil, err
	}
	p, err := tend.Start(tend.Command{Argv: d.argv(), Dir: d.Dir, Env: d.env(), Self: d.Self})
	if err != nil {
		return nil, errors.Join(d.missing(err), ws.close())
	}
	a := &agent{driver: d, process: p, ws: ws, noise: &tail{limit: chatter}, replays: make(chan struct{}, 1)}
	a.lines = &lines{from: bufio.NewReaderSize(p.Stdout, 64<<10), to: p.Stdin, ready: make(chan struct{}), update: a.update, noise: a.noise}
	a.conn = sdk.NewConnection(a.handle, a.lines, a.lines)
	a.conn.SetLogger(slog.New(slog.DiscardHandler)) // else it writes to our standard error
	close(a.lines.ready)
	return a, nil
}

// argv puts the model's flag behind the program: some agents take what follows
// as a subcommand.
func (d *driver) argv() []string {
	argv := slices.Concat(d.Argv, d.Args)
	if d.Model != "" && d.ModelFlag != "" {
		argv = slices.Insert(argv, 1, d.ModelFlag, d.Model)
	}
	return argv
}

// env has an agent ask that does not by itself. Where all is allowed the user's
// own settings stand, which may deny something.
func (d *driver) env() []string {
	if d.Policy == PolicyAll {
		return d.Env
	}
	return environment(d.Dir, d.Env, d.AskEnv)
}

// over tells whether there is nobody to talk to any more.
func (a *agent) over() bool {
	select {
	case <-a.conn.Done():
		return true
	case <-a.process.Done():
		return true
	default:
		return false
	}
}

// stop ends the agent and all that it has started, through us or by itself.
func (a *agent) stop() {
	a.terminals.close()
	a.process.Stop(leaving)
	_ = a.ws.close() // a folder that was only read
}

// hello makes sure that the agent speaks as we do.
func (a *agent) hello(ctx context.Context) error {
	// That we read files is not offered, though it is done when asked for: gemini
	// 0.61 takes an answer that a file is not there for a failure, and then cannot
	// write a new one. Agents read by themselves, as the user's editor has nothing
	// here that is not on the disk.
	body, err := a.call(ctx, sdk.AgentMethodInitialize, sdk.InitializeRequest{
		ProtocolVersion: sdk.ProtocolVersionNumber,
		ClientInfo:      &sdk.Implementation{Name: "cursor-ralph", Version: "1"},
		ClientCapabilities: sdk.ClientCapabilities{
			Fs:       sdk.FileSystemCapabilities{WriteTextFile: a.Policy.edits()},
			Terminal: a.Policy.executes(),
		},
	})
	if err != nil {
		return err
	}
	if err := lenient(body, &a.about); err != nil {
		return fmt.Errorf("read its answer to initialize: %w", err)
	}
	if a.about.Version != sdk.ProtocolVersionNumber {
		return hinted{fmt.Errorf("it speaks version %d of the protocol, and we speak %d", a.about.Version, sdk.ProtocolVersionNumber),
			"is there another version of the agent, or of cursor-ralph?"}
	}
	return nil
}

// turn gives the agent a prompt, and waits for the end of its turn.
func (a *agent) turn(ctx context.Context, text string, guarded bool, see func(outer.Seen)) error {
	t := newTurn(ctx, a, guarded, see)
	a.setTurn(t)
	defer a.setTurn(nil)
	t.tell(outer.Seen{Session: a.session.ID})
	answer := a.send(sdk.AgentMethodSessionPrompt, sdk.PromptRequest{
		SessionId: sdk.SessionId(a.session.ID),
		Prompt:    []sdk.ContentBlock{sdk.TextBlock(text)},
	})
	var err error
	select {
	case r := <-answer:
		err = a.outcome(r)
		if errors.Is(err, context.Canceled) && t.wasDenied() {
			err = nil // codex ends its turn so when a permission is denied
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
		// An agent that does not read holds this up. One that is gone needs no asking.
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

// outcome is how a turn ended, as the agent says.
func (a *agent) outcome(r reply) error {
	if r.err != nil {
		return a.inTurn(r.err)
	}
	var end struct {
		Reason sdk.StopReason `json:"stopReason"`
	}
	if err := lenient(r.body, &end); err != nil {
		return fmt.Errorf("read the agent's answer to a prompt: %w", err)
	}
	switch end.Reason {
	case sdk.StopReasonRefusal:
		return errors.New("the agent refused to go on")
	case sdk.StopReasonCancelled:
		return context.Canceled
	}
	return nil // also at its limits of tokens and of requests: the next turn goes on
}

// reply is an answer of the agent.
type reply struct {
	body json.RawMessage
	err  error
}

// send sends a request. Sending waits for an agent that does not read, so it is
// not waited for here.
func (a *agent) send(method string, params any) <-chan reply {
	c := make(chan reply, 1)
	go func() {
		body, err := sdk.SendRequest[json.RawMessage](a.conn, context.Background(), method, params)
		c <- reply{body, a.explain(err)}
	}()
	return c
}

// call sends a request that is answered soon.
func (a *agent) call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	late := time.NewTimer(a.StartLimit)
	defer late.Stop()
	select {
	case r := <-a.send(method, params):
		return r.body, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-late.C:
		return nil, hinted{fmt.Errorf("it did not answer %s within %s%s", method, a.StartLimit, a.lastWords()),
			"does it speak ACP, and can it reach its service?"}
	}
}

func (a *agent) setTurn(t *turn) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.now = t
}

// current gives the turn that is going on, nil between turns.
func (a *agent) current() *turn {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.now
}

// update hands on what the agent tells. What it replays of a session that was
// loaded comes before a turn begins.
func (a *agent) update(params json.RawMessage) {
	if t := a.current(); t != nil {
		t.update(params)
		return
	}
	select {
	case a.replays <- struct{}{}:
	default:
	}
}

// lenient reads what it can of an agent's message: a field of another kind than
// expected is left out.
func lenient(data []byte, v any) error {
	err := json.Unmarshal(data, v)
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		return nil
	}
	return err
}
