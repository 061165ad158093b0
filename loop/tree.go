package loop

import "slices"

// Tree is what a workspace looked like at one moment, as far as git and the edit
// events tell. The zero Tree is an unknown one.
type Tree struct {
	Root  string   `json:"root,omitempty"`  // of git's work tree; empty without one
	Head  string   `json:"head,omitempty"`  // the commit; empty before the first
	Print string   `json:"print,omitempty"` // the same for the same content: of Head and of every changed file
	Files Contents `json:"files,omitempty"` // of what git calls changed, and of what edit events named
}

// Contents are fingerprints of files, by absolute path.
type Contents map[string]string

// changed lists the files, in order, that are not the same in both.
func (c Contents) changed(now Contents) []string {
	var list []string
	for path, content := range c {
		if now[path] != content {
			list = append(list, path)
		}
	}
	for path := range now {
		if _, ok := c[path]; !ok {
			list = append(list, path)
		}
	}
	slices.Sort(list)
	return list
}
