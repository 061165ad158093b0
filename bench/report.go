package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"text/tabwriter"
)

// result is what is printed, and the JSON.
type result struct {
	Machine machine   `json:"machine"`
	Runs    int       `json:"runs"`
	Took    float64   `json:"took_s"`
	Speed   []row     `json:"speed,omitempty"`
	FsyncMS float64   `json:"fsync_ms,omitempty"` // 0: not measured
	GitMS   float64   `json:"git_ms,omitempty"`
	Floor   size      `json:"floor"`
	Hook    size      `json:"hook"`
	Growth  []row     `json:"growth,omitempty"`
	Lists   []listing `json:"lists,omitempty"`
	Claims  []claim   `json:"claims,omitempty"`
	Shells  []contest `json:"shells,omitempty"`
	Turns   []turn    `json:"turns,omitempty"`
	Missing []string  `json:"missing,omitempty"` // what was not measured, and why
}

// row is a case; times are in milliseconds.
type row struct {
	Case   string  `json:"case"`
	Place  string  `json:"place"`
	Others int     `json:"others"`
	Floor  float64 `json:"floor_ms"`
	Median float64 `json:"median_ms"`
	P95    float64 `json:"p95_ms"`
	Ratio  float64 `json:"ratio"`
	Target float64 `json:"target,omitempty"` // 0: none
	VsOne  float64 `json:"vs_one,omitempty"` // of crowded cases
	OK     bool    `json:"ok"`
}

// size is of a binary, and of its process.
type size struct {
	Bytes         int64 `json:"bytes"`
	PeakNoLoopKiB int64 `json:"peak_no_loop_kib"`
	PeakGoesOnKiB int64 `json:"peak_goes_on_kib"`
}

const (
	mostBytes   = 4_000_000
	mostPeakKiB = 12 << 10
)

// has reports whether there is a program, or notes what is not measured without it.
func (r *result) has(program, loss string) bool {
	_, err := exec.LookPath(program)
	if err != nil {
		r.miss(loss + ": " + program + " is missing")
	}
	return err == nil
}

func (r *result) miss(what string) {
	if !slices.Contains(r.Missing, what) {
		r.Missing = append(r.Missing, what)
	}
}

// costs are differences between stops that go on.
func (r *result) costs() {
	disk, tmpfs := r.goesOn(goesOnName, "disk"), r.goesOn(goesOnName, "tmpfs")
	quick := cmp.Or(tmpfs, disk)
	if disk != nil && tmpfs != nil {
		r.FsyncMS = disk.Median - tmpfs.Median
	}
	if git := r.goesOn("stop, goes on, git", quick.Place); git != nil {
		r.GitMS = git.Median - quick.Median
	}
}

func (r *result) goesOn(name, place string) *row {
	for i, x := range r.Speed {
		if x.Case == name && x.Place == place {
			return &r.Speed[i]
		}
	}
	return nil
}

// table is a part of the report.
type table struct {
	title, notes string
	head         []string
	rows         [][]string
}

// tables leaves out what was not measured.
func (r result) tables() (list []table) {
	for _, t := range []table{r.speedTable(), r.sizeTable(), r.growthTable(), r.claimTable(), r.listTable(), r.shellTable(), r.turnTable()} {
		if len(t.rows) > 0 {
			list = append(list, t)
		}
	}
	return list
}

func (r result) speedTable() table {
	t := table{title: "One event", head: []string{"event", "place", "floor ms", "median ms", "p95 ms", "ratio", "target", ""}}
	for _, x := range r.Speed {
		t.rows = append(t.rows, []string{x.Case, x.Place, ms(x.Floor), ms(x.Median), ms(x.P95), times(x.Ratio), target(x.Target), word(x.OK, x.Target)})
	}
	t.notes = "Each process from its start until it closes its standard output; \"floor\" is the least a Go program can do, run beside each case."
	if r.FsyncMS > 0 { // or the difference is lost in noise
		t.notes += fmt.Sprintf(" A stop that goes on takes %s ms more on this disk than on tmpfs: what fsync costs.", ms(r.FsyncMS))
	}
	if r.GitMS > 0 {
		t.notes += fmt.Sprintf(" In a small git repository, where the hook asks git, it takes %s ms more than without one.", ms(r.GitMS))
	}
	return t
}

func (r result) sizeTable() table {
	t := table{title: "Size", head: []string{"", "floor", "hook", "target", ""}, notes: "The stripped binary, and the most memory that a process had resident."}
	if r.Hook.Bytes == 0 {
		return t
	}
	t.rows = [][]string{{"binary, MB", mb(r.Floor.Bytes), mb(r.Hook.Bytes), "< " + mb(mostBytes), word(r.Hook.Bytes < mostBytes, 1)}}
	for _, x := range []struct {
		name        string
		floor, hook int64
	}{{"stop, no loop, MiB", r.Floor.PeakNoLoopKiB, r.Hook.PeakNoLoopKiB}, {"stop, goes on, MiB", r.Floor.PeakGoesOnKiB, r.Hook.PeakGoesOnKiB}} {
		if x.hook > 0 {
			t.rows = append(t.rows, []string{x.name, mib(x.floor), mib(x.hook), "< " + mib(mostPeakKiB), word(x.hook < mostPeakKiB, 1)})
		}
	}
	return t
}

