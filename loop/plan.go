package loop

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"path"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

// PlanCall is a tool call that the agent of a plan loop is about to make.
type PlanCall struct {
	Tool    string
	Input   []byte   // a JSON object
	Roots   []string // the folders of the workspace
	Home    string   // the user's, empty where it is not known
	Windows bool     // the paths are those of Windows
}

// Allowed reports whether the call only reads, searches, or writes the plan's own
// Markdown; an unknown call is not allowed. files are those that the call may
// write: the caller must check that no symbolic link leads elsewhere.
func (c PlanCall) Allowed() (files []string, ok bool) {
	tool := asciiLower(c.Tool)
	switch {
	case onlyReads(tool) || writesPlans(tool):
		return nil, true
	case !writesOneFile(tool):
		return nil, false
	}
	target, ok := written(c.Input)
	if ok {
		files = c.plans(target)
	}
	return files, len(files) > 0
}

// asciiLower returns a name in lower case, ASCII letters only: another letter may just
// look like one of a known name.
func asciiLower(name string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, name)
}

// onlyReads lists the tools that read and search. Sources: Cursor's documentation
// of hooks (Read, Grep), its agent's names of today and before (read_file, rg,
// codebase_search), and the numbered list in its editor (READ_FILE_V2,
// RIPGREP_RAW_SEARCH, GLOB_FILE_SEARCH), as people have reported both.
func onlyReads(tool string) bool {
	switch tool {
	case "read", "readfile", "read_file", "read_file_v2",
		"grep", "grep_search", "rg", "ripgrep_search", "ripgrep_raw_search",
		"glob", "glob_file_search", "file_search",
		"ls", "list_dir", "list_dir_v2",
		"semanticsearch", "semantic_search", "semantic_search_full", "codebase_search",
		"search_symbols", "go_to_definition",
		"readlints", "read_lints", "fetch_rules",
		"websearch", "web_search", "webfetch", "web_fetch":
		return true
	}
	return false
}

// writesPlans lists the tool with which Cursor's own plan mode writes its plan.
func writesPlans(tool string) bool { return tool == "createplan" || tool == "create_plan" }

// writesOneFile lists the tools that write the file which one field of their
// input names. A patch names its files in its text, so its tool is not here.
func writesOneFile(tool string) bool {
	switch tool {
	case "write", "write_file", "writefile", "edit", "edit_file", "edit_file_v2", "editfile",
		"strreplace", "str_replace", "search_replace", "searchreplace":
		return true
	}
	return false
}

// written returns the path in a tool's input. There must be exactly one, at the
// top: which of two a tool would use is unknown.
func written(input []byte) (target string, ok bool) {
	d := json.NewDecoder(bytes.NewReader(input))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return "", false
	}
	for d.More() {
		var value any
		name, err := d.Token()
		if err != nil || d.Decode(&value) != nil {
			return "", false
		}
		field, _ := name.(string)
		text, isText := value.(string)
		switch {
		case !flat(value), namesPath(field) && (ok || !isText || !pathField(field)):
			return "", false
		case namesPath(field):
			target, ok = text, true
		}
	}
	if _, err := d.Token(); err != nil {
		return "", false
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return "", false
	}
	return target, ok
}

func flat(value any) bool {
	switch value.(type) {
	case map[string]any, []any:
		return false
	}
	return true
}

func pathField(name string) bool {
	return name == "path" || name == "file_path" || name == "target_file"
}

// namesPath reports whether a field may say where something is written.
func namesPath(field string) bool {
	field = strings.ToLower(field)
	for _, word := range []string{"path", "file", "uri", "url", "dir", "folder", "target", "dest"} {
		if strings.Contains(field, word) {
			return true
		}
	}
	return false
}

// plansFolder is where Cursor keeps plans: in the home folder, and in a
// workspace to which one was saved. Source: reports of people, and of tools that
// read these folders.
const plansFolder = "/.cursor/plans/"

// plans returns the plan files that a path may mean, with slashes. A relative path
// may be in any folder of the workspace.
func (c PlanCall) plans(target string) (files []string) {
	target, ok := c.clean(target)
	if !ok {
		return nil
	}
	for _, root := range c.Roots {
		if root, ok := c.clean(root); ok && c.absolute(root) {
			files = append(files, c.planIn(root, target, !c.absolute(target))...)
		}
	}
	if home, ok := c.clean(c.Home); ok && c.absolute(home) {
		files = append(files, c.planIn(home, target, false)...)
	}
	return files
}

func (c PlanCall) planIn(base, target string, relative bool) []string {
	folder := strings.TrimSuffix(base, "/") + plansFolder
	if relative {
		target = strings.TrimSuffix(base, "/") + "/" + target
	}
	name, ok := strings.CutPrefix(target, folder)
	if !ok || !planName(name) {
		return nil
	}
	return []string{target}
}

// planName reports whether a name is a Markdown file's, on every system.
func planName(name string) bool {
	return strings.HasSuffix(name, ".md") && len(name) > len(".md") && name[0] != '.' && !strings.ContainsAny(name, `/\:*?"<>|`)
}

// clean returns a path in one form. A path that leads upwards, or that displays as
// something else, is refused.
func (c PlanCall) clean(p string) (string, bool) {
	if p == "" || !text.IsPlain(p) {
		return "", false
	}
	if c.Windows {
		p = strings.ReplaceAll(p, `\`, "/")
		if len(p) > 2 && p[0] == '/' && p[2] == ':' { // /c:/Users, as Cursor writes a folder of a workspace
			p = p[1:]
		}
		if len(p) > 1 && p[1] == ':' {
			p = strings.ToLower(p[:1]) + p[1:]
		}
	}
	for part := range strings.SplitSeq(p, "/") {
		if part == ".." {
			return "", false
		}
	}
	if c.Windows && strings.HasPrefix(p, "//") { // another machine's
		return "/" + path.Clean(p[1:]), true
	}
	return path.Clean(p), true
}

func (c PlanCall) absolute(p string) bool {
	if c.Windows {
		return strings.HasPrefix(p, "//") || len(p) > 2 && p[1:3] == ":/"
	}
	return strings.HasPrefix(p, "/")
}
