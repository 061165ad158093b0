//go:build linux

package faults_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/platform"
	"github.com/cursor-ralph/cursor-ralph/state"
	"github.com/cursor-ralph/cursor-ralph/test/sources"
)

// programs are the two that are tried, as everybody gets them, and a workspace.
type programs struct{ hook, cli, workspace string }

// build makes them in a folder.
func build(folder string) (p programs, err error) {
	p = programs{filepath.Join(folder, "cursor-ralph-hook"), filepath.Join(folder, "cursor-ralph"), filepath.Join(folder, "workspace")}
	if err := sources.Programs(folder, "cmd/cursor-ralph-hook", "cmd/cursor-ralph"); err != nil {
		return p, err
	}
	return p, os.Mkdir(p.workspace, 0o700)
}

// world is the folders in which an operation is tried.
type world struct {
	programs
	dir    string
	places platform.Places
	env    []string
	turn   *atomic.Int64
}

const (
	me    = "chat-1" // the conversation
	other = "chat-2" // one more
	task  = "the task of the chat"
	old   = "the task that was there before"
)

func newWorld(p programs, dir string) (w world, err error) {
	vars := map[string]string{
		"CURSOR_RALPH_DIR": filepath.Join(dir, "tmp"), "CURSOR_RALPH_STATE_DIR": filepath.Join(dir, "state"),
		"CURSOR_RALPH_NO_NOTIFY": "1", "CURSOR_RALPH_NO_WATCHER": "1", "HOME": filepath.Join(dir, "home"), "PATH": "/usr/bin:/bin", "TZ": "UTC",
	}
	w = world{programs: p, dir: dir, turn: &atomic.Int64{}}
	for name, value := range vars {
		w.env = append(w.env, name+"="+value)
	}
	for _, name := range []string{"tmp", "state", "home"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			return w, err
		}
	}
	w.places, err = platform.Find(func(name string) string { return vars[name] })
	return w, err
}

// copy makes a world of the same files.
func (w world) copy(dir string) (world, error) {
	err := filepath.WalkDir(w.dir, func(path string, d fs.DirEntry, err error) error {
		to := filepath.Join(dir, strings.TrimPrefix(path, w.dir))
		if err != nil || d.IsDir() {
			return errors.Join(err, os.MkdirAll(to, 0o700)) // git needs empty ones too
		}
		data, err := os.ReadFile(path) // #nosec G122 -- in one of our folders
		if err != nil {
			return err
		}
		data = bytes.ReplaceAll(data, []byte(w.dir), []byte(dir))
		info, err := d.Info()
		if err != nil {
			return err
		}
		return errors.Join(os.WriteFile(to, data, 0o600), os.Chtimes(to, info.ModTime(), info.ModTime())) // #nosec G703 -- between our folders
	})
	if err != nil {
		return w, err
	}
	made, err := newWorld(w.programs, dir)
	made.turn.Store(w.turn.Load() + 100) // other turns than those that were
	if own := filepath.Join(dir, workTree); isThere(own) {
		made.programs.workspace = own
	}
	return made, err
}

// fields are those of an event.
type fields = map[string]any

// event is one of the turn that goes on: a message begins one, as does what comes
// after a stop.
func (w world) event(name string, more fields) string {
	if name == "beforeSubmitPrompt" {
		w.turn.Add(1)
	}
	generation := fmt.Sprint("turn-", w.turn.Load())
	if name == "stop" {
		w.turn.Add(1)
	}
	all := fields{
		"conversation_id": me, "generation_id": generation, "model": "some-model",
		"hook_event_name": name, "cursor_version": "3.18.25", "workspace_roots": []string{w.workspace},
		"user_email": nil, "transcript_path": nil,
	}
	maps.Copy(all, more)
	data, err := json.Marshal(all)
	if err != nil {
		panic(err) // a mistake in the table of operations
	}
	return string(data)
}

func (w world) stop() string { return w.stopped("completed", 0) }

func (w world) stopped(status string, count int) string {
	return w.event("stop", fields{"status": status, "loop_count": count})
}

func (w world) says(text string) string { return w.event("afterAgentResponse", fields{"text": text}) }

func (w world) uses(id string) string {
	return w.event("postToolUse", fields{"tool_name": "Write", "tool_input": fields{"path": "x"}, "tool_output": "ok", "tool_use_id": id})
}

func (w world) sends(prompt string) string {
	return w.event("beforeSubmitPrompt", fields{"prompt": prompt, "attachments": []any{}})
}

// asked is a pending file as people and agents write it.
func asked(task string, more fields) string {
	all := fields{"prompt": task, "max_iterations": 20, "completion_promise": "COMPLETE"}
	maps.Copy(all, more)
	data, err := json.Marshal(all)
	if err != nil {
		panic(err) // a mistake in the table of operations
	}
	return string(data)
}

// keep writes the record of a loop with commands that is asked for in the chat.
func (w world) keep(more fields) error {
	l, err := loop.Parse([]byte(asked(task, more)))
	if err != nil || !l.HasAny() {
		return err
	}
	more["id"] = shortID
	l.ID, l.ConversationID = shortID, me
	return state.New(w.places, time.Now).Keep(l)
}

func (w world) pending(name, content string) error {
	return w.write(filepath.Join(w.places.Pending(), name+".json"), content)
}

func (w world) write(path, content string) error {
	return errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)) // #nosec G703 -- in the world of a test
}

// found is a loop as it was found in a world.
type found struct {
	pending, running, over int
	counters               string
}

