// Package tasks reads the task list of --tasks: Markdown checkboxes, or JSON objects
// with passes. It never changes the file.
package tasks

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// Bounds of a list.
const (
	maxSize  = 1 << 20 // bytes
	maxTasks = 1000
	maxName  = 160 // bytes of a task's name
)

// Task is an entry of a list.
type Task struct {
	Name     string // one line without control characters
	Done     bool
	optional bool
}

// List has the tasks of a file in their order.
type List []Task

// optional begins the words of a task that does not count.
const optional = "(optional)"

func isOptional(words string) bool {
	return len(words) >= len(optional) && strings.EqualFold(words[:len(optional)], optional)
}

// Read reads the list of a loop. A name that is not absolute belongs to the workspace,
// and may not lead out of it by a link. ctx bounds what a file can cost.
func Read(ctx context.Context, workspace, file string) (List, error) {
	type result struct {
		list List
		err  error
	}
	done := make(chan result, 1)
	go func() {
		var r result
		var data []byte
		if data, r.err = contents(workspace, file); r.err == nil {
			r.list, r.err = Parse(file, data)
		}
		done <- r
	}()
	select {
	case r := <-done:
		return r.list, r.err
	case <-ctx.Done():
		return nil, errors.New("it takes too long to read")
	}
}

// Parse reads the tasks of a list that count. A name that ends in .json is JSON, anything else Markdown.
func Parse(name string, data []byte) (list List, err error) {
	data = []byte(strings.TrimLeft(string(data), "\ufeff"))
	if strings.EqualFold(filepath.Ext(name), ".json") {
		list, err = parseJSON(data)
	} else {
		list, err = parseMarkdown(data)
	}
	switch {
	case err != nil:
		return nil, err
	case len(list) > maxTasks:
		return nil, fmt.Errorf("it has more than %d tasks", maxTasks)
	case len(list) == 0:
		return nil, errors.New("it has no task: write them as Markdown checkboxes (- [ ] what to do), or as JSON objects with passes in a file named .json")
	}
	list = slices.DeleteFunc(list, func(t Task) bool { return t.optional })
	if len(list) == 0 {
		return nil, errors.New("all its tasks are optional: a task that does not begin with " + optional + " counts")
	}
	return list, nil
}

// nameOf is how a task is shown.
func nameOf(words string) string { return text.Head(text.Line(text.WithoutControls(words)), maxName) }

// Survey counts the tasks of a loop. No promise marker is in the count.
func Survey(ctx context.Context, l loop.State) *loop.TaskCount {
	ctx, cancel := context.WithTimeout(ctx, loop.TasksLimit/2)
	defer cancel()
	list, err := Read(ctx, l.Workspace, l.Tasks)
	if err != nil {
		return &loop.TaskCount{Error: loop.Unmarked(text.Line(err.Error()))}
	}
	count := list.Count(l.Baseline)
	return &count
}

// Problem is an error for a loop that cannot begin with its list.
func Problem(l loop.State) error {
	problem := l.TasksProblem()
	if problem == "" {
		return nil
	}
	return hint.New(problem, "nothing was started; write the list first, one `- [ ] what to do` a line (a name that is not absolute belongs to the workspace, "+l.Workspace+")")
}

// Check is Problem for a loop that nobody has surveyed.
func Check(ctx context.Context, l loop.State) error {
	if l.Tasks == "" {
		return nil
	}
	l.TaskCount = Survey(ctx, l)
	return Problem(l)
}

// Refusal says why a promise is refused; empty if it is not.
func Refusal(file string, c loop.TaskCount) string {
	file = loop.Unmarked(file)
	switch {
	case c.Error != "":
		return "the task list " + file + " cannot be used: " + c.Error
	case c.Began > c.Total:
		return c.Shrunk(file)
	case c.Done < c.Total:
		are := "are"
		if c.Total-c.Done == 1 {
			are = "is"
		}
		return fmt.Sprintf("%d of %s in %s %s open, the next one is: %s", c.Total-c.Done, text.Count(c.Total, "task"), file, are, c.Next)
	}
	return ""
}

// Count counts the tasks of a list that had so many when the loop began.
func (l List) Count(began int) loop.TaskCount {
	c := loop.TaskCount{Total: len(l)}
	if began > c.Total {
		c.Began = began
	}
	for _, t := range l {
		if t.Done {
			c.Done++
		} else if c.Next == "" {
			c.Next = loop.Unmarked(t.Name)
		}
	}
	return c
}
