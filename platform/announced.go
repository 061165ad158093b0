package platform

import (
	"io/fs"
	"os"
	"slices"
	"strings"
)

// announces reports whether a folder, which may be missing, has the file of a window.
func announces(folder string) bool {
	entries, _ := os.ReadDir(folder)
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !e.IsDir() && strings.HasSuffix(e.Name(), ".json") })
}

// Rendezvous is the private folder in which editor windows with our extension
// announce themselves.
func (p Places) Rendezvous() string { return p.in("-rendezvous") }

// HasRendezvous reports whether a window has announced itself there: a hint, for one that was
// killed leaves its file behind.
func (p Places) HasRendezvous() bool { return announces(p.Rendezvous()) }
