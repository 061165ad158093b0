package acp

import (
	"context"
	"encoding/json"
	"runtime"
	"slices"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/cursor-ralph/cursor-ralph/internal/toolcall"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/outer"
)

func mayEdit(p outer.Policy) bool { return p == outer.PolicyEdits || mayExecute(p) }

func mayExecute(p outer.Policy) bool { return p == outer.PolicyAsk || p == outer.PolicyAll }

// isEdit reports whether PolicyEdits allows a request. Its files must be known. A
// request that runs a command is not an edit, even if the agent calls it one.
func isEdit(r Request) bool {
	if r.Execution != nil || r.Outside || r.Executed {
		return false
	}
	switch r.Kind {
	case "search", "think":
		return true
	case "read", "edit", "delete", "move":
		return len(r.Paths) > 0
	}
	return false
}

func (t *turn) allow(ctx context.Context, r Request) bool {
	yes := t.decide(ctx, r)
	if !yes && ctx.Err() == nil {
		t.deny(r)
	}
	return yes
}

// deny shows that a request was denied: not every agent does.
func (t *turn) deny(r Request) {
	t.denied.Store(true)
	t.report(outer.Seen{Tool: "not permitted: " + clip(firstLine(r.summary()))})
}

func (r Request) summary() string {
	switch {
	case r.Title != "":
		return r.Title
	case r.Execution != nil:
		return "run " + r.Execution.String()
	}
	return strings.TrimSpace(r.Kind + " " + strings.Join(r.Paths, " "))
}

func (t *turn) decide(ctx context.Context, r Request) bool {
	if t.ctx.Err() != nil || t.guarded && !t.isPlanning(r) {
		return false
	}
	switch t.a.Policy {
	case outer.PolicyAll:
		return true
	case outer.PolicyAsk:
		key := t.a.ws.lastingKey(r)
		r.Lasting = key != ""
		if t.a.isLasting(key) {
			return true
		}
		answer := t.a.askUser(ctx, r)
		if answer == Always && r.Lasting {
			t.a.addLasting(key)
		}
		return answer != No
	case outer.PolicyEdits:
		return isEdit(r)
	}
	return false
}

// isPlanning reports whether a request only reads, or writes a plan.
func (t *turn) isPlanning(r Request) bool {
	switch {
	case r.Execution != nil:
		return false
	case r.Kind == "read" || r.Kind == "search" || r.Kind == "think" || r.Kind == "fetch":
		return true
	case !writes(r.Kind) || len(r.reach) == 0:
		return false
	}
	return !slices.ContainsFunc(r.reach, func(p string) bool { return !t.a.isPlan(p) })
}

func (a *agent) isPlan(path string) bool {
	input, err := json.Marshal(map[string]string{"path": path})
	if err != nil {
		return false
	}
	_, ok := loop.PlanCall{Tool: "write", Input: input, Roots: []string{a.Dir}, Windows: runtime.GOOS == "windows"}.Allowed()
	return ok && a.ws.isWithoutLinks(path)
}

// askUser returns the user's answer, or No as soon as ctx is done.
func (d *driver) askUser(ctx context.Context, r Request) Answer {
	if d.Ask == nil {
		return No
	}
	select {
	case d.asking <- struct{}{}:
	case <-ctx.Done():
		return No
	}
	answer := make(chan Answer, 1)
	go func() {
		defer func() { <-d.asking }()
		answer <- d.Ask(ctx, r)
	}()
	select {
	case said := <-answer:
		if ctx.Err() == nil {
			return said
		}
	case <-ctx.Done():
	}
	return No
}

func (t *turn) requestPermission(ctx context.Context, params json.RawMessage) (any, error) {
	var p struct {
		Call    toolCall `json:"toolCall"`
		Options []option `json:"options"`
	}
	if err := toolcall.Decode(params, &p); err != nil {
		return nil, err
	}
	r := t.request(ctx, &p.Call)
	yes := false
	if pick(p.Options, t.answerKinds(true)) == "" {
		t.deny(r) // the agent offers no way to allow only this request
	} else {
		yes = t.allow(ctx, r)
	}
	if t.ctx.Err() != nil { // the protocol requires this when the turn is cancelled
		return outcome(""), nil
	}
	if yes {
		t.grant(r)
	}
	return outcome(pick(p.Options, t.answerKinds(yes))), nil
}

