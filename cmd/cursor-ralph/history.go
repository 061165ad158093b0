package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/pending"
)

func historyFlags(f *pflag.FlagSet) {
	jsonFlag(f)
	f.Bool("verbose", false, "also the files that changed, the errors and how the agent's last words begin")
}

// history shows the iterations of a loop, also those that its file no longer
// holds.
func history(_ context.Context, e *env, args []string) error {
	l, err := e.told(args)
	if err != nil {
		return err
	}
	all, problem := e.store.History(l) // what can be read is shown all the same
	if e.isSet("json") {
		return errors.Join(e.json(append([]loop.Iteration{}, all...)), problem)
	}
	var b strings.Builder
	b.WriteString(historyTable(all, e.isSet("verbose")))
	if l.Status.Ended() {
		fmt.Fprintf(&b, "%s: %s\n", l.Status, l.Reason)
	}
	if b.Len() == 0 {
		b.WriteString("no iteration is over yet\n")
	}
	return errors.Join(e.say("%s", strings.TrimRight(b.String(), "\n")), problem)
}

// told gives the loop that is to be told about. Without an id, where no loop runs
// or waits, that is the one of this folder that ended last.
func (e *env) told(args []string) (loop.State, error) {
	id, err := e.target(args)
	if err == nil {
		return e.find(id)
	}
	if len(args) > 0 {
		return loop.State{}, err
	}
	if l, ok := e.endedHere(); ok {
		return l, nil
	}
	return loop.State{}, err
}

func (e *env) endedHere() (loop.State, bool) {
	here, err := e.here()
	if err != nil {
		return loop.State{}, false
	}
	live, _ := e.store.List()
	items, _ := e.box.List()
	isHere := func(l loop.State) bool { return l.Workspace != "" && within(here, l.Workspace) }
	if slices.ContainsFunc(live, isHere) || slices.ContainsFunc(items, func(i pending.Item) bool { return isHere(i.State) }) {
		return loop.State{}, false // the user has to say which one
	}
	ended, _ := e.store.Records()
	for _, l := range slices.Backward(ended) {
		if isHere(l) {
			return l, true
		}
	}
	return loop.State{}, false
}

// historyTable has a line for each iteration, and below it what does not fit.
func historyTable(all []loop.Iteration, verbose bool) string {
	if len(all) == 0 {
		return ""
	}
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "#\tended\tseconds\ttools\tfiles\terrors\tpromise\tthen\n")
	clock := clockFor(all)
	for _, h := range all {
		fmt.Fprintf(w, "%d\t%s\t%.1f\t%s\t%d\t%d\t%s\t%s\n", h.Number, h.EndedAt.Local().Format(clock), h.Seconds,
			tools(h.Tools), len(h.Files), len(h.Errors), promiseOf(h), actionOf(h))
	}
	_ = w.Flush() // into memory
	header, rows, _ := strings.Cut(b.String(), "\n")
	table := header + "\n"
	for i, row := range slices.Collect(strings.Lines(rows)) {
		table += row + below(all[i], verbose)
	}
	return table
}

// clockFor gives the date too, unless all happened on one day.
func clockFor(all []loop.Iteration) string {
	first, last := all[0].EndedAt.Local(), all[len(all)-1].EndedAt.Local()
	if first.Format("2006-01-02") == last.Format("2006-01-02") {
		return "15:04:05"
	}
	return "01-02 15:04:05"
}

// toolsWidth is how many characters a table has for the tools of an iteration.
const toolsWidth = 28

// tools names those that were used most, with how often.
func tools(counts map[string]int) string {
	if len(counts) == 0 {
		return "-"
	}
	var b strings.Builder
	names := mostUsed(counts)
	for i, name := range names {
		part := fmt.Sprintf("%s %d", shortened(name, 20), counts[name])
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

// promiseOf is short; why a promise was refused stands below.
func promiseOf(h loop.Iteration) string { return shortened(cmp.Or(h.Promise, "-"), 10) }

// actionOf is what followed an iteration; of a typed line also how it went.
func actionOf(h loop.Iteration) string {
	action := shortened(cmp.Or(h.Action, "-"), 12)
	if len(h.Injections) == 0 {
		return action
	}
	switch i := h.Injections[len(h.Injections)-1]; i.Outcome {
	case "":
		return action + ", not heard of"
	case loop.Arrived:
		return fmt.Sprintf("%s, arrived (%s)", action, shortened(cmp.Or(i.Method, "by hand"), 12))
	}
	return action + ", not typed"
}

// below tells what has no room in a table, a line each.
func below(h loop.Iteration, verbose bool) string {
	var b strings.Builder
	tell := func(what string, texts ...string) {
		for _, text := range texts {
			if strings.TrimSpace(text) != "" {
				b.WriteString("   " + shortened(what+": "+text, 93) + "\n")
			}
		}
	}
	tell("refused", h.Refused)
	tell("accepted with a warning", h.Warning)
	tell("stuck", h.Struggle)
	for _, i := range h.Injections {
		if i.Outcome != loop.Arrived {
			tell("typing", i.Outcome)
			tell("typing", i.Tries...)
		}
	}
	tell("context", h.Context...)
	if verbose {
		tell("file", h.Files...)
		tell("error", h.Errors...)
		tell("failed", unexplained(h)...)
		tell("said", h.Answer)
	}
	return b.String()
}

// unexplained gives the failed commands that no error tells about.
func unexplained(h loop.Iteration) (commands []string) {
	for _, command := range h.Failed {
		if !slices.ContainsFunc(h.Errors, func(line string) bool { return isOf(command, line) }) {
			commands = append(commands, command)
		}
	}
	return commands
}

// oneLine shortens text for a table.
func oneLine(text string) string { return shortened(text, 60) }

// shortened gives text in one line of at most so many characters. What is not
// printable becomes a code before it is counted.
func shortened(text string, width int) string {
	runes := []rune(printable(strings.Join(strings.Fields(text), " ")))
	if len(runes) <= width {
		return string(runes)
	}
	return string(runes[:width-1]) + "…"
}
