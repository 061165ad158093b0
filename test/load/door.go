package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/simcursor"
)

// fields are those of an event beside the ones that all events have.
type fields = map[string]any

// door is the way to the hook: it runs every copy that is installed on one event,
// all at once, and returns the follow-up they answer, at most one.
type door interface {
	fire(ctx context.Context, id, event string, f fields) (followup string, err error)
	// violations are what the hooks did against the editor's protocol.
	violations() []string
}

// bareDoor runs the hook itself. With two copies each event runs it twice at once,
// as an editor does that finds it in two files.
type bareDoor struct {
	*place
	gate
	copies int
}

// gate lets so many events happen at once; nil holds nobody back. A hook that
// gets no processor for seconds gives up, as it must, and two copies tell one stop
// from two by the second in which they begin: a crowd of processes that keeps them
// from their work for longer is no proof against them.
type gate chan struct{}

func newGate(s settings) gate {
	switch {
	case s.atOnce > 0:
		return make(gate, s.atOnce)
	case s.twice:
		return make(gate, 2*runtime.NumCPU())
	}
	return nil
}

func (g gate) enter() (leave func()) {
	if g == nil {
		return func() {}
	}
	g <- struct{}{}
	return func() { <-g }
}

func (d bareDoor) violations() []string { return nil } // each is an error of fire

func (d bareDoor) fire(ctx context.Context, id, event string, f fields) (string, error) {
	payload, err := d.payload(id, event, f)
	if err != nil {
		return "", err
	}
	defer d.enter()()
	texts, errs := make([]string, d.copies), make([]error, d.copies)
	var all sync.WaitGroup
	for i := range d.copies {
		all.Go(func() {
			errs[i] = d.trace.time(event, func() error {
				answer, _, err := d.hook(ctx, payload)
				texts[i], _ = answer["followup_message"].(string)
				return err
			})
		})
	}
	all.Wait()
	text, err := theOne(texts)
	if err = errors.Join(append(errs, err)...); err != nil {
		err = fmt.Errorf("%s of %s: %w", event, id, err)
	}
	return text, err
}

// theOne returns the follow-up of one of our copies: two would be a loop that is
// doubled.
func theOne(texts []string) (text string, err error) {
	for _, t := range texts {
		switch {
		case t == "":
		case text != "":
			return text, errors.New("two copies of the hook gave a follow-up")
		default:
			text = t
		}
	}
	return text, nil
}

// payload is an event as the editor sends it.
func (p *place) payload(id, event string, f fields) ([]byte, error) {
	all := fields{
		"conversation_id": id, "hook_event_name": event, "model": "a-model", "cursor_version": "3.6.21",
		"workspace_roots": []string{p.workspace()}, "user_email": nil, "transcript_path": nil,
	}
	maps.Copy(all, f)
	return json.Marshal(all)
}

// hook runs the hook once and checks what holds for every event: exit 0, one
// JSON object on standard output and nothing on the other. The cost is the time
// that it had on a processor.
func (p *place) hook(ctx context.Context, payload []byte) (answer map[string]any, cost time.Duration, err error) {
	var out, complaint bytes.Buffer
	cmd := exec.CommandContext(ctx, p.program("cursor-ralph-hook"), "--session-limit", "auto", "--timeout", "60", "--linger", "1ms")
	cmd.Dir, cmd.Env = p.workspace(), p.env()
	cmd.Stdout, cmd.Stderr = &out, &complaint
	input, err := filled(payload)
	if err != nil {
		return nil, 0, err
	}
	defer input.Close()
	cmd.Stdin = input
	if err := cmd.Run(); err != nil {
		return nil, 0, fmt.Errorf("%w: %s", err, &complaint)
	}
	err = json.Unmarshal(out.Bytes(), &answer)
	if err != nil || answer == nil || complaint.Len() > 0 {
		return nil, 0, fmt.Errorf("got %q and %q on standard error, want one JSON object", &out, &complaint)
	}
	return answer, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
}

// filled is a pipe with all of a small event in it, so that none of our code has to
// run beside the hook.
func filled(payload []byte) (*os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	_, err = w.Write(payload)
	if err = errors.Join(err, w.Close()); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// editorDoor is the simulated editor: it reads the hooks.json files that
// cursor-ralph install has written, and runs a login shell.
type editorDoor struct {
	*place
	gate
	editor *simcursor.Cursor

	mu    sync.Mutex
	chats map[string]*simcursor.Chat
}

// newEditorDoor installs the hook, for the user and with twice for the project
// too.
func newEditorDoor(ctx context.Context, p *place, s settings) (*editorDoor, error) {
	installs := [][]string{{"install"}}
	if s.twice {
		installs = append(installs, []string{"install", "--project", p.workspace()})
	}
	for _, args := range installs {
		if _, err := p.command(ctx, nil, args...); err != nil {
			return nil, err
		}
	}
	editor, err := simcursor.New(simcursor.Config{Home: p.home(), Workspace: p.workspace(), Env: p.env()})
	return &editorDoor{place: p, gate: newGate(s), editor: editor, chats: map[string]*simcursor.Chat{}}, err
}

func (d *editorDoor) chat(id string) *simcursor.Chat {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.chats[id] == nil {
		d.chats[id] = d.editor.ChatWithID(id, nil)
	}
	return d.chats[id]
}

func (d *editorDoor) fire(ctx context.Context, id, event string, f fields) (string, error) {
	defer d.enter()()
	var texts []string
	for _, run := range d.chat(id).Fire(ctx, event, f) {
		d.trace.add(event, run.Duration)
		text, _ := run.Answer["followup_message"].(string)
		texts = append(texts, text)
	}
	text, err := theOne(texts)
	if err != nil {
		err = fmt.Errorf("%s of %s: %w", event, id, err)
	}
	return text, err
}

func (d *editorDoor) violations() []string {
	all := d.editor.Violations()
	for i, v := range all {
		all[i] = "violation: " + strings.TrimSpace(v)
	}
	return all
}
