package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/platform"
)

// MaxMode is how long loop mode stays on at most.
const MaxMode = 24 * time.Hour

// Mode is the loop mode of a workspace: while it is on, a user's message starts
// a loop.
type Mode struct {
	Workspace string     `json:"workspace"`
	Since     time.Time  `json:"since"`
	Until     time.Time  `json:"until"`
	Loop      loop.State `json:"loop"` // the rules of a loop that it starts
}

// On reports whether loop mode is on. A file that says more than it may, or a
// clock that was set, does not keep it on for longer than MaxMode.
func (m Mode) On(now time.Time) bool {
	return now.Before(m.Until) && now.Sub(m.Since).Abs() < MaxMode
}

// Mode returns the loop mode of a workspace, which may be over, or an
// fs.ErrNotExist. Where there is none that takes one system call.
func (s *Store) Mode(workspace string) (Mode, error) {
	path := s.places.LoopMode(workspace)
	if _, err := ownfile.Check(path); err != nil {
		return Mode{}, err
	}
	m, err := s.readMode(path)
	if err == nil && !platform.SameFolder(runtime.GOOS, m.Workspace, workspace) {
		return Mode{}, fmt.Errorf("%s is of another workspace: %w", path, fs.ErrNotExist)
	}
	return m, err
}

func (s *Store) readMode(path string) (Mode, error) {
	if err := ownfile.CheckFolder(s.places.Archive); err != nil {
		return Mode{}, err
	}
	data, _, err := ownfile.Read(path, 0)
	if err != nil {
		return Mode{}, err
	}
	m := Mode{Loop: loop.New()}
	err = json.Unmarshal(data, &m)
	if m.Loop.Version > loop.Version {
		err = loop.ErrNewer
	}
	if err != nil {
		return Mode{}, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// SetMode switches loop mode on in a workspace, or anew.
func (s *Store) SetMode(m Mode) error {
	m.Loop.Version = loop.Version
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return s.replaceKept(s.places.LoopMode(m.Workspace), append(data, '\n'), false)
}

// EndMode switches loop mode off in a workspace. The error is
// fs.ErrNotExist if nothing says that it is on.
func (s *Store) EndMode(workspace string) error {
	path := s.places.LoopMode(workspace)
	if _, err := ownfile.Check(path); err != nil {
		return err
	}
	return ownfile.Remove(path)
}

// Modes returns the loop mode of every workspace in which it is on. Files that
// cannot be read, and so count as off, are reported in problems.
func (s *Store) Modes() (on []Mode, problems []error) {
	entries, err := os.ReadDir(s.places.Archive)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, []error{err}
	}
	prefix, suffix := s.places.LoopModePattern()
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), prefix) || !strings.HasSuffix(entry.Name(), suffix) {
			continue
		}
		path := filepath.Join(s.places.Archive, entry.Name())
		m, err := s.readMode(path)
		switch {
		case errors.Is(err, fs.ErrNotExist): // switched off meanwhile
		case err != nil:
			problems = append(problems, err)
		case m.On(s.now()) && s.places.LoopMode(m.Workspace) == path:
			on = append(on, m)
		}
	}
	return on, problems
}
