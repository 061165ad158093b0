package commands

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cursor-ralph/cursor-ralph/internal/hint"
)

const backupSuffix = ".cursor-ralph-backup"

// Plan returns what an installation, or another one over the first, would do. It writes nothing.
func Plan(o Options) (Change, error) {
	if err := o.check(); err != nil {
		return Change{}, err
	}
	missing, err := o.missingFolders()
	if err != nil {
		return Change{}, err
	}
	var c Change
	if err := c.addSlash(o, missing); err != nil {
		return Change{}, err
	}
	if err := c.addHooks(o); err != nil {
		return Change{}, err
	}
	return c, nil
}

// PlanRemoval returns what a removal of an installation would do. It needs Folder and Project only.
func PlanRemoval(o Options) (Change, error) {
	if err := o.checkFolder(); err != nil {
		return Change{}, err
	}
	if _, err := o.missingFolders(); err != nil {
		return Change{}, err
	}
	var c Change
	if err := c.removeHooks(o); err != nil {
		return Change{}, err
	}
	if err := c.removeSlash(o); err != nil {
		return Change{}, err
	}
	return c, nil
}

func (o Options) missingFolders() (missing int, err error) {
	if _, err := os.Stat(filepath.Dir(o.Folder)); err != nil {
		return 0, hint.New(fmt.Sprintf("folder for %s: %v", o.Folder, err), "check the path")
	}
	for _, path := range []string{o.Folder, o.commandsFolder()} {
		exists, err := o.readFolder(path)
		if err != nil {
			return 0, err
		}
		if !exists {
			missing++
		}
	}
	return missing, nil
}

func (o Options) commandsFolder() string { return filepath.Join(o.Folder, "commands") }

func (o Options) hooksFile() string { return filepath.Join(o.Folder, "hooks.json") }

func (c *Change) addHooks(o Options) error {
	now, backup, err := o.readHooks()
	if err != nil {
		return err
	}
	if o, err = c.keepSettings(o, now); err != nil {
		return err
	}
	base, err := c.base(o, now, backup)
	if err != nil {
		return fmt.Errorf("%s: %w", now.path, err)
	}
	merged, notes, err := merge(now.data, o.entries(), outlineOf(base), o.AnyEvent)
	if err != nil {
		return fmt.Errorf("%s: %w", now.path, err)
	}
	for _, n := range notes {
		c.note("%s: %s", now.path, n)
	}
	if backup.mode = now.mode; base != nil && !bytes.Equal(base, backup.data) {
		c.note("%s keeps hooks.json without our entries", backup.path)
	}
	c.put(backup, base)
	c.put(now, merged)
	return nil
}

// keepSettings fills in options that were not given from what is installed.
func (c *Change) keepSettings(o Options, now node) (Options, error) {
	was := Installed(now.data)
	if o.SessionLimit == "" && was.limit != "" {
		if o.SessionLimit = was.limit; was.limit != defaultSessionLimit {
			c.note("%s: the session limit %s is kept; --session-limit %s sets the usual one", now.path, was.limit, defaultSessionLimit)
		}
	}
	if o.KeepMinimal && was.minimal && !o.Minimal {
		o.Minimal = true
		c.note("%s: only the stop hook is kept (--minimal); --minimal=false installs all hooks", now.path)
	}
	if o.VerifyTimeout == 0 && was.verify > 0 && was.verify != defaultVerifyTimeout {
		o.VerifyTimeout = was.verify
		c.note("%s: time for a verification of %s is kept; --verify-timeout %s sets the usual one", now.path, was.verify, defaultVerifyTimeout)
	}
	o = c.keepTelling(o, was, now.path)
	if err := c.keepExtra(o.Minimal, &o.PreCompact, was.PreCompact, now.path, "the preCompact hook", "--pre-compact"); err != nil {
		return o, err
	}
	return o, c.keepExtra(o.Minimal, &o.PlanGuard, was.PlanGuard, now.path, "the plan guard", "--plan-guard")
}

