package commands

import "path/filepath"

// slashNode is one of our slash commands, the file in its place, and the user's file that it replaced.
type slashNode struct {
	content     []byte
	now, backup node
	from        origin
}

// readSlash also returns how many folders the installation made, which the files record.
func (o Options) readSlash() (list []slashNode, made int, err error) {
	files, err := SlashCommands(o.program(), o.OS)
	if err != nil {
		return nil, 0, err
	}
	for _, f := range files {
		n := slashNode{content: f.New}
		if n.now, err = o.read(filepath.Join(o.commandsFolder(), f.Path)); err != nil {
			return nil, 0, err
		}
		if n.backup, err = o.read(n.now.path + backupSuffix); err != nil {
			return nil, 0, err
		}
		var before int
		n.from, before = originOf(n.now.data)
		made = max(made, before)
		list = append(list, n)
	}
	return list, made, nil
}

// addSlash keeps the user's texts: a file of the same name as a backup, an edited command as a copy.
func (c *Change) addSlash(o Options, missing int) error {
	list, made, err := o.readSlash()
	if err != nil {
		return err
	}
	for _, n := range list {
		switch n.from {
		case users:
			err = c.backUp(o, n)
		case edited:
			err = c.keep(o, n.now)
		}
		if err != nil {
			return err
		}
		c.put(n.now, restamp(n.content, max(made, missing)))
	}
	return nil
}

func (c *Change) backUp(o Options, n slashNode) error {
	if n.backup.data != nil && string(n.backup.data) != string(n.now.data) {
		if err := c.keep(o, n.backup); err != nil {
			return err
		}
	}
	n.backup.mode = n.now.mode
	c.put(n.backup, n.now.data)
	c.note("%s keeps your own %s", n.backup.path, filepath.Base(n.now.path))
	return nil
}

func (c *Change) removeSlash(o Options) error {
	list, made, err := o.readSlash()
	if err != nil {
		return err
	}
	for _, n := range list {
		if n.from == edited {
			if err := c.keep(o, n.now); err != nil {
				return err
			}
		}
		c.restore(n)
	}
	c.folders = []string{o.commandsFolder(), o.Folder}[:min(made, 2)]
	return nil
}

func (c *Change) restore(n slashNode) {
	if n.from == users {
		c.drop(n.backup, n.now)
		return
	}
	if n.now.mode = n.backup.mode; n.backup.data == nil {
		c.put(n.now, nil)
		return
	}
	c.put(n.now, n.backup.data)
	c.put(n.backup, nil)
}
