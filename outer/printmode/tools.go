package printmode

import (
	"cmp"
	"encoding/json"
	"strings"
)

// input is what tools are given, whatever each calls it.
type input struct {
	Command    text `json:"command"`
	FilePath   text `json:"file_path"`
	CamelPath  text `json:"filePath"`
	Notebook   text `json:"notebook_path"`
	TargetFile text `json:"target_file"`
	Path       text `json:"path"`
	Error      text `json:"error"`
	Todos      []struct {
		Content     text `json:"content"`
		Description text `json:"description"`
		Status      text `json:"status"`
	} `json:"todos"`
}

// text is a string, or nothing where something else is.
type text string

// UnmarshalJSON implements json.Unmarshaler.
func (t *text) UnmarshalJSON(raw []byte) error {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		*t = text(s)
	}
	return nil
}

func readInput(raw json.RawMessage) (in input) {
	_ = json.Unmarshal(raw, &in) // a tool without these fields is a tool all the same
	return in
}

func (in input) call(id, name string) call {
	file := cmp.Or(in.FilePath, in.CamelPath, in.Notebook, in.TargetFile, in.Path)
	return call{id: id, name: name, command: string(in.Command), file: string(file)}
}

// plan gives a list of what is to be done in lines.
func (in input) plan() string {
	var lines []string
	for _, todo := range in.Todos {
		lines = append(lines, mark(string(todo.Status))+string(cmp.Or(todo.Content, todo.Description)))
	}
	return strings.Join(lines, "\n")
}

func mark(status string) string {
	switch status = strings.ToLower(status); {
	case strings.Contains(status, "complete"):
		return "[x] "
	case strings.Contains(status, "progress"):
		return "[>] "
	}
	return "[ ] "
}