func (r result) growthTable() table {
	t := table{
		title: "Among many others",
		notes: "\"others\" is the number of other loops, and again of other chats' pending files, and again of records in the archive. " +
			"\"to one\" is the ratio divided by that of the same case with one other.",
		head: []string{"event", "place", "others", "floor ms", "median ms", "p95 ms", "ratio", "to one", "target", ""},
	}
	for _, x := range r.Growth {
		one, most := "", ""
		if x.VsOne > 0 {
			one, most = times(x.VsOne), times(flat)
		}
		t.rows = append(t.rows, []string{x.Case, x.Place, fmt.Sprint(x.Others), ms(x.Floor), ms(x.Median), ms(x.P95), times(x.Ratio), one, most, word(x.OK, x.VsOne)})
	}
	return t
}

func (r result) claimTable() table {
	t := table{
		title: "Pending files that no chat owns",
		notes: "A stop of a chat without a loop looks at all of them: which is the newest, and which are for this folder. " +
			"Only what could not tell its chat when it was asked for waits in this way.",
		head: []string{"a stop", "place", "files", "runs", "floor ms", "median ms", "p95 ms", "µs a file", "target ms", ""},
	}
	for _, x := range r.Claims {
		each, most := "", ""
		if x.NS > 0 {
			each = times(x.NS / 1e3)
		}
		if x.Target > 0 {
			most = fmt.Sprintf("< %.0f", x.Target)
		}
		t.rows = append(t.rows, []string{x.Case, x.Place, fmt.Sprint(x.Files), fmt.Sprint(x.Runs), ms(x.Floor), ms(x.Median), ms(x.P95), each, most, word(x.OK, x.Target)})
	}
	return t
}

func (r result) listTable() table {
	t := table{
		title: "All loops at once",
		notes: "So many live loops, as many pending and as many ended. \"watch\" is the time until the panel's first screen has counted them.",
		head:  []string{"of each", "place", "runs", "list ms", "list --all ms", "watch ms"},
	}
	for _, x := range r.Lists {
		watch := ""
		if x.Watch > 0 {
			watch = ms(x.Watch)
		}
		if x.Watch >= float64(patience.Milliseconds()) {
			watch = "> " + watch
		}
		t.rows = append(t.rows, []string{fmt.Sprint(x.Others), x.Place, fmt.Sprint(x.Runs), ms(x.List), ms(x.All), watch})
	}
	return t
}

func (r result) shellTable() table {
	t := table{
		title: "Beside hooks in bash",
		notes: "Hooks in bash and jq that do the least a loop needs (bench/bash): no lock, no fsync, no archive, no history, no git, " +
			"and where nobody has a loop they do not even call jq. Its start is most of their time, so its version, named above, matters. Left: each started directly. Right: as Cursor starts hooks, by the " +
			"login shell, with the system's profile and none of a user's. Medians in ms.",
		head: []string{"event", "place", "floor", "hook", "bash", "bash : hook", "login: floor", "hook", "bash", "bash : hook"},
	}
	for _, x := range r.Shells {
		d, l := x.Direct, x.Login
		t.rows = append(t.rows, []string{x.Case, x.Place, ms(d.Floor), ms(d.Hook), ms(d.Bash), times(d.Ratio), ms(l.Floor), ms(l.Hook), ms(l.Bash), times(l.Ratio)})
	}
	return t
}

func (r result) turnTable() table {
	t := table{
		title: "A whole iteration",
		notes: "All hooks of a turn, as `cursor-ralph install` enters them: the message, each tool call, the answer, the stop. " +
			"A loop goes on from turn to turn, its history with it. CPU is the time on a processor of the hooks and all that they start, in ms a turn.",
		head: []string{"hooks", "place", "turns", "tool calls", "processes", "CPU", "wall", "login: CPU", "wall"},
	}
	for _, x := range r.Turns {
		t.rows = append(t.rows, []string{x.Who, x.Place, fmt.Sprint(x.Turns), fmt.Sprint(x.Tools), fmt.Sprint(x.Hooks), ms(x.CPU), ms(x.Wall), ms(x.LoginCPU), ms(x.LoginWall)})
	}
	return t
}

func ms(v float64) string    { return fmt.Sprintf("%.2f", v) }
func times(v float64) string { return fmt.Sprintf("%.2f", v) }
func mb(n int64) string      { return fmt.Sprintf("%.2f", float64(n)/1e6) }
func mib(kib int64) string   { return fmt.Sprintf("%.1f", float64(kib)/1024) }

func target(v float64) string {
	if v == 0 {
		return ""
	}
	return times(v)
}

// word is for a row that has a target.
func word(ok bool, target float64) string {
	switch {
	case target == 0:
		return ""
	case ok:
		return "ok"
	}
	return "over"
}

func (r result) write(w io.Writer, s settings) error {
	switch {
	case s.json:
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(r)
	case s.markdown:
		return r.markdown(w)
	}
	for _, t := range r.tables() {
		if err := t.print(w); err != nil {
			return err
		}
	}
	for _, m := range r.Missing {
		fmt.Fprintf(w, "not measured: %s\n", m)
	}
	_, err := fmt.Fprintf(w, "%s: %s, %d CPUs; %d runs of each case, %.0f s in all\n", r.Machine.Date, r.Machine.words(), r.Machine.CPUs, r.Runs, r.Took)
	return err
}

func (t table) print(w io.Writer) error {
	fmt.Fprintf(w, "%s\n\n", t.title)
	columns := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{t.head}, t.rows...) {
		fmt.Fprintln(columns, strings.Join(row, "\t"))
	}
	if err := columns.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%s\n\n", fold(t.notes, 110))
	return err
}

// fold breaks a text into lines.
func fold(text string, width int) string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	return strings.Join(append(lines, line), "\n")
}
