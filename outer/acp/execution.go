package acp

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"

	sdk "github.com/coder/acp-go-sdk"
)

func (e Execution) equal(other Execution) bool {
	return e.Line == other.Line && e.Dir == other.Dir && slices.Equal(e.Argv, other.Argv) && slices.Equal(e.Env, other.Env)
}

// String returns the command for the display. Different executions may have the
// same string, so do not compare it.
func (e Execution) String() string { return cmp.Or(e.Line, strings.Join(e.Argv, " ")) }

// execution returns what a terminal would execute. Some agents send a shell line
// instead of a program and its arguments.
func (t *turn) execution(p sdk.CreateTerminalRequest) (e Execution, err error) {
	if p.Command == "" {
		return e, errors.New("there is no command")
	}
	dir := t.a.Dir
	if p.Cwd != nil && *p.Cwd != "" {
		dir = *p.Cwd
	}
	if !t.a.ws.contains(dir) {
		return e, fmt.Errorf("run in %s: %w", dir, errOutside)
	}
	e.Dir = t.a.ws.absolute(dir)
	if e.Env, err = variables(p.Env); err != nil {
		return e, err
	}
	if _, err := exec.LookPath(p.Command); err == nil || len(p.Args) > 0 {
		e.Argv = slices.Concat([]string{p.Command}, p.Args)
	} else {
		e.Line = p.Command
	}
	return e, nil
}

func variables(list []sdk.EnvVariable) (found []string, err error) {
	for _, v := range list {
		if v.Name == "" || strings.ContainsAny(v.Name, "=\x00") || strings.Contains(v.Value, "\x00") {
			return nil, fmt.Errorf("%q is not a valid variable", v.Name)
		}
		found = append(found, v.Name+"="+v.Value)
	}
	return found, nil
}

// execution returns what a tool call would execute, or nil. exact is false if we do
// not fully understand it.
func (c *toolCall) execution(ws *workspace) (e *Execution, exact bool) {
	input, _ := c.RawInput.(map[string]any)
	if c.kind() != "execute" && !executes(input) {
		return nil, false
	}
	e = &Execution{Dir: ws.dir}
	e.Line, e.Argv = commandIn(input)
	exact = (len(e.Argv) > 0 || e.Line != "") && count(input, commandFields) == 1 && count(input, dirFields) < 2
	for _, field := range dirFields {
		if dir, ok := input[field].(string); ok {
			e.Dir = ws.absolute(dir)
		}
	}
	if env := input[envField]; env != nil {
		var ok bool
		e.Env, ok = pairs(env)
		exact = exact && ok
	}
	return e, exact
}

// The fields of a tool's input that define a command.
var (
	commandFields = []string{"command", "cmd", "script"}
	dirFields     = []string{"cwd", "workdir", "working_directory", "workingDirectory"}
)

const envField = "env"

func count(input map[string]any, fields []string) (n int) {
	for _, field := range fields {
		if input[field] != nil {
			n++
		}
	}
	return n
}

func commandIn(input map[string]any) (line string, argv []string) {
	for _, field := range commandFields {
		switch v := input[field].(type) {
		case string:
			return v, nil
		case []any:
			for _, arg := range v {
				if s, ok := arg.(string); ok {
					argv = append(argv, s)
				}
			}
			if len(argv) == len(v) {
				return "", argv
			}
			argv = nil
		}
	}
	return "", nil
}

func pairs(env any) (found []string, ok bool) {
	m, ok := env.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(m)) {
		value, isText := m[name].(string)
		ok = ok && isText
		found = append(found, name+"="+value)
	}
	return found, ok
}

func executes(input map[string]any) bool {
	for field, value := range input {
		_, isFlag := value.(bool)
		if value != nil && !isFlag && !isText(field) && namesCommand(field) {
			return true
		}
	}
	return false
}

func namesCommand(field string) bool {
	return containsAny(plainName(field), "command", "cmd", "script", "shell", "exec", "argv", "program")
}
