package tasks

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// entry is an object of a JSON list.
type entry struct {
	ID          json.RawMessage `json:"id"` // a text or a number
	Title       string          `json:"title"`
	Name        string          `json:"name"`
	Task        string          `json:"task"`
	Description string          `json:"description"`
	Passes      *bool           `json:"passes"`
}

// parseJSON reads an array of objects, or one under userStories, as prd.json of
// snarktank/ralph has it.
func parseJSON(data []byte) (List, error) {
	var entries []entry
	var err error
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		var file struct{ UserStories *[]entry }
		if err = json.Unmarshal(data, &file); err == nil && file.UserStories == nil {
			return nil, errors.New("its object has no userStories")
		} else if err == nil {
			entries = *file.UserStories
		}
	} else {
		err = json.Unmarshal(data, &entries)
	}
	if err != nil {
		return nil, fmt.Errorf("it is not a JSON task list: %w", err)
	}
	return listed(entries)
}

func listed(entries []entry) (list List, err error) {
	for i, e := range entries {
		if e.Passes == nil {
			return nil, fmt.Errorf("task %d has no passes, which is true or false", i+1)
		}
		id := nameOf(strings.Trim(string(e.ID), `"`))
		if id == "null" {
			id = ""
		}
		words := strings.TrimSpace(cmp.Or(e.Title, e.Name, e.Task, e.Description))
		name := nameOf(strings.Trim(id+": "+words, ": "))
		if name == "" {
			name = fmt.Sprintf("task %d", i+1)
		}
		list = append(list, Task{Name: name, Done: *e.Passes, optional: isOptional(words)})
	}
	return list, nil
}
