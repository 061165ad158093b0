package acp

import (
	"slices"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/outer"
)

const maxGrants = 16

// grants are what the user has allowed and the agent has not requested us to do
// yet. A request is compared with them in full, never by what was displayed.
type grants struct {
	executions []Execution
	edits      []Edit
}

func (g *grants) add(r Request) {
	if r.Execution != nil && r.exact {
		g.executions = newest(append(g.executions, *r.Execution))
	}
	g.edits = newest(append(g.edits, r.Edits...))
}

func newest[T any](list []T) []T { return slices.Delete(list, 0, max(0, len(list)-maxGrants)) }

func use[T any](list *[]T, matches func(T) bool) bool {
	i := slices.IndexFunc(*list, matches)
	if i < 0 {
		return false
	}
	*list = slices.Delete(*list, i, i+1)
	return true
}

// leadsTo reports whether the edit changes a file from before to after.
func (e Edit) leadsTo(before, after string) bool {
	if e.Old == "" {
		return before == "" && e.New == after
	}
	return strings.Count(before, e.Old) == 1 && strings.Replace(before, e.Old, e.New, 1) == after
}

func (t *turn) grant(r Request) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.a.Policy == outer.PolicyAsk {
		t.granted.add(r)
	}
}

func (t *turn) mayExecute(e Execution) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return use(&t.granted.executions, e.equal)
}

func (t *turn) mayWrite(w Edit) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return use(&t.granted.edits, func(e Edit) bool { return e.Path == w.Path && e.leadsTo(w.Old, w.New) })
}

func (d *driver) isLasting(key string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.lasting[key]
}

func (d *driver) addLasting(key string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lasting[key] = true
}

// lastingKey is the same for requests that one lasting permission covers: the same
// command, byte for byte, with the same folder, variables and other input; or the
// same way to use the same file of the workspace. It is empty if a permission cannot
// last, because the request is not fully understood or reaches further.
func (w *workspace) lastingKey(r Request) string {
	switch {
	case r.Outside || r.Executed:
		return ""
	case r.Execution != nil && r.exact && len(r.Edits) == 0:
		return compact([]any{r.Execution, r.Paths, slices.DeleteFunc(slices.Clone(r.Input), isRemark)})
	case r.Execution == nil && (r.Kind == "edit" || r.Kind == "read") && w.isOneFile(r):
		return compact([]any{r.Kind, r.Paths[0]})
	}
	return ""
}

func isRemark(line string) bool {
	return strings.HasPrefix(line, `"description": `) || strings.HasPrefix(line, `"explanation": `)
}

// isOneFile reports whether a request reaches one file of the workspace and nothing
// else.
func (w *workspace) isOneFile(r Request) bool {
	if len(r.Paths) == 0 || !w.isWithoutLinks(r.Paths[0]) {
		return false
	}
	other := func(p string) bool { return p != r.Paths[0] }
	return !slices.ContainsFunc(r.Paths, other) && !slices.ContainsFunc(r.reach, other)
}
