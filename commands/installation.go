package commands

import "slices"

// Installation is what a hooks.json has of our hook. The zero Installation has nothing.
type Installation struct {
	Events     []string // at which our hook runs
	Commands   []string // of our entries
	Unparsable bool     // for Cursor too
}

// Installed reads what a hooks.json has of our hook. It is the one answer to whether our hook is installed: a mention of it is no
// installation. A file that does not parse has nothing, as for Cursor.
func Installed(raw []byte) (i Installation) {
	d, err := parse(raw)
	if err != nil {
		return Installation{Unparsable: true}
	}
	for _, m := range members(d.hooks()) {
		ours := oursIn(&m.Value)
		for _, at := range ours {
			i.Commands = append(i.Commands, stringIn(elements(&m.Value)[at], "command"))
		}
		if len(ours) > 0 {
			i.Events = append(i.Events, nameOf(m))
		}
	}
	return i
}

// HooksFile is a hooks.json of a plugin that Cursor may use.
type HooksFile struct {
	Plugin string // the plugin's name
	Path   string
	Raw    []byte
}

// Any reports whether our hook is installed at all.
func (i Installation) Any() bool { return len(i.Events) > 0 }

// At reports whether our hook runs at an event.
func (i Installation) At(event string) bool { return slices.Contains(i.Events, event) }
