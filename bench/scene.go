package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// workplace is two folders of ours, the second only where there is a tmpfs.
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

func (w workplace) remove() error {
	err := os.RemoveAll(w.disk)
	if w.tmpfs != "" {
		err = errors.Join(err, os.RemoveAll(w.tmpfs))
	}
	return err
}

// scene is a pair of CURSOR_RALPH_DIR and CURSOR_RALPH_STATE_DIR.
type scene struct {
	place     string // disk or tmpfs
	others    int    // other loops, and other pending files
	folder    string
	workspace string
	env       []string
}

func newScene(place, root string, others int) (scene, error) {
	folder := filepath.Join(root, fmt.Sprintf("with-%d-others", others))
	in := func(name ...string) string { return filepath.Join(append([]string{folder}, name...)...) }
	s := scene{place: place, others: others, folder: in("tmp"), workspace: in("workspace")}
	for _, dir := range []string{in("tmp", "cursor-ralph-pending"), in("workspace"), in("home")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return s, err
		}
	}
	s.env = []string{
		"CURSOR_RALPH_DIR=" + s.folder,
		"CURSOR_RALPH_STATE_DIR=" + in("state"),
		"HOME=" + in("home"),
		"PATH=" + os.Getenv("PATH"),
		"SystemRoot=" + os.Getenv("SystemRoot"), // Windows programs do not start without
	}
	return s, s.crowd()
}

// crowd adds the other loops and the other pending files, each under its
// conversation's name, and the lock file that whoever wrote them left there.
func (s scene) crowd() error {
	if s.others > 0 {
		lock := filepath.Join(s.folder, "cursor-ralph-pending", ".lock")
		if err := os.WriteFile(lock, nil, 0o600); err != nil {
			return err
		}
	}
	for i := range s.others {
		id := fmt.Sprintf("%08x-0000-4000-8000-%012x", i*2654435761%(1<<32), i)
		if err := os.WriteFile(s.live(id), loopFile("another task"), 0o600); err != nil {
			return err
		}
		pending := filepath.Join(s.folder, "cursor-ralph-pending", id+".json")
		if err := os.WriteFile(pending, loopFile("another task"), 0o600); err != nil {
			return err
		}
	}
	return nil
}

func (s scene) live(id string) string {
	return filepath.Join(s.folder, "cursor-ralph-loop-"+id+".json")
}

// logged is the size of all that the hook keeps of a conversation beside its
// state.
func (s scene) logged(id string) (size int64, err error) {
	files, err := filepath.Glob(filepath.Join(s.folder, "*"+id+"*"))
	if err != nil {
		return 0, err
	}
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			return 0, err
		}
		if file != s.live(id) {
			size += info.Size()
		}
	}
	return size, nil
}

// reset writes the conversation's state as a user would by hand, and leaves the
// disk nothing to write for it: what is dirty here would be paid for by the
// fsync that is measured.
func (s scene) reset(id string) error {
	f, err := os.OpenFile(s.live(id), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(loopFile("make all tests pass, then tidy up"))
	return errors.Join(err, f.Sync(), f.Close())
}

// loopFile has the seven public fields and nothing else.
func loopFile(task string) []byte {
	return fmt.Appendf(nil, `{"prompt": %q, "max_iterations": 10000, "completion_promise": "COMPLETE", `+
		`"iterations": 0, "session_iterations": 0, "stop": false, "last_output": ""}`+"\n", task)
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
	for name, value := range e {
		all[name] = value
	}
	if _, ok := e["tool_name"]; ok {
		all["tool_use_id"] = fmt.Sprintf("tool-%d", number)
	}
	return json.Marshal(all)
}

// benchCase is one line of the table.
type benchCase struct {
	scene
	name   string
	target float64 // times the floor
	id     string  // the conversation
	event  event
	args   []string
	loop   bool // the conversation has one
	fits   func(answer []byte) error
}

// prepare makes the event of one run, and its state where the conversation has
// a loop.
func (c benchCase) prepare(number int) ([]byte, error) {
	if c.loop {
		if err := c.reset(c.id); err != nil {
			return nil, err
		}
	}
	return c.event.bytes(c.scene, c.id, number)
}

// The targets of a hook that nobody notices.
const (
	withoutLoop = 1.3
	toolInLoop  = 1.6
	continues   = 2.5
	crowded     = 1.1 // against the same case alone
)

// layOut makes the scenes and lists the cases, each twice: alone, and with
// others.
func layOut(w workplace, others int) ([]benchCase, error) {
	stop := event{"hook_event_name": "stop", "status": "completed", "loop_count": 0}
	prompt := event{
		"hook_event_name": "beforeSubmitPrompt", "attachments": []string{},
		"prompt": strings.Repeat("please look into this ", 20),
	}
	tool := event{
		"hook_event_name": "postToolUse", "tool_name": "Shell", "duration": 1200,
		"tool_input":  map[string]string{"command": "go test ./..."},
		"tool_output": strings.Repeat("ok  example.com/a/package  0.012s\n", 60),
	}
	var cases []benchCase
	for _, n := range []int{0, others} {
		s, err := newScene("disk", w.disk, n)
		if err != nil {
			return nil, err
		}
		cases = append(cases,
			benchCase{scene: s, name: "stop, no loop", target: withoutLoop, id: "chat-1", event: stop, fits: empty},
			benchCase{scene: s, name: "tool use, no loop", target: withoutLoop, id: "chat-2", event: tool, fits: empty},
			benchCase{scene: s, name: "prompt, no loop", target: withoutLoop, id: "chat-3", event: prompt, fits: empty},
			benchCase{scene: s, name: "tool use in a loop", target: toolInLoop, id: "chat-4", event: tool, fits: quiet, loop: true},
			continuing(s, stop))
		if w.tmpfs == "" {
			continue
		}
		if s, err = newScene("tmpfs", w.tmpfs, n); err != nil {
			return nil, err
		}
		cases = append(cases, continuing(s, stop))
	}
	return cases, nil
}

func continuing(s scene, stop event) benchCase {
	return benchCase{scene: s, name: "stop, goes on", target: continues, id: "chat-5", event: stop,
		args: []string{"--session-limit", "none"}, loop: true, fits: followUp}
}

func empty(answer []byte) error {
	if string(bytes.TrimSpace(answer)) != "{}" {
		return errors.New("want {}")
	}
	return nil
}

func quiet(answer []byte) error {
	if message, err := followUpOf(answer); err != nil || message != "" {
		return errors.Join(err, errors.New("want no follow-up"))
	}
	return nil
}

func followUp(answer []byte) error {
	if message, err := followUpOf(answer); err != nil || message == "" {
		return errors.Join(err, errors.New("want a follow-up"))
	}
	return nil
}

func followUpOf(answer []byte) (string, error) {
	var a struct {
		Message string `json:"followup_message"`
	}
	err := json.Unmarshal(answer, &a)
	return a.Message, err
}
