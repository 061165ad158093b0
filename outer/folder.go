package outer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cursor-ralph/cursor-ralph/internal/engine"
	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// ErrBusy is wrapped by the error of Enter if another run uses the workspace.
var ErrBusy = errors.New("another run works in this workspace")

// FolderName is the run's folder in its workspace.
const FolderName = ".ralph"

// Folder contains the task and a copy of the loop's state. Git ignores it. Do not
// trust its content: it may come with the repository.
type Folder struct {
	path  string
	locks []*lock
	made  bool // it did not exist before
	used  bool // it contains a loop's files
}

// The files in it.
const (
	promptFile = "prompt.md"
	stateFile  = "state.json"
	ignoreFile = ".gitignore"
	lockFile   = "lock"
)

// Enter creates the folder and takes two locks until Leave: one in the folder, which
// keeps other runs out of the workspace, and loopLock, which belongs to the loop. If
// an agent removes the folder during a turn, loopLock still shows that the loop
// runs. It waits at most a second, or until ctx is done.
func Enter(ctx context.Context, workspace, loopLock string) (*Folder, error) {
	f := &Folder{path: filepath.Join(workspace, FolderName)}
	f.locks = []*lock{{path: loopLock, remove: true}, {path: f.in(lockFile)}}
	err := f.enter(ctx)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = fmt.Errorf("%w: %s", ErrBusy, workspace)
	}
	if err != nil {
		return nil, errors.Join(err, f.Leave())
	}
	return f, nil
}

func (f *Folder) enter(ctx context.Context) error {
	_, err := os.Lstat(f.path)
	f.made = errors.Is(err, fs.ErrNotExist)
	for _, l := range f.locks {
		if err := l.take(ctx); err != nil {
			return err
		}
	}
	return engine.Ignore(f.path)
}

// Leave releases the locks. It removes a folder that Enter created and nobody used.
func (f *Folder) Leave() (err error) {
	unused := f.made && !f.used
	if unused {
		f.locks[1].remove = true
		_ = os.Remove(f.in(ignoreFile)) // may not exist
	}
	for _, l := range f.locks {
		err = errors.Join(err, l.drop())
	}
	if unused {
		_ = os.Remove(f.path) // fails if something else is in it
	}
	return err
}

// Lives reports whether a process runs the loop.
func Lives(workspace, loopLock string) (bool, error) {
	if held, err := ownfile.Held(loopLock); held || err != nil {
		return held, err
	}
	path := filepath.Join(workspace, FolderName)
	if err := ownfile.CheckFolder(path); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	return ownfile.Held(filepath.Join(path, lockFile))
}

// Left returns the state in the folder of a workspace. Its error wraps
// fs.ErrNotExist if there is none. Do not trust it: see Folder.
func Left(workspace string) (loop.State, error) {
	path := filepath.Join(workspace, FolderName)
	if err := ownfile.CheckFolder(path); err != nil {
		return loop.State{}, err
	}
	data, _, err := ownfile.Read(filepath.Join(path, stateFile), 0)
	if err != nil {
		return loop.State{}, err
	}
	l, err := loop.Parse(data)
	if err == nil {
		err = loop.CheckID(l.ConversationID)
	}
	if err == nil && !l.Outer() {
		err = errors.New("not the state of a run")
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", filepath.Join(path, stateFile), err)
	}
	return l, err
}

func (f *Folder) check() error {
	for _, name := range []string{promptFile, stateFile} {
		if _, err := ownfile.Check(f.in(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Begin writes the task and the state of a loop. It keeps another prompt.md under a
// new name.
func (f *Folder) Begin(l loop.State) error {
	was, _, err := ownfile.Read(f.in(promptFile), 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case string(was) != l.Prompt && !f.isOfLastRun(was):
		if _, err := ownfile.Aside(f.in(promptFile), fmt.Sprintf(".before-%d", l.StartedAt.Unix())); err != nil {
			return err
		}
	}
	return f.Save(l)
}

func (f *Folder) isOfLastRun(prompt []byte) bool {
	l, err := Left(filepath.Dir(f.path))
	return err == nil && l.Prompt == string(prompt)
}

// Save writes the state, and the task if somebody changed it.
func (f *Folder) Save(l loop.State) error {
	data, err := l.Encode()
	if err != nil {
		return err
	}
	f.used = true
	if err := f.hold(); err != nil {
		return err
	}
	if was, _, err := ownfile.Read(f.in(promptFile), 0); err != nil || string(was) != l.Prompt {
		if err := f.put(promptFile, []byte(l.Prompt)); err != nil {
			return err
		}
	}
	return f.put(stateFile, data)
}

// hold takes a lock again if its file is gone: git clean removes the folder, and
// others clean /tmp.
func (f *Folder) hold() error {
	for _, l := range f.locks {
		if err := l.hold(); err != nil {
			return err
		}
	}
	return engine.Ignore(f.path)
}

// put replaces a file. The agent may have removed the folder.
func (f *Folder) put(name string, data []byte) error {
	if err := ownfile.Folder(f.path); err != nil {
		return err
	}
	return ownfile.Replace(f.in(name), f.path, data, false)
}

func (f *Folder) in(name string) string { return filepath.Join(f.path, name) }

// contains reports whether a file is in the folder: writing there is not work for
// the task.
func (f *Folder) contains(file string) bool {
	rel, err := filepath.Rel(f.path, file)
	return err == nil && filepath.IsLocal(rel)
}
