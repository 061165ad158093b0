package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// workplace is two of our folders, the second only where there is a tmpfs.
type workplace struct{ disk, tmpfs string }

func newWorkplace() (w workplace, err error) {
	if w.disk, err = os.MkdirTemp(diskFolder(), "cursor-ralph-bench-"); err != nil {
		return w, err
	}
	if shm := tmpfsFolder(); shm != "" {
		w.tmpfs, err = os.MkdirTemp(shm, "cursor-ralph-bench-")
	}
	return w, err
}

// scratch is where events and answers go: not on the disk whose fsync is
// measured.
func (w workplace) scratch() string {
	if w.tmpfs != "" {
		return w.tmpfs
	}
	return w.disk
}

// quick is where fsync costs least.
func (w workplace) quick() (place, root string) {
	if w.tmpfs != "" {
		return "tmpfs", w.tmpfs
	}
	return "disk", w.disk
}

func (w workplace) remove() error {
	err := os.RemoveAll(w.disk)
	if w.tmpfs != "" {
		err = errors.Join(err, os.RemoveAll(w.tmpfs))
	}
	return err
}

// scene is a pair of CURSOR_RALPH_DIR and CURSOR_RALPH_STATE_DIR, a home and a
// workspace.
type scene struct {
	place     string // disk or tmpfs
	others    int    // other loops, other pending files and other records of the archive
	folder    string
	archive   string
	workspace string
	home      string
	env       []string
}

func newScene(place, root, name string) (scene, error) {
	in := func(part string) string { return filepath.Join(root, name, part) }
	s := scene{place: place, folder: in("tmp"), archive: in("state"), workspace: in("workspace"), home: in("home")}
	for _, dir := range []string{s.pending(""), s.archive, s.workspace, s.home} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return s, err
		}
	}
	s.env = []string{
		"CURSOR_RALPH_DIR=" + s.folder,
		"CURSOR_RALPH_STATE_DIR=" + s.archive,
		"CURSOR_RALPH_NO_NOTIFY=1", "CURSOR_RALPH_NO_WATCHER=1",
		"HOME=" + s.home,
		"PATH=" + os.Getenv("PATH"),
		"SystemRoot=" + os.Getenv("SystemRoot"), // Windows programs do not start without
	}
	return s, nil
}

func (s scene) live(id string) string {
	return filepath.Join(s.folder, "cursor-ralph-loop-"+id+".json")
}

func (s scene) journal(id string) string {
	return filepath.Join(s.folder, "cursor-ralph-loop-"+id+".journal")
}

func (s scene) pending(name string) string {
	return filepath.Join(s.folder, "cursor-ralph-pending", name)
}

func (s scene) record(id string) string { return filepath.Join(s.archive, id+".json") }

// ofBash is the state of the hooks that are compared with.
func (s scene) ofBash(id string) string { return filepath.Join(s.folder, "bash-loop-"+id+".json") }

// crowded adds n other loops, as many pending files, each under its
// conversation's name, as many records, and the lock file that whoever wrote
// them left there.
func (s scene) crowded(n int) (scene, error) {
	s.others = n
	if err := os.WriteFile(s.pending(".lock"), nil, 0o600); err != nil {
		return s, err
	}
	other, ended := loopFile("another task"), endedFile("another task")
	for i := range n {
		id := func(kind int) string { return fmt.Sprintf("%08x-000%d-4000-8000-%012x", i*2654435761%(1<<32), kind, i) }
		err := errors.Join(writeNew(s.live(id(1)), other), writeNew(s.pending(id(2)+".json"), other), writeNew(s.record(id(3)), ended))
		if err != nil {
			return s, err
		}
	}
	return s, nil
}

func writeNew(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// reset writes the conversation's state as a user would by hand, and leaves the
// disk nothing to write for it: what is dirty here would be paid for by the
// fsync that is measured.
func (s scene) reset(id string) error { return resetFile(s.live(id), loopFile(task)) }

func resetFile(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Sync(), f.Close())
}

// task is what all loops that go on are about.
const task = "make all tests pass, then tidy up"

// loopFile has the seven public fields and nothing else.
func loopFile(task string) []byte {
	return fmt.Appendf(nil, `{"prompt": %q, "max_iterations": 10000, "completion_promise": "COMPLETE", `+
		`"iterations": 0, "session_iterations": 0, "stop": false, "last_output": ""}`+"\n", task)
}

func endedFile(task string) []byte {
	return fmt.Appendf(nil, `{"prompt": %q, "max_iterations": 20, "completion_promise": "COMPLETE", "iterations": 7, `+
		`"session_iterations": 0, "stop": false, "last_output": "", "status": "CANCELLED", "ended_at": %q}`+"\n",
		task, time.Now().UTC().Format(time.RFC3339))
}

// event is what Cursor sends, fields by name.
type event map[string]any

// bytes adds the fields that all events have. The number makes it another event
// than the one before, which the hook would otherwise know again.
func (e event) bytes(s scene, id string, number int) ([]byte, error) {
	all := event{
		"conversation_id": id,
		"generation_id":   fmt.Sprintf("generation-%d", number),
		"model":           "a-model",
		"cursor_version":  "2.5.0",
		"workspace_roots": []string{s.workspace},
		"user_email":      "somebody@example.com",
		"transcript_path": nil,
	}
	if _, ok := e["tool_name"]; ok {
		all["tool_use_id"] = fmt.Sprintf("tool-%d", number)
	}
	for name, value := range e {
		all[name] = value
	}
	return json.Marshal(all)
}

func stopEvent(count int) event {
	return event{"hook_event_name": "stop", "status": "completed", "loop_count": count}
}

func promptEvent(text string) event {
	return event{"hook_event_name": "beforeSubmitPrompt", "attachments": []string{}, "prompt": text}
}

func answerEvent(text string) event {
	return event{"hook_event_name": "afterAgentResponse", "text": text}
}

// shellEvent is of a tool call, before it or after.
func shellEvent(name string) event {
	e := event{"hook_event_name": name, "tool_name": "Shell", "tool_input": map[string]string{"command": "go test ./..."}}
	if name == "postToolUse" {
		e["duration"] = 1200
		e["tool_output"] = strings.Repeat("ok  example.com/a/package  0.012s\n", 60)
	}
	return e
}
