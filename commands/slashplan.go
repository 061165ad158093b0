package commands

import (
	"path/filepath"

	"github.com/cursor-ralph/cursor-ralph/internal/hint"
)

// slashNode is one of our slash commands, and the file in its place.
type slashNode struct {
	content []byte
	now     node
	from    origin
}

func (o Options) readSlash() (list []slashNode, err error) {
	files, err := SlashCommands(o.program(), o.OS)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		n := slashNode{content: f.New}
		if n.now, err = o.read(filepath.Join(o.commandsFolder(), f.Path)); err != nil {
			return nil, err
		}
		n.from = originOf(n.now.data)
		list = append(list, n)
	}
	return list, nil
}

// addSlash refuses to replace the user's own text. What the user wrote into our file is lost, as that file says.
func (c *Change) addSlash(o Options) error {
	list, err := o.readSlash()
	if err != nil {
		return err
	}
	for _, n := range list {
		if n.from == users {
			return hint.New(n.now.path+" is a command of your own", "give it another name, or remove it: ours has this name (nothing was changed)")
		}
		c.put(n.now, n.content)
	}
	return nil
}

// removeSlash leaves what the user wrote, also into our files.
func (c *Change) removeSlash(o Options) error {
	list, err := o.readSlash()
	if err != nil {
		return err
	}
	for _, n := range list {
		switch n.from {
		case pristine:
			c.put(n.now, nil)
		case edited:
			c.note("%s was changed by you and stays", n.now.path)
		}
	}
	if len(c.Files) > 0 {
		c.folders = []string{o.commandsFolder(), o.Folder}
	}
	return nil
}
