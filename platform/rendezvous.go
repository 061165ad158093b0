package platform

import (
	"os"
	"strings"
)

// Rendezvous is the private folder in which editor windows with our extension
// announce themselves.
func (p Places) Rendezvous() string { return p.in("-rendezvous") }

// HasRendezvous reports whether a window may have announced itself. It is a hint:
// a window that was killed leaves its file behind.
func (p Places) HasRendezvous() bool {
	entries, _ := os.ReadDir(p.Rendezvous()) // without the folder there are none
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".json") {
			return true
		}
	}
	return false
}
