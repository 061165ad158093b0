package render

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/view"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

type fact struct {
	Text string `json:"text"`
	In   []int  `json:"iterations"`
}

// facts gathers what iterations have in common, in the order of time.
func facts(all []loop.Iteration, of func(loop.Iteration) []string) (found []fact) {
	at := map[string]int{}
	for _, h := range all {
		for _, words := range of(h) {
			if strings.TrimSpace(words) == "" {
				continue
			}
			if _, seen := at[words]; !seen {
				at[words] = len(found)
				found = append(found, fact{Text: words})
			}
			f := &found[at[words]]
			if !slices.Contains(f.In, h.Number) {
				f.In = append(f.In, h.Number)
			}
		}
	}
	return found
}

// files are named as they are seen from the workspace.
func files(l loop.State, all []loop.Iteration) []fact {
	found := facts(all, func(h loop.Iteration) (names []string) {
		for _, file := range h.Files {
			names = append(names, fromWorkspace(l.Workspace, file))
		}
		return names
	})
	slices.SortFunc(found, func(a, b fact) int { return cmp.Compare(a.Text, b.Text) })
	return found
}

func fromWorkspace(workspace, file string) string {
	root := strings.TrimRight(filepath.ToSlash(workspace), "/")
	rel, inside := strings.CutPrefix(filepath.ToSlash(file), root+"/")
	if root == "" || !inside {
		return file
	}
	return rel
}

func failed(h loop.Iteration) []string   { return h.Failed }
func errorsOf(h loop.Iteration) []string { return h.Errors }
func refusals(h loop.Iteration) []string { return []string{h.Refused} }
func warnings(h loop.Iteration) []string { return []string{h.Warning} }
func changes(h loop.Iteration) (list []string) {
	for _, c := range h.Changes {
		list = append(list, describeChange(c))
	}
	return list
}

func describeChange(c loop.Change) string {
	return fmt.Sprintf("--%s is now %s, was %s (by the %s)", c.Option, cmp.Or(c.New, "none"), cmp.Or(c.Old, "none"), c.By)
}

// withChanges adds to a history what was changed since its last iteration.
func withChanges(l loop.State) []loop.Iteration {
	return append(slices.Clone(l.History), loop.Iteration{Number: l.Iterations + 1, Changes: l.Uncounted.Changes})
}

func contexts(h loop.Iteration) []string { return h.Context }
func notes(h loop.Iteration) []string {
	if h.Note == "" {
		return nil
	}
	return []string{h.Note}
}
func struggles(h loop.Iteration) []string { return []string{h.Struggle} }

func verdicts(h loop.Iteration) []string {
	if h.Verified == nil || !h.Verified.Ran() {
		return nil
	}
	return []string{describeVerdict(*h.Verified)}
}

func reviews(h loop.Iteration) []string { return []string{view.DescribeReview(h.Verified)} }

func findings(h loop.Iteration) []string {
	if h.Verified == nil || h.Verified.Review == nil {
		return nil
	}
	return h.Verified.Review.Findings
}
