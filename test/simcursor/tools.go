package simcursor

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"time"
)

type call struct {
	t     *Turn
	name  string
	text  string // for the transcript: the command or the file
	input map[string]any
	id    string
	start time.Time // zero if it was denied
	took  time.Duration
}

func (t *Turn) begin(name, text string, input map[string]any) (*call, error) {
	t.check()
	c := &call{t: t, name: name, text: text, input: input, id: newUUID(), start: time.Now()}
	return c, c.ask("preToolUse", c.fields(nil))
}

func (c *call) ask(event string, fields map[string]any) error {
	runs := c.t.Chat.fire(c.t.send, event, fields)
	c.t.check()
	if !blocked(runs, "permission", "deny") {
		c.start = time.Now()
		return nil
	}
	c.t.Chat.show(runs)
	c.start = time.Time{} // it did not run
	reason := lastString(runs, "agent_message")
	if reason == "" {
		reason = lastString(runs, "user_message")
	}
	return c.fail("permission_denied", fmt.Sprintf("%s was blocked by a hook: %s", c.name, reason), false)
}

func (c *call) done(output string) {
	runs := c.t.Chat.fire(c.t.send, "postToolUse",
		c.fields(doneFields(output, c.milliseconds())))
	c.t.added = append(c.t.added, c.t.Chat.context(runs)...)
	c.t.check()
}

func (c *call) fail(kind, message string, interrupt bool) error {
	c.record(message, -1)
	runs := c.t.Chat.fire(c.t.send, "postToolUseFailure", c.fields(failFields(message, kind, interrupt, c.milliseconds())))
	c.t.added = append(c.t.added, c.t.Chat.context(runs)...)
	c.t.check()
	return errors.New(message)
}

func (c *call) fields(more map[string]any) map[string]any {
	fields := toolFields(c.name, c.input, c.id, c.t.Chat.cursor.cfg.Workspace)
	maps.Copy(fields, more)
	return fields
}

func (c *call) milliseconds() float64 { return float64(c.took.Microseconds()) / 1000 }

// record records that the tool has run, before the events fire.
func (c *call) record(output string, exit int) {
	if !c.start.IsZero() {
		c.took = time.Since(c.start)
	}
	c.t.Chat.record(Entry{Kind: ToolCall, Name: c.name, Text: c.text, Output: output, Exit: exit})
}

// Edit writes a file. A relative path is in the workspace. It returns an error if the
// call was denied or failed.
func (t *Turn) Edit(path, content string) error {
	path = t.path(path)
	c, err := t.begin("Write", path, map[string]any{"file_path": path, "content": content})
	if err != nil {
		return err
	}
	old, err := os.ReadFile(path)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = writeFile(path, content)
	}
	if err != nil {
		return c.fail("error", err.Error(), false)
	}
	c.record("", 0)
	t.Chat.fire(t.send, "afterFileEdit", editFields(path, string(old), content))
	c.done(string(encode(map[string]any{"success": true})))
	return nil
}

func writeFile(path, content string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { // #nosec G301 -- as the editor makes them
		return err
	}
	return os.WriteFile(path, []byte(content), 0o644) // #nosec G306 -- as the editor makes them
}

// Read reads a file. Paths and errors are as for Edit.
func (t *Turn) Read(path string) (string, error) {
	path = t.path(path)
	c, err := t.begin("Read", path, map[string]any{"file_path": path})
	if err != nil {
		return "", err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", c.fail("error", err.Error(), false)
	}
	err = c.ask("beforeReadFile", readFields(path, string(data)))
	if err != nil {
		return "", err
	}
	c.record(string(data), 0)
	c.done(string(encode(map[string]any{"content": string(data)})))
	return string(data), nil
}

func (t *Turn) path(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(t.Chat.cursor.cfg.Workspace, path)
}

// Tool calls any other tool. It returns an error if the call was denied.
func (t *Turn) Tool(name string, input map[string]any, output string) error {
	c, err := t.begin(name, "", input)
	if err != nil {
		return err
	}
	c.record(output, 0)
	c.done(output)
	return nil
}

// FailTool calls a tool that fails with the message.
func (t *Turn) FailTool(name string, input map[string]any, message string) error {
	c, err := t.begin(name, "", input)
	if err != nil {
		return err
	}
	return c.fail("error", message, false)
}
