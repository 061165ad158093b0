package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	sdk "github.com/coder/acp-go-sdk"
)

// The protocol's error codes.
const (
	notFound = -32002
	internal = -32603
)

var errDenied = errors.New("the user does not permit it")

// serve answers a request of the agent. The connection calls it from a new
// goroutine each time.
func (a *agent) serve(ctx context.Context, method string, params json.RawMessage) (any, *sdk.RequestError) {
	handle := handler(method)
	if handle == nil {
		return nil, sdk.NewMethodNotFound(method)
	}
	t := a.turn.Load()
	if t == nil {
		return nil, sdk.NewInvalidRequest(map[string]any{"error": "no turn is in progress"})
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(t.ctx, cancel)()
	answer, err := handle(t, ctx, params)
	switch {
	case errors.Is(err, fs.ErrNotExist): // agents that create a file look for these words first
		return nil, &sdk.RequestError{Code: notFound, Message: "Resource not found: " + err.Error()}
	case err != nil:
		return nil, &sdk.RequestError{Code: internal, Message: err.Error()}
	}
	return answer, nil
}

type handleFunc func(*turn, context.Context, json.RawMessage) (any, error)

func handler(method string) handleFunc {
	switch method {
	case sdk.ClientMethodSessionRequestPermission:
		return (*turn).requestPermission
	case sdk.ClientMethodFsReadTextFile:
		return decoded((*turn).readFile)
	case sdk.ClientMethodFsWriteTextFile:
		return decoded((*turn).writeFile)
	case sdk.ClientMethodTerminalCreate:
		return decoded((*turn).createTerminal)
	case sdk.ClientMethodTerminalOutput:
		return decoded((*turn).terminalOutput)
	case sdk.ClientMethodTerminalWaitForExit:
		return decoded((*turn).waitForTerminal)
	case sdk.ClientMethodTerminalKill:
		return decoded((*turn).killTerminal)
	case sdk.ClientMethodTerminalRelease:
		return decoded((*turn).releaseTerminal)
	}
	return nil
}

func decoded[P any](f func(*turn, context.Context, P) (any, error)) handleFunc {
	return func(t *turn, ctx context.Context, params json.RawMessage) (any, error) {
		var p P
		if err := json.Unmarshal(params, &p); err != nil {
			return nil, err
		}
		return f(t, ctx, p)
	}
}

// readFile needs permission like everything else: PolicyNone allows no reading.
func (t *turn) readFile(ctx context.Context, p sdk.ReadTextFileRequest) (any, error) {
	r := Request{Kind: "read", Paths: []string{t.a.ws.absolute(p.Path)}, Outside: !t.a.ws.contains(p.Path)}
	if !t.allow(ctx, r) {
		return nil, fmt.Errorf("read %s: %w", p.Path, errDenied)
	}
	text, err := t.a.ws.read(ctx, p.Path, lineNumber(p.Line), lineNumber(p.Limit))
	return sdk.ReadTextFileResponse{Content: text}, err
}

func lineNumber(n *int) int {
	if n == nil || *n < 0 {
		return 0
	}
	return min(*n, 1<<30)
}

func (t *turn) writeFile(ctx context.Context, p sdk.WriteTextFileRequest) (any, error) {
	r := t.writeRequest(ctx, p)
	if !t.mayWrite(r.Edits[0]) && !t.allow(ctx, r) {
		return nil, fmt.Errorf("write %s: %w", p.Path, errDenied)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return sdk.WriteTextFileResponse{}, t.a.ws.write(p.Path, p.Content)
}

func (t *turn) writeRequest(ctx context.Context, p sdk.WriteTextFileRequest) Request {
	path := t.a.ws.absolute(p.Path)
	return Request{
		Kind: "edit", Paths: []string{path}, reach: []string{path},
		Outside: !t.a.ws.contains(p.Path), Executed: t.isExecuted(p.Path),
		Edits: []Edit{{Path: path, Old: t.a.ws.current(ctx, path), New: p.Content}},
	}
}
