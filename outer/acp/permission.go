package acp

import (
	"cmp"
	"context"
	"encoding/json"
	"runtime"
	"slices"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/outer"
)

// edits tells whether a policy may allow to write files.
func (p Policy) edits() bool { return p == PolicyEdits || p.executes() }

// executes tells whether a policy may allow to run programs.
func (p Policy) executes() bool { return p == PolicyAsk || p == PolicyAll }

// verdict is what a policy says of a request.
type verdict int

// The zero value is the safe one.
const (
	reject verdict = iota
	allow
	ask
)

// judge applies the policy. What the agent calls an edit or a look, and runs a
// command for it, is an execution.
func (p Policy) judge(r Request) verdict {
	switch p {
	case PolicyAll:
		return allow
	case PolicyAsk:
		return ask
	case PolicyEdits:
		if r.Command == "" && !r.Outside && withinEdits(r) {
			return allow
		}
	}
	return reject
}

// withinEdits tells whether a request is of a kind that PolicyEdits allows. What
// is read or written must be known.
func withinEdits(r Request) bool {
	switch r.Kind {
	case "search", "think":
		return true
	case "read", "edit", "delete", "move":
		return len(r.Paths) > 0
	}
	return false
}

// allowed decides a request: by the guard of a plan, by the policy, by the user.
func (t *turn) allowed(ctx context.Context, r Request) bool {
	yes := t.decides(ctx, r)
	if !yes && ctx.Err() == nil {
		t.deny(r)
	}
	return yes
}

// deny shows that something was not allowed: not every agent says so.
func (t *turn) deny(r Request) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.denied = true
	t.say(outer.Seen{Tool: "not permitted: " + cmp.Or(r.Title, r.Kind)})
}

func (t *turn) decides(ctx context.Context, r Request) bool {
	if t.guarded && !t.plans(r) {
		return false
	}
	switch t.a.Policy.judge(r) {
	case allow:
		return true
	case ask:
		return t.a.asks(ctx, r)
	}
	return false
}

// plans tells whether a request only reads, or writes the plan's own Markdown.
func (t *turn) plans(r Request) bool {
	switch {
	case r.Command != "":
		return false
	case r.Kind == "read" || r.Kind == "search" || r.Kind == "think" || r.Kind == "fetch":
		return true
	case !writes(r.Kind) || len(r.Paths) == 0:
		return false
	}
	return !slices.ContainsFunc(r.Paths, func(p string) bool { return !t.a.isPlan(p) })
}

// isPlan tells whether a path is that of a plan, and no link leads elsewhere.
func (a *agent) isPlan(path string) bool {
	input, err := json.Marshal(map[string]string{"path": path})
	if err != nil {
		return false
	}
	_, ok := loop.PlanCall{Tool: "write", Input: input, Roots: []string{a.Dir}, Windows: runtime.GOOS == "windows"}.Allowed()
	return ok && a.ws.straight(path)
}

// asks puts a request to the user. Who is cancelled waits for no answer.
func (d *driver) asks(ctx context.Context, r Request) bool {
	if d.Ask == nil {
		return false
	}
	select {
	case d.asking <- struct{}{}:
	case <-ctx.Done():
		return false
	}
	answer := make(chan bool, 1)
	go func() {
		defer func() { <-d.asking }()
		answer <- d.Ask(ctx, r)
	}()
	select {
	case yes := <-answer:
		return yes && ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// permission answers a request for permission.
func (t *turn) permission(ctx context.Context, params json.RawMessage) (any, error) {
	var p struct {
		Call    toolCall `json:"toolCall"`
		Options []option `json:"options"`
	}
	if err := lenient(params, &p); err != nil {
		return nil, err
	}
	r := t.request(&p.Call)
	r.Always = !slices.ContainsFunc(p.Options, func(o option) bool { return o.Kind == sdk.PermissionOptionKindAllowOnce })
	yes := t.allowed(ctx, r)
	if t.ctx.Err() != nil { // the protocol wants this of a turn that is cancelled
		return outcome(""), nil
	}
	if yes {
		t.grant(r)
	}
	return outcome(pick(p.Options, t.wanted(yes))), nil
}

// request puts together what is known of a tool call that wants a permission.
func (t *turn) request(news *toolCall) Request {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := news
	if news.ID != "" {
		c = t.known(news.ID) // some agents tell of a call here first
		c.merge(news)
	}
	r := Request{Kind: c.kind(), Title: clip(line(deref(c.Title))), Command: c.given()}
	if r.Kind == "execute" {
		r.Command = c.command()
	}
	paths := c.paths()
	r.Outside = len(paths) > manyPaths
	for _, p := range paths[:min(len(paths), manyPaths)] {
		r.Outside = r.Outside || !t.a.ws.holds(p, writes(r.Kind))
		r.Paths = append(r.Paths, t.a.ws.absolute(p))
	}
	return r
}

// option is one of the answers that an agent takes.
type option struct {
	ID   sdk.PermissionOptionId   `json:"optionId"`
	Kind sdk.PermissionOptionKind `json:"kind"`
}

// wanted lists the kinds of answers, best first. What is allowed for good is not
// chosen under a policy that judges each request.
func (t *turn) wanted(yes bool) []sdk.PermissionOptionKind {
	switch {
	case !yes:
		return []sdk.PermissionOptionKind{sdk.PermissionOptionKindRejectOnce, sdk.PermissionOptionKindRejectAlways}
	case t.guarded || t.a.Policy == PolicyEdits:
		return []sdk.PermissionOptionKind{sdk.PermissionOptionKindAllowOnce}
	}
	return []sdk.PermissionOptionKind{sdk.PermissionOptionKindAllowOnce, sdk.PermissionOptionKindAllowAlways}
}

func pick(options []option, kinds []sdk.PermissionOptionKind) sdk.PermissionOptionId {
	for _, kind := range kinds {
		for _, o := range options {
			if o.Kind == kind {
				return o.ID
			}
		}
	}
	return ""
}

// outcome is the answer to a request: an option, or none.
func outcome(id sdk.PermissionOptionId) sdk.RequestPermissionResponse {
	if id == "" {
		return sdk.RequestPermissionResponse{Outcome: sdk.NewRequestPermissionOutcomeCancelled()}
	}
	return sdk.RequestPermissionResponse{Outcome: sdk.NewRequestPermissionOutcomeSelected(id)}
}

// grant remembers what the user was asked for, so that he is not asked again
// when the agent has us do it.
func (t *turn) grant(r Request) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.a.Policy != PolicyAsk || len(t.granted) > granted {
		return
	}
	if r.Command != "" {
		t.granted["execute "+r.Command] = true
	}
	for _, p := range r.Paths {
		if writes(r.Kind) {
			t.granted["write "+p] = true
		}
	}
}

// used takes a permission that was given, once.
func (t *turn) used(what string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	had := t.granted[what]
	delete(t.granted, what)
	return had
}
