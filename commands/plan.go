package commands

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cursor-ralph/cursor-ralph/internal/hint"
)

// Plan returns what an installation, or another one over the first, would do. It writes nothing.
func Plan(o Options) (c Change, err error) {
	if err := o.check(); err != nil {
		return c, err
	}
	if err := o.checkFolders(); err != nil {
		return c, err
	}
	if err := c.addSlash(o); err != nil {
		return Change{}, err
	}
	if err := c.addHooks(o); err != nil {
		return Change{}, err
	}
	return c, nil
}

// PlanRemoval returns what a removal of an installation would do. It needs Folder and Project only.
func PlanRemoval(o Options) (c Change, err error) {
	if err := o.checkFolder(); err != nil {
		return c, err
	}
	if err := o.checkFolders(); err != nil {
		return c, err
	}
	if err := c.removeHooks(o); err != nil {
		return Change{}, err
	}
	if err := c.removeSlash(o); err != nil {
		return Change{}, err
	}
	return c, nil
}

func (o Options) checkFolders() error {
	if _, err := os.Stat(filepath.Dir(o.Folder)); err != nil {
		return hint.New(fmt.Sprintf("folder for %s: %v", o.Folder, err), "check the path")
	}
	for _, path := range []string{o.Folder, o.commandsFolder()} {
		if err := o.readFolder(path); err != nil {
			return err
		}
	}
	return nil
}

func (o Options) commandsFolder() string { return filepath.Join(o.Folder, "commands") }

func (o Options) hooksFile() string { return filepath.Join(o.Folder, "hooks.json") }

func (c *Change) addHooks(o Options) error {
	now, err := o.read(o.hooksFile())
	if err != nil {
		return err
	}
	merged, notes, err := merge(now.data, o.entries())
	if err != nil {
		return fmt.Errorf("%s: %w", now.path, err)
	}
	for _, n := range notes {
		c.note("%s: %s", now.path, n)
	}
	c.put(now, merged)
	return nil
}

// removeHooks leaves a file alone that has no entry of our hook. One that cannot be read and names it may have one.
func (c *Change) removeHooks(o Options) error {
	now, err := o.read(o.hooksFile())
	if err != nil || !bytes.Contains(now.data, []byte(hookName)) {
		return err
	}
	if was := Installed(now.data); !was.Any() && !was.Unparsable {
		return nil
	}
	rest, err := strip(now.data)
	if err != nil {
		return fmt.Errorf("%s: %w", now.path, err)
	}
	c.put(now, rest)
	return nil
}
