package outer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// ErrBusy is wrapped where another run works in the workspace.
var ErrBusy = errors.New("another run works in this workspace")

// FolderName is the folder of a run in its workspace.
const FolderName = ".ralph"

// Folder is what a run keeps in its workspace: the task as it was given, and a
// copy of the loop's state. Git ignores it. What lies in it is no more than
// data: whoever wrote the repository may have written it.
type Folder struct {
	path    string
	release func() error
}

// The files in it.
const (
	promptFile = "prompt.md"
	stateFile  = "state.json"
	ignoreFile = ".gitignore"
	lockFile   = "lock"
)

// lockWait is how long the lock is waited for: others only look whether it is
// held.
const lockWait = time.Second

// Enter makes the folder in a workspace and holds its lock, which tells others
// that a run lives there.
func Enter(ctx context.Context, workspace string) (*Folder, error) {
	f := &Folder{path: filepath.Join(workspace, FolderName)}
	if err := ownfile.Folder(f.path); err != nil {
		return nil, err
	}
	var err error
	if f.release, err = f.lock(ctx); errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = fmt.Errorf("%w: %s", ErrBusy, workspace)
	}
	if err == nil {
		err = f.ignore()
	}
	if err != nil {
		return nil, f.notEntered(err)
	}
	return f, nil
}

// notEntered gives the lock back where it was taken.
func (f *Folder) notEntered(err error) error {
	if f.release == nil {
		return err
	}
	return errors.Join(err, f.release())
}

// lock takes the lock, which may be held for a moment by who looks whether it
// is.
func (f *Folder) lock(ctx context.Context) (release func() error, err error) {
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	for {
		held, err := ownfile.Held(f.in(lockFile))
		switch {
		case err != nil:
			return nil, err
		case !held:
			return ownfile.Lock(ctx, f.in(lockFile))
		case !wait(ctx, lockWait/20):
			return nil, ctx.Err()
		}
	}
}

// Leave gives the lock back. What lies in the folder stays.
func (f *Folder) Leave() error { return f.release() }

// Lives tells whether a run works in a workspace.
func Lives(workspace string) (bool, error) {
	path := filepath.Join(workspace, FolderName)
	if err := ownfile.CheckFolder(path); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	return ownfile.Held(filepath.Join(path, lockFile))
}

// Left gives the state that lies in the folder of a workspace, or an
// fs.ErrNotExist. It may be anybody's.
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
		err = errors.New("it is not that of a run")
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", filepath.Join(path, stateFile), err)
	}
	return l, err
}

// Begin puts the task of a loop into the folder. A prompt.md of something else
// is kept beside it.
func (f *Folder) Begin(l loop.State) error {
	was, _, err := ownfile.Read(f.in(promptFile), 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case string(was) != l.Prompt && !f.putThere(was):
		if _, err := ownfile.Aside(f.in(promptFile), fmt.Sprintf(".before-%d", l.StartedAt.Unix())); err != nil {
			return err
		}
	}
	return f.Save(l)
}

// putThere tells whether a prompt.md is that of the run before.
func (f *Folder) putThere(prompt []byte) bool {
	l, err := Left(filepath.Dir(f.path))
	return err == nil && l.Prompt == string(prompt)
}

// Save writes the state, and the task anew if somebody changed it.
func (f *Folder) Save(l loop.State) error {
	data, err := l.Encode()
	if err != nil {
		return err
	}
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

// hold takes the lock anew where the agent has cleared the folder away, lock and
// all, as git clean does.
func (f *Folder) hold() error {
	if _, err := ownfile.Check(f.in(lockFile)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := ownfile.Folder(f.path); err != nil {
		return err
	}
	release, err := f.lock(context.Background())
	if err != nil {
		return err
	}
	old := f.release
	f.release = release
	return errors.Join(old(), f.ignore())
}

// ignore has git pass over the folder, itself included.
func (f *Folder) ignore() error {
	_, err := ownfile.Check(f.in(ignoreFile))
	if errors.Is(err, fs.ErrNotExist) {
		err = f.put(ignoreFile, []byte("*\n"))
	}
	return err
}

// put replaces a file of the folder. The agent may have taken the folder away.
func (f *Folder) put(name string, data []byte) error {
	if err := ownfile.Folder(f.path); err != nil {
		return err
	}
	return ownfile.Replace(f.in(name), f.path, data, false)
}

func (f *Folder) in(name string) string { return filepath.Join(f.path, name) }

// holds tells whether a file lies in the folder: what the agent writes there is
// no work for the task.
func (f *Folder) holds(file string) bool {
	rel, err := filepath.Rel(f.path, file)
	return err == nil && filepath.IsLocal(rel)
}