// keepExtra keeps a hook for which an old Cursor drops the whole file, so that a minimal installation has no place for it.
func (c *Change) keepExtra(minimal bool, asked **bool, was bool, path, name, flag string) error {
	switch {
	case minimal && *asked != nil && **asked:
		return hint.New(name+" needs more than the stop hook: a minimal installation cannot have it",
			"an old Cursor drops the whole file for it; with a newer one: --minimal=false "+flag)
	case minimal && was:
		c.note("%s: %s is removed: a minimal installation has only the stop hook", path, name)
	case *asked == nil && was:
		*asked = &was
		c.note("%s: %s is kept; %s=false removes it", path, name, flag)
	}
	return nil
}

// keepTelling keeps how the user is reached: by typing and by notifications.
func (c *Change) keepTelling(o Options, was Installation, path string) Options {
	t := was.Typing
	kept(c, &o.Injectors, t.Injectors, path+": the injectors "+t.Injectors+" are kept; --injectors '' sets the usual ones")
	kept(c, &o.FocusKeys, t.FocusKeys, path+": the focus keys "+t.FocusKeys+" are kept; --focus-keys '' removes them")
	kept(c, &o.SubmitKey, t.SubmitKey, path+": the submit key "+t.SubmitKey+" is kept; --submit-key return changes it")
	kept(c, &o.TypeUnchecked, t.Unchecked, path+": --type-unchecked is kept; --type-unchecked=false removes it")
	kept(c, &o.NoNotify, was.Quiet, path+": --no-notify is kept; --no-notify=false removes it")
	if o.Linger == nil && was.linger != nil { // 0 is a setting too
		o.Linger = was.linger
		c.note("%s: --linger %s is kept; --linger 100ms sets the usual time", path, was.linger)
	}
	return o
}

// kept fills in an option that was not given with what is installed, if that is not the zero value.
func kept[T comparable](c *Change, option **T, was T, note string) {
	if *option == nil && was != *new(T) {
		*option = &was
		c.Notes = append(c.Notes, note)
	}
}

func (o Options) readHooks() (now, backup node, err error) {
	if now, err = o.read(o.hooksFile()); err != nil {
		return
	}
	backup, err = o.read(o.hooksFile() + backupSuffix)
	return now, backup, err
}

// base returns hooks.json without our entries, for the backup. A backup of a file that the user has since removed is not the base
// of anything, but may be the last copy.
func (c *Change) base(o Options, now, backup node) ([]byte, error) {
	if now.data == nil && backup.data != nil {
		return nil, c.keep(o, backup)
	}
	if !Installed(now.data).own {
		return now.data, nil
	}
	return unmerge(now.data, backup.data)
}

// keep copies a file that would be lost to a unique name beside it.
func (c *Change) keep(o Options, lost node) error {
	sum := sha256.Sum256(lost.data)
	kept, err := o.read(fmt.Sprintf("%s.cursor-ralph-kept-%x", lost.path, sum[:4]))
	if err != nil {
		return err
	}
	kept.mode = lost.mode
	c.put(kept, lost.data)
	c.note("%s keeps a copy of %s", kept.path, lost.path)
	return nil
}

func (c *Change) removeHooks(o Options) error {
	now, backup, err := o.readHooks()
	if err != nil {
		return err
	}
	if !Installed(now.data).own {
		return c.leaveHooks(now, backup)
	}
	rest, err := unmerge(now.data, backup.data)
	if err != nil {
		return fmt.Errorf("%s: %w", now.path, err)
	}
	if rest == nil && now.target != now.path {
		rest = []byte("{}\n") // a link stays
	}
	c.put(now, rest)
	c.put(backup, nil)
	return nil
}

// leaveHooks handles a hooks.json without our entries, or one that does not parse and may have some.
func (c *Change) leaveHooks(now, backup node) error {
	_, text := splitMark(now.data)
	if _, err := parse(text); err != nil && bytes.Contains(now.data, []byte(hookName)) {
		return fmt.Errorf("%s: %w", now.path, refuse(unparsable(err)))
	}
	c.drop(backup, now)
	return nil
}

// drop removes the backup of a file that we no longer restore, unless the two differ.
func (c *Change) drop(backup, now node) {
	switch {
	case backup.data == nil:
	case bytes.Equal(now.data, backup.data):
		c.put(backup, nil)
	default:
		c.note("%s stays: %s no longer has our content", backup.path, now.path)
	}
}