// look finds the loop with a task. An ended one counts as over wherever it lies,
// together with its record; the record of another is a copy and does not
// count. What is no loop's file, and should be one, is reported.
func (w world) look(task string) (f found, torn []string) {
	_ = filepath.WalkDir(w.dir, func(path string, d fs.DirEntry, err error) error { // what vanishes meanwhile is not there
		if err == nil && d.IsDir() && path == w.places.Checkpoints() {
			return filepath.SkipDir // no loops are there
		}
		if err != nil || d.IsDir() {
			return nil
		}
		if strings.Contains(path, ".corrupt-") {
			torn = append(torn, path+": moved aside")
		}
		if filepath.Ext(path) == ".json" && d.Name()[0] != '.' {
			if err := f.add(w, path, task); err != nil {
				torn = append(torn, path+": "+err.Error())
			}
		}
		return nil
	})
	return f, torn
}

func (f *found) add(w world, path, task string) error {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	l, err := loop.Parse(data)
	if err != nil || l.Prompt != task {
		return err
	}
	copied := false
	switch {
	case l.Status.Ended() && filepath.Dir(path) == w.places.Records() && w.lives(l.ConversationID, l):
		return nil // it was taken up again, and killed before its record was written anew
	case l.Status.Ended():
		copied = f.over > 0 && filepath.Dir(path) != w.places.Records() // the archive has what was said last
		f.over = 1
	case filepath.Dir(path) == w.places.Records():
		return nil
	case filepath.Dir(path) == w.places.Base && strings.Contains(filepath.Base(path), "-loop-"):
		f.running++
	default:
		if r, err := state.New(w.places, time.Now).Record(l.ID, false); err == nil && r.Status.Ended() && r.StartedAt.IsZero() {
			return nil // it was cancelled, and killed before the file was removed
		}
		f.pending++
	}
	if !copied {
		f.counters = counters(l)
	}
	return nil
}

// lives reports whether a loop of which there is a record is live.
func (w world) lives(id string, record loop.State) bool {
	data, _ := os.ReadFile(w.places.Live(id)) // a missing file is no loop
	l, err := loop.Parse(data)
	return err == nil && !l.Status.Ended() && l.StartedAt.Equal(record.StartedAt)
}

// times reports how often the loop is there.
func (f found) times() int { return f.pending + f.running + f.over }

func (f found) String() string {
	return fmt.Sprintf("%d pending, %d live, %d over: %s", f.pending, f.running, f.over, f.counters)
}

// counters are what a fault must not change by half.
func counters(l loop.State) string {
	return fmt.Sprintf("%s iteration=%d session=%d tools=%d output=%q context=%d max=%d",
		l.Status, l.Iterations, l.SessionIterations, l.ToolCalls, l.LastOutput, len(l.Context), l.MaxIterations)
}

// silent makes live loops look as if nothing had happened for two minutes.
func (w world) silent() (wrong []string) {
	last := regexp.MustCompile(`("last_event_at": )"[^"]*"`)
	paths, _ := filepath.Glob(w.places.Live("*")) // the pattern is right
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err == nil {
			then := time.Now().Add(-2 * time.Minute).UTC().Format(time.RFC3339Nano)
			err = w.write(path, last.ReplaceAllString(string(data), fmt.Sprintf("${1}%q", then)))
		}
		wrong = append(wrong, problem(err)...)
	}
	return wrong
}

// unfinished returns the new files that never got their names, but for those of a look at a
// work tree, which git passes over.
func (w world) unfinished() (files []string) {
	_ = filepath.WalkDir(w.dir, func(path string, d fs.DirEntry, err error) error { // as in look
		if path == w.places.Looks() {
			return fs.SkipDir
		}
		if err == nil && !d.IsDir() && strings.HasPrefix(d.Name(), ".new-") {
			files = append(files, path)
		}
		return nil
	})
	return files
}

// files returns what lies in a world but the log, without what is another at every
// time: two worlds with the same are alike in all that follows.
func (w world) files() string {
	var b strings.Builder
	_ = filepath.WalkDir(w.dir, func(path string, d fs.DirEntry, err error) error { // as in look
		if err == nil && path == filepath.Join(w.dir, workTree, ".git", "objects") {
			return fs.SkipDir // named as the time makes them
		}
		if err == nil && !d.IsDir() && path != w.places.Log() {
			data, _ := os.ReadFile(path) // #nosec G122 -- in one of our folders; the error as in look
			if w.isGit(path) {
				data = nil // with times in them
			}
			fmt.Fprintf(&b, "%s\n%s\n", path, data)
		}
		return nil
	})
	times := regexp.MustCompile(`\d{4}-\d\d-\d\dT[0-9:.]+Z|\d{8,}(-\d+)?|"(duration_)?seconds": [0-9.e-]+|"id": "[0-9a-z]{10,}"|loops/[0-9a-z]{5}\.json|chats/` + me + `\n[0-9a-z]{5}\n`)
	return times.ReplaceAllString(strings.ReplaceAll(b.String(), w.dir, "DIR"), "SOME")
}

// isGit reports whether a file belongs to the work tree, or to the index of a checkpoint.
func (w world) isGit(path string) bool {
	return strings.HasPrefix(path, filepath.Join(w.dir, workTree)) || strings.HasPrefix(path, w.places.Checkpoints())
}

// held returns the locks that somebody holds.
func (w world) held() (locks []string) {
	paths, _ := filepath.Glob(filepath.Join(w.places.Pending(), ".*lock")) // the pattern is right
	for _, path := range paths {
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			continue
		}
		if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
			locks = append(locks, path)
		}
		_ = f.Close() // nothing was written
	}
	return locks
}

func isThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
