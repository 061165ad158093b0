//go:build linux

package faults_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// withOnEnd is a loop with a command of --on-end, which leaves a line.
func withOnEnd() fields { return fields{"id": shortID, "on_end": `echo >>"$HOME/ends"`} }

// ends are the end of a loop with such a command, and the process that runs it.
func ends() []operation {
	return []operation{
		{name: "stop that ends a loop with --on-end", ready: ran(withOnEnd(), says(promise)), run: hooked(world.stop), then: isOver, tells: true, sample: 3},
		{name: "the command of --on-end", ready: overdue, run: typed("on-end", "--", me, shortID), then: isOver, tells: true, sample: 3},
	}
}

// overdue is a loop that has ended, and whose command has not run.
func overdue(w world) error {
	err := ran(withOnEnd(), func(w world) []command { return append(says(promise)(w), w.hook(w.stop())) })(w)
	err = errors.Join(append([]error{err}, asErrors(w.quiet())...)...)
	record := w.places.Record(shortID)
	data, read := os.ReadFile(record)
	told := regexp.MustCompile(`,\s*"on_end_begun": true`)
	if !told.Match(data) {
		return errors.Join(err, read, fmt.Errorf("the command has not run: %s", data))
	}
	return errors.Join(err, w.write(record, told.ReplaceAllString(string(data), "")), os.Remove(w.ends()))
}

func asErrors(wrong []string) (list []error) {
	for _, words := range wrong {
		list = append(list, errors.New(words))
	}
	return list
}

func (w world) ends() string { return filepath.Join(w.dir, "home", "ends") }

// told checks that the command of --on-end has run once. It need not have run after an
// injury: it runs at most once.
func (p *profile) told(w world, hurt bool) []string {
	if !p.op.tells {
		return nil
	}
	wrong := w.quiet()
	data, _ := os.ReadFile(w.ends()) // missing if it has not run
	if times := strings.Count(string(data), "\n"); times > 1 || times == 0 && !hurt {
		wrong = append(wrong, fmt.Sprintf("--on-end: got %d runs, want one", times))
	}
	return wrong
}