func (t *turn) request(ctx context.Context, news *toolCall) Request {
	t.mu.Lock()
	c := news
	if news.ID != "" {
		c = t.call(news.ID) // some agents report a call here first
		c.merge(news)
	}
	call := *c // merge only replaces what it contains, so the copy is stable
	t.mu.Unlock()
	r := Request{Kind: call.kind(), Title: call.Title, Says: call.contentTexts()}
	r.Execution, r.exact = call.execution(t.a.ws)
	r.Edits = t.edits(ctx, &call)
	r.Input = call.otherInput(r.exact, len(r.Edits) > 0)
	t.locate(&r, &call)
	return r
}

func (t *turn) locate(r *Request, c *toolCall) {
	paths := c.paths()
	for _, p := range paths[:min(len(paths), maxPaths)] {
		r.Paths = append(r.Paths, t.a.ws.absolute(p))
	}
	reach := c.reach()
	isEverywhere := r.Kind == "search" && c.RawInput == nil && len(paths) == 0
	r.Outside = reach.unclear || isEverywhere || len(paths) > maxPaths
	for _, p := range reach.places {
		r.Outside = r.Outside || !t.a.ws.containsPattern(p)
		r.Executed = r.Executed || writes(r.Kind) && t.isExecuted(p) || removes(r.Kind) && t.a.ws.isRoot(p)
		r.reach = append(r.reach, t.a.ws.absolute(p))
	}
}

// isExecuted reports whether tools execute what is written to a path. Nothing
// executes a plan.
func (t *turn) isExecuted(path string) bool {
	return t.a.ws.isExecuted(path) && !(t.guarded && t.a.isPlan(t.a.ws.absolute(path)))
}

// edits returns the changes that a call shows. A whole new file replaces what is
// there now.
func (t *turn) edits(ctx context.Context, c *toolCall) (list []Edit) {
	for _, b := range c.blocks() {
		if b.Type != "diff" || b.Path == "" {
			continue
		}
		e := Edit{Path: t.a.ws.absolute(b.Path), New: b.NewText}
		if b.OldText != nil {
			e.Old = *b.OldText
		} else {
			e.Old = t.a.ws.current(ctx, e.Path)
		}
		list = append(list, e)
	}
	return list
}

type option struct {
	ID   sdk.PermissionOptionId   `json:"optionId"`
	Kind sdk.PermissionOptionKind `json:"kind"`
}

// answerKinds lists the kinds of answers, best first. "Always" is only for policies
// that do not judge each request.
func (t *turn) answerKinds(yes bool) []sdk.PermissionOptionKind {
	switch {
	case !yes:
		return []sdk.PermissionOptionKind{sdk.PermissionOptionKindRejectOnce, sdk.PermissionOptionKindRejectAlways}
	case t.guarded || t.a.Policy != outer.PolicyAll:
		return []sdk.PermissionOptionKind{sdk.PermissionOptionKindAllowOnce}
	}
	return []sdk.PermissionOptionKind{sdk.PermissionOptionKindAllowOnce, sdk.PermissionOptionKindAllowAlways}
}

func pick(options []option, kinds []sdk.PermissionOptionKind) sdk.PermissionOptionId {
	for _, kind := range kinds {
		if i := slices.IndexFunc(options, func(o option) bool { return o.Kind == kind }); i >= 0 {
			return options[i].ID
		}
	}
	return ""
}

func outcome(id sdk.PermissionOptionId) sdk.RequestPermissionResponse {
	if id == "" {
		return sdk.RequestPermissionResponse{Outcome: sdk.NewRequestPermissionOutcomeCancelled()}
	}
	return sdk.RequestPermissionResponse{Outcome: sdk.NewRequestPermissionOutcomeSelected(id)}
}
