package render

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/loops"
	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/internal/view"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// History shows the iterations of a loop.
func History(_ context.Context, e *cli.Env, args []string) error {
	found, err := Chosen(e, args)
	if err != nil {
		return err
	}
	l := found.State
	if e.IsSet("json") {
		return e.JSON(view.Iterations(l.History))
	}
	var b strings.Builder
	b.WriteString(historyTable(e.Screen(), l.History))
	for _, c := range l.Uncounted.Changes {
		fmt.Fprintf(&b, "changed: %s\n", describeChange(c))
	}
	if l.Status.Ended() {
		fmt.Fprintf(&b, "%s: %s\n", l.Status, l.Reason)
	}
	if b.Len() == 0 {
		b.WriteString("no iteration is over yet\n")
	}
	return e.Say("%s", strings.TrimRight(b.String(), "\n"))
}

// Chosen returns the loop to show: by default, without a current loop, the one of this
// folder that was interrupted, otherwise the one that ended last, as status does.
func Chosen(e *cli.Env, args []string) (loops.Loop, error) {
	l, err := e.Target(args)
	if err == nil || len(args) > 0 {
		return l, err
	}
	if rests, ok := restsHere(e); ok {
		return rests, nil
	}
	return l, err
}

// restsHere returns the loop of this folder that was interrupted or ended last, unless
// another one may be meant.
func restsHere(e *cli.Env) (loops.Loop, bool) {
	here, err := e.Here()
	if err != nil {
		return loops.Loop{}, false
	}
	isHere := func(l loop.State) bool { return loops.Within(here, l.Workspace) }
	all, _ := e.Loops.All(e.Now()) // doctor shows what cannot be read
	all = slices.DeleteFunc(all, func(l loops.Loop) bool { return !isHere(l.State) })
	switch {
	case len(all) == 1 && all[0].IsInterrupted():
		l, err := e.Loops.Whole(all[0])
		return l, err == nil
	case len(all) > 0:
		return loops.Loop{}, false
	}
	return e.Loops.LastEnded(isHere)
}

func givesWay() []view.Give {
	const tools, promise, then = 3, 6, 7 // without the column of the tokens, which comes last
	var gives []view.Give
	for _, g := range [][2]int{{tools, 12}, {then, 16}, {tools, 5}, {promise, 7}, {then, 8}, {tools, 1}, {then, 4}} {
		gives = append(gives, view.Give{Column: g[0], Least: g[1]})
	}
	return gives
}

func historyTable(screen view.Screen, all []loop.Iteration) string {
	if len(all) == 0 {
		return ""
	}
	rows := [][]string{{"#", "ended", "seconds", "tools", "files", "errors", "promise", "then"}}
	clock, inTable := clockFor(all), showsTokens(all) && (screen.Width == 0 || screen.Width >= tokensFrom)
	if inTable {
		rows[0] = append(rows[0], "tokens")
	}
	for _, h := range all {
		rows = append(rows, []string{fmt.Sprint(h.Number), h.EndedAt.Local().Format(clock), fmt.Sprintf("%.1f", h.Seconds),
			text.FixedWidth(tools(h.Tools)), fmt.Sprint(len(h.Files)), fmt.Sprint(len(h.Errors)), text.FixedWidth(promiseOf(h)), text.FixedWidth(actionOf(h))})
		if inTable {
			rows[len(rows)-1] = append(rows[len(rows)-1], view.Tokens(h.Tokens))
		}
	}
	lines := slices.Collect(strings.Lines(screen.Columns(rows, givesWay()...)))
	for i, h := range all {
		lines[i+1] += below(screen, h, showsTokens(all) && !inTable)
	}
	return strings.Join(lines, "")
}

// tokensFrom is the width of a screen on which the table has room for the tokens.
const tokensFrom = 80

func showsTokens(all []loop.Iteration) bool {
	return slices.ContainsFunc(all, func(h loop.Iteration) bool { return h.Tokens != nil })
}

// clockFor adds the date, unless all happened on one day.
func clockFor(all []loop.Iteration) string {
	first, last := all[0].EndedAt.Local(), all[len(all)-1].EndedAt.Local()
	if first.Format("2006-01-02") == last.Format("2006-01-02") {
		return "15:04:05"
	}
	return "01-02 15:04:05"
}

const toolsWidth = 28

func tools(counts map[string]int) string {
	if len(counts) == 0 {
		return "-"
	}
	var b strings.Builder
	names := mostUsed(counts)
	for i, name := range names {
		part := fmt.Sprintf("%s %d", cli.Shortened(name, 20), counts[name])
		if i > 0 && len([]rune(b.String()+part)) > toolsWidth {
			fmt.Fprintf(&b, ", +%d", len(names)-i)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(part)
	}
	return b.String()
}

func mostUsed(counts map[string]int) []string {
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
}

// promiseOf is short; the reason of a refusal is below the row.
func promiseOf(h loop.Iteration) string { return cli.Shortened(cmp.Or(h.Promise, "-"), 10) }

func actionOf(h loop.Iteration) string {
	action := cli.Shortened(cmp.Or(h.Action, "-"), 12)
	if len(h.Lines) == 0 {
		return action
	}
	switch i := h.Lines[len(h.Lines)-1]; i.Outcome {
	case loop.Open:
		return action + ", unreported"
	case loop.Arrived:
		return fmt.Sprintf("%s, arrived (%s)", action, cli.Shortened(cmp.Or(i.Method, "by hand"), 12))
	}
	return action + ", not typed"
}

func below(screen view.Screen, h loop.Iteration, tokens bool) string {
	const indent, most = "   ", 93
	var b strings.Builder
	tell := func(what string, texts ...string) {
		for _, words := range texts {
			if strings.TrimSpace(words) != "" {
				lines := screen.Wrap(text.FixedWidth(cli.Shortened(what+": "+words, most)), screen.Width-len(indent), most)
				b.WriteString(indent + strings.Join(lines, "\n"+indent) + "\n")
			}
		}
	}
	tell("tasks", h.Tasks.Progress())
	tell("refused", h.Refused)
	tell("review", view.DescribeReview(h.Verified))
	if h.Promise == "accepted" {
		tell("accepted with a warning", h.Warning)
	} else {
		tell("warning", h.Warning)
	}
	tell("stuck", h.Struggle)
	for _, i := range h.Lines {
		if i.Outcome != loop.Arrived {
			tell("typing", string(i.Outcome))
			tell("typing", otherTries(i)...)
		}
	}
	if tokens {
		tell("tokens", view.Tokens(h.Tokens))
	}
	tell("follow-up", describeOutcome(h.Delivery))
	tell("changed", changes(h)...)
	tell("context", h.Context...)
	tell("note", h.Note)
	return b.String()
}
