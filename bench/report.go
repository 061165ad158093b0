package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"time"
)

// result is what is printed, and the JSON.
type result struct {
	Go      string  `json:"go"`
	System  string  `json:"system"`
	CPUs    int     `json:"cpus"`
	Runs    int     `json:"runs"`
	Rows    []row   `json:"rows"`
	FsyncMS float64 `json:"fsync_ms,omitempty"` // 0: not measured
	Floor   size    `json:"floor"`
	Hook    size    `json:"hook"`
}

// row is a case; times are in milliseconds.
type row struct {
	Case    string  `json:"case"`
	Place   string  `json:"place"`
	Others  int     `json:"others"`
	Floor   float64 `json:"floor_ms"`
	Median  float64 `json:"median_ms"`
	P95     float64 `json:"p95_ms"`
	Ratio   float64 `json:"ratio"`
	Target  float64 `json:"target"`
	VsAlone float64 `json:"vs_alone,omitempty"` // of crowded cases
	OK      bool    `json:"ok"`
}

// size is of a binary, and of its process.
type size struct {
	Bytes         int64 `json:"bytes"`
	PeakNoLoopKiB int64 `json:"peak_no_loop_kib"`
	PeakGoesOnKiB int64 `json:"peak_goes_on_kib"`
}

func (b *bench) result() (result, error) {
	r := result{
		Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH,
		CPUs: runtime.NumCPU(), Runs: b.settings.n,
	}
	for i, c := range b.cases {
		r.Rows = append(r.Rows, newRow(c, b.floor[i], b.hook[i], r.Rows))
	}
	disk, tmpfs := find(r.Rows, "stop, goes on", "disk"), find(r.Rows, "stop, goes on", "tmpfs")
	if disk != nil && tmpfs != nil {
		r.FsyncMS = disk.Median - tmpfs.Median
	}
	var errFloor, errHook error
	r.Floor, errFloor = b.size(b.programs.floor)
	r.Hook, errHook = b.size(b.programs.hook)
	return r, errors.Join(errFloor, errHook)
}

// newRow needs the rows before it: the case alone comes before the crowded one.
func newRow(c benchCase, floor, hook []time.Duration, before []row) row {
	r := row{
		Case: c.name, Place: c.place, Others: c.others, Target: c.target,
		Floor: quantile(floor, 0.5), Median: quantile(hook, 0.5), P95: quantile(hook, 0.95),
	}
	r.Ratio = r.Median / r.Floor
	r.OK = r.Ratio <= r.Target
	if alone := find(before, c.name, c.place); alone != nil && c.others > 0 {
		// Ratios, not times: the floor's runs beside each case take out what
		// the machine did meanwhile.
		r.VsAlone = r.Ratio / alone.Ratio
		r.OK = r.OK && r.VsAlone <= crowded
	}
	return r
}

func find(rows []row, name, place string) *row {
	for i, r := range rows {
		if r.Case == name && r.Place == place && r.Others == 0 {
			return &rows[i]
		}
	}
	return nil
}

// quantile is in milliseconds. Of an even number the median is the mean of the
// middle two.
func quantile(times []time.Duration, q float64) float64 {
	sorted := slices.Sorted(slices.Values(times))
	at := q * float64(len(sorted)-1)
	low := int(at)
	high := min(low+1, len(sorted)-1)
	between := at - float64(low)
	return (float64(sorted[low])*(1-between) + float64(sorted[high])*between) / 1e6
}

func (b *bench) size(program string) (size, error) {
	info, err := os.Stat(program)
	if err != nil {
		return size{}, err
	}
	s := size{Bytes: info.Size()}
	for _, c := range b.cases {
		if c.others > 0 || c.place != "disk" {
			continue
		}
		switch c.name {
		case "stop, no loop":
			s.PeakNoLoopKiB, err = b.peakKiB(program, c)
		case "stop, goes on":
			s.PeakGoesOnKiB, err = b.peakKiB(program, c)
		}
		if err != nil {
			return s, err
		}
	}
	return s, nil
}

func (r result) write(w io.Writer, asJSON bool) error {
	if asJSON {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(r)
	}
	if err := r.table(w); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if r.FsyncMS != 0 {
		fmt.Fprintf(w, "fsync: a stop that goes on takes %.2f ms more on disk than on tmpfs\n", r.FsyncMS)
	}
	r.Hook.print(w, "hook")
	r.Floor.print(w, "floor")
	_, err := fmt.Fprintf(w, "%s, %s, %d CPUs, %d runs of each case\n", r.Go, r.System, r.CPUs, r.Runs)
	return err
}

func (r result) table(w io.Writer) error {
	fmt.Fprintf(w, "%-18s  %-5s  %6s  %8s  %9s  %6s  %5s  %6s  %8s  %6s\n",
		"case", "place", "others", "floor ms", "median ms", "p95 ms", "ratio", "target", "vs alone", "target")
	for _, r := range r.Rows {
		flat := fmt.Sprintf("%8s  %6s", "", "")
		if r.VsAlone > 0 {
			flat = fmt.Sprintf("%8.2f  %6.2f", r.VsAlone, crowded)
		}
		word := "over"
		if r.OK {
			word = "ok"
		}
		_, err := fmt.Fprintf(w, "%-18s  %-5s  %6d  %8.2f  %9.2f  %6.2f  %5.2f  %6.2f  %s  %s\n",
			r.Case, r.Place, r.Others, r.Floor, r.Median, r.P95, r.Ratio, r.Target, flat, word)
		if err != nil {
			return err
		}
	}
	return nil
}

func (s size) print(w io.Writer, name string) {
	fmt.Fprintf(w, "%s: binary %.1f MB", name, float64(s.Bytes)/1e6)
	if s.PeakNoLoopKiB > 0 {
		fmt.Fprintf(w, ", peak memory %.1f MiB (stop, no loop), %.1f MiB (stop, goes on)",
			float64(s.PeakNoLoopKiB)/1024, float64(s.PeakGoesOnKiB)/1024)
	}
	fmt.Fprintln(w)
}
