package render

import (
	"crypto/sha256"
	_ "embed" // the page
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"math"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/internal/view"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// ReportFlags adds the flags of report.
func ReportFlags(f *pflag.FlagSet) {
	cli.JSONFlag(f)
	f.Bool("html", false, "print a page for a browser")
}

//go:embed page.html
var pageSource string

//go:embed page.css
var pageStyle string

//go:embed page.js
var pageScript string

// page is a report as HTML. The editor extension shows the same page: its script finds
// the editor by itself, and its colors are the editor's where there is one.
type page struct {
	Style   template.CSS
	Script  template.JS
	Policy  string
	ID      string
	Title   string
	Task    string
	Status  string
	Group   view.Group
	Why     string
	Facts   []view.Detail
	Actions []view.Action
	Bars    []bar
	Cut     string // the length from which bars are cut off
	Turns   []turnRow
}

type bar struct {
	Number        int
	Kind          string  // accepted, refused, none
	Percent       float64 // of the chart's height
	Cut, Numbered bool
	Words         string
}

// fileRow is a file's name, and how the page's script gets it.
type fileRow struct{ Name, Coded string }

type turnRow struct {
	Number, Checkpoint       int
	Kind, Words, When, Tools string
	Files                    []fileRow
	MoreFiles                int
	Parts                    []view.Detail
}

func pageOf(w io.Writer, l loop.State, shown view.Loop, details []detail) error {
	sum := sha256.Sum256([]byte(pageScript))
	p := page{
		Style: template.CSS(pageStyle), Script: template.JS(pageScript), // #nosec G203 -- our own files
		Policy: "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'",
		ID:     shown.ID,
		Title:  view.Short(text.First(l.Prompt), 80), Task: shownText(l.Prompt), Status: shown.Item.Description, Group: shown.Item.Group, Why: shownText(shown.Reason), Actions: shown.Actions,
	}
	for _, d := range details {
		if words := strings.TrimSpace(d.words); words != "" && !slices.Contains([]string{"task", "status", "why"}, d.name) {
			p.Facts = append(p.Facts, view.Detail{Name: d.name, Words: shownText(words)})
		}
	}
	if since := facts([]loop.Iteration{{Changes: l.Uncounted.Changes}}, changes); len(since) > 0 {
		var words []string
		for _, f := range since {
			words = append(words, f.Text)
		}
		p.Facts = append(p.Facts, view.Detail{Name: "changed", Words: shownText(strings.Join(words, "\n"))})
	}
	p.Bars, p.Cut = bars(l.History)
	for i, h := range slices.Backward(view.Iterations(l.History)) {
		p.Turns = append(p.Turns, rowOf(h, l.History[i]))
	}
	parsed, err := template.New("page").Parse(pageSource)
	if err != nil {
		return err
	}
	return parsed.Execute(w, p)
}

// shownText is text from outside: without what hides or reorders it, and without a promise.
func shownText(s string) string {
	words := text.Escape(loop.Unmarked(strings.ReplaceAll(s, "\r\n", "\n")))
	if runes := []rune(words); len(runes) > reportedTask {
		words = fmt.Sprintf("%s\n… %d characters more", string(runes[:reportedTask]), len(runes)-reportedTask)
	}
	return words
}

func rowOf(h view.Iteration, raw loop.Iteration) turnRow {
	r := turnRow{Number: h.Number, Checkpoint: h.Checkpoint, Kind: kindOf(h.Promise), Words: h.Words}
	if !h.StartedAt.IsZero() {
		r.When = h.StartedAt.Local().Format("2006-01-02 15:04")
	}
	r.MoreFiles = max(0, len(h.Files)-reportedFiles)
	for _, name := range h.Files[:len(h.Files)-r.MoreFiles] {
		r.Files = append(r.Files, fileRow{shownText(name), url.PathEscape(name)})
	}
	var used []string
	for _, name := range mostUsed(h.Tools) {
		used = append(used, fmt.Sprintf("%s %d", cli.Shortened(name, 40), h.Tools[name]))
	}
	r.Tools = strings.Join(used, ", ")
	part := func(name string, words ...string) {
		if all := strings.TrimSpace(strings.Join(words, "\n")); all != "" {
			r.Parts = append(r.Parts, view.Detail{Name: name, Words: shownText(all)})
		}
	}
	part("Why the promise was refused", h.Refused)
	if v := raw.Verified; v != nil {
		if v.Ran() {
			part("Verification", describeVerdict(*v))
		}
		part("Its output", v.Output)
		part("Review", view.DescribeReview(v))
		part("Findings", findings(raw)...)
	}
	part("Warning", h.Warning)
	part("Stuck", h.Struggle)
	part("Failed commands", h.Failed...)
	part("Errors", h.Errors...)
	part("The agent said", h.Answer)
	part("Changed", changes(raw)...)
	part("Added context", h.Context...)
	part("The agent's note", notes(h.Iteration)...)
	return r
}

func kindOf(promise string) string {
	if promise == "accepted" || promise == "refused" {
		return promise
	}
	return "none"
}

const (
	highest   = 85.0 // percent; below are the numbers
	mostTimes = 4    // a bar that is longer than so many usual ones is cut off
)

// bars returns a bar for each iteration, as high as it took long. One that took far
// longer than usual is cut off, or the others would all look the same.
func bars(all []loop.Iteration) (bars []bar, cut string) {
	if len(all) == 0 {
		return nil, ""
	}
	var lengths []float64
	for _, h := range all {
		lengths = append(lengths, max(0, h.Seconds))
	}
	slices.Sort(lengths)
	top, usual := lengths[len(lengths)-1], lengths[len(lengths)/2]
	if most := usual * mostTimes; most > 0 && top > most {
		top, cut = most, text.Duration(time.Duration(most*float64(time.Second)))
	}
	for i, h := range view.Iterations(all) {
		high := 0.0
		if top > 0 {
			high = min(h.Seconds, top) / top * highest
		}
		bars = append(bars, bar{Number: h.Number, Kind: kindOf(all[i].Promise), Percent: math.Round(high), Cut: h.Seconds > top,
			Numbered: len(all) <= 25 || h.Number%5 == 0, Words: fmt.Sprintf("Iteration %d: %s", h.Number, h.Words)})
	}
	return bars, cut
}
