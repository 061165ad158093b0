package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	sdk "github.com/coder/acp-go-sdk"
)

// The protocol's codes.
const (
	notFound = -32002
	internal = -32603
)

var errDenied = errors.New("the user does not permit it")

// handle answers what the agent asks for. It is called for each request from a
// goroutine of its own.
func (a *agent) handle(ctx context.Context, method string, params json.RawMessage) (any, *sdk.RequestError) {
	serve := a.serves(method)
	if serve == nil {
		return nil, sdk.NewMethodNotFound(method)
	}
	t := a.current()
	if t == nil {
		return nil, sdk.NewInvalidRequest(map[string]any{"error": "no turn is going on"})
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(t.ctx, cancel)()
	answer, err := serve(t, ctx, params)
	switch {
	case errors.Is(err, fs.ErrNotExist): // an agent that writes a new file looks first, and knows it by these words
		return nil, &sdk.RequestError{Code: notFound, Message: "Resource not found: " + err.Error()}
	case err != nil:
		return nil, &sdk.RequestError{Code: internal, Message: err.Error()}
	}
	return answer, nil
}

type service func(*turn, context.Context, json.RawMessage) (any, error)

func (a *agent) serves(method string) service {
	switch method {
	case sdk.ClientMethodSessionRequestPermission:
		return (*turn).permission
	case sdk.ClientMethodFsReadTextFile:
		return reads((*turn).readFile)
	case sdk.ClientMethodFsWriteTextFile:
		return reads((*turn).writeFile)
	case sdk.ClientMethodTerminalCreate:
		return reads((*turn).createTerminal)
	case sdk.ClientMethodTerminalOutput:
		return reads((*turn).terminalOutput)
	case sdk.ClientMethodTerminalWaitForExit:
		return reads((*turn).waitForTerminal)
	case sdk.ClientMethodTerminalKill:
		return reads((*turn).killTerminal)
	case sdk.ClientMethodTerminalRelease:
		return reads((*turn).releaseTerminal)
	}
	return nil
}

// reads makes a service of one that takes its parameters read.
func reads[P any](f func(*turn, context.Context, P) (any, error)) service {
	return func(t *turn, ctx context.Context, params json.RawMessage) (any, error) {
		var p P
		if err := json.Unmarshal(params, &p); err != nil {
			return nil, err
		}
		return f(t, ctx, p)
	}
}

func (t *turn) readFile(ctx context.Context, p sdk.ReadTextFileRequest) (any, error) {
	text, err := t.a.ws.read(ctx, p.Path, number(p.Line), number(p.Limit))
	return sdk.ReadTextFileResponse{Content: text}, err
}

func number(n *int) int {
	if n == nil || *n < 0 {
		return 0
	}
	return min(*n, 1<<30)
}

func (t *turn) writeFile(ctx context.Context, p sdk.WriteTextFileRequest) (any, error) {
	path := t.a.ws.absolute(p.Path)
	r := Request{Kind: "edit", Title: "write " + p.Path, Paths: []string{path}, Outside: !t.a.ws.holds(p.Path, true)}
	if !t.used("write "+path) && !t.allowed(ctx, r) {
		return nil, fmt.Errorf("write %s: %w", p.Path, errDenied)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return sdk.WriteTextFileResponse{}, t.a.ws.write(p.Path, p.Content)
}
