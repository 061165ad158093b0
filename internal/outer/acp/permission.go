package acp

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/cursor-ralph/cursor-ralph/internal/outer"
	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

// Request is an action that the agent asks permission for, as the agent declares it.
type Request struct {
	Kind    string   // read, edit, delete, move, search, execute, think, fetch, switch_mode or other
	Title   string   // in the agent's words
	Says    []string // more of the agent's words
	Input   []string // the tool's input, each field as "name": value in JSON
	Edits   []Edit   // if the agent shows them
	Paths   []string // files that it reads or writes, absolute
	Outside bool     // one of them is outside the workspace
	Obeyed  bool     // one of them is what programs execute, or agents obey, on their own
}

// Edit is a change to one file.
type Edit struct {
	Path string // absolute
	Old  string // the file, or the part that is replaced; empty for a new file
	New  string
}

func (t *turn) onPermission(ctx context.Context, p sdk.RequestPermissionRequest) sdk.RequestPermissionOutcome {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(t.ctx, cancel)()
	if t.ctx.Err() != nil { // the protocol requires this when the turn is cancelled
		return sdk.NewRequestPermissionOutcomeCancelled()
	}
	r := t.request(p.ToolCall)
	// "Always" is only for a policy that does not judge each request. An agent that offers
	// no way to allow only this one gets a no.
	allowed := []sdk.PermissionOptionKind{sdk.PermissionOptionKindAllowOnce}
	if t.a.Policy == outer.PolicyAll && !t.plans {
		allowed = append(allowed, sdk.PermissionOptionKindAllowAlways)
	}
	yes := pick(p.Options, allowed...)
	isAllowed := yes != "" && t.allows(ctx, r)
	switch {
	case t.ctx.Err() != nil:
		return sdk.NewRequestPermissionOutcomeCancelled()
	case isAllowed:
		return sdk.NewRequestPermissionOutcomeSelected(yes)
	}
	t.denied.Store(true)
	t.report(outer.Seen{Tool: "not permitted: " + clip(firstLine(summaryOf(r)))})
	if no := pick(p.Options, sdk.PermissionOptionKindRejectOnce, sdk.PermissionOptionKindRejectAlways); no != "" {
		return sdk.NewRequestPermissionOutcomeSelected(no)
	}
	return sdk.NewRequestPermissionOutcomeCancelled()
}

func summaryOf(r Request) string {
	if r.Title != "" {
		return r.Title
	}
	return strings.TrimSpace(r.Kind + " " + strings.Join(r.Paths, " "))
}

// pick returns the first option of the first kind that is offered.
func pick(options []sdk.PermissionOption, kinds ...sdk.PermissionOptionKind) sdk.PermissionOptionId {
	for _, kind := range kinds {
		if i := slices.IndexFunc(options, func(o sdk.PermissionOption) bool { return o.Kind == kind }); i >= 0 {
			return options[i].OptionId
		}
	}
	return ""
}

func (t *turn) allows(ctx context.Context, r Request) bool {
	switch {
	case t.plans:
		return r.isReading() && !r.isExecuting() || t.isPlan(r)
	case t.a.Policy == outer.PolicyAll:
		return true
	case t.a.Policy == outer.PolicyAsk:
		return t.a.askUser(ctx, r)
	case t.a.Policy == outer.PolicyEdits:
		return r.isEdit()
	}
	return false
}

func (r Request) isReading() bool {
	switch sdk.ToolKind(r.Kind) {
	case sdk.ToolKindRead, sdk.ToolKindSearch, sdk.ToolKindThink, sdk.ToolKindFetch:
		return true
	}
	return false
}

// isExecuting reports whether an agent shows a command in a request that it calls
// something else.
func (r Request) isExecuting() bool {
	return slices.ContainsFunc(r.Input, func(field string) bool {
		return slices.ContainsFunc(commandFields, func(name string) bool { return strings.HasPrefix(field, compact(name)+": ") })
	})
}

// isEdit reports whether PolicyEdits allows a request: reading, searching or editing
// files, all of them named, in the workspace, and none that is obeyed if it writes.
func (r Request) isEdit() bool {
	if r.Outside || r.isExecuting() {
		return false
	}
	switch kind := sdk.ToolKind(r.Kind); {
	case kind == sdk.ToolKindThink:
		return true
	case kind == sdk.ToolKindRead, kind == sdk.ToolKindSearch:
		return len(r.Paths) > 0
	default:
		return writes(kind) && len(r.Paths) > 0 && !r.Obeyed
	}
}

// isPlan reports whether a request only writes Markdown of a plan.
func (t *turn) isPlan(r Request) bool {
	isOther := func(path string) bool {
		rel, err := t.a.ws.resolve(path)
		name := filepath.Base(rel)
		isMarkdown := strings.HasSuffix(name, ".md") && name[0] != '.' && text.IsPlain(name)
		return err != nil || filepath.Dir(rel) != filepath.Join(".cursor", "plans") || !isMarkdown || path != t.a.ws.absolute(rel) // not through a link
	}
	return r.Kind == string(sdk.ToolKindEdit) && !r.isExecuting() && len(r.Paths) > 0 && !slices.ContainsFunc(r.Paths, isOther)
}

// request returns what a request is about. Some agents report a call here first.
func (t *turn) request(news sdk.ToolCallUpdate) Request {
	t.mu.Lock()
	known := t.call(news.ToolCallId)
	if !known.isDone {
		known.merge(news)
	}
	c := *known // merge only replaces what it contains, so the copy is stable
	t.mu.Unlock()
	r := Request{Kind: string(c.kind), Title: c.title, Says: c.texts()}
	for _, d := range c.diffs() {
		r.Edits = append(r.Edits, Edit{Path: t.a.ws.absolute(d.Path), Old: value(d.OldText), New: d.NewText})
	}
	r.Input = inputLines(c.input, r.Edits)
	for _, p := range c.paths() {
		r.Paths = append(r.Paths, t.a.ws.absolute(p))
		resolved, err := t.a.ws.resolve(p)
		r.Outside = r.Outside || err != nil
		r.Obeyed = r.Obeyed || err == nil && t.a.ws.isObeyed(p, resolved)
	}
	return r
}

// inputLines leaves out the texts that the edits show.
func inputLines(input any, edits []Edit) (lines []string) {
	isShown := func(text any) bool {
		return slices.ContainsFunc(edits, func(e Edit) bool { return text == e.Old || text == e.New })
	}
	fields, isObject := input.(map[string]any)
	if !isObject && input != nil {
		return []string{compact(input)}
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if v := fields[name]; v != nil && !isShown(v) {
			lines = append(lines, compact(name)+": "+compact(v))
		}
	}
	return lines
}

func compact(value any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(value) // it was decoded from JSON
	return strings.TrimSuffix(b.String(), "\n")
}

// askUser returns the user's answer. A turn that is over asks nothing: the agent may have
// sent the request just before it learned that.
func (d *driver) askUser(ctx context.Context, r Request) bool {
	d.asking.Lock()
	defer d.asking.Unlock()
	return d.Ask != nil && ctx.Err() == nil && d.Ask(ctx, r) && ctx.Err() == nil
}
