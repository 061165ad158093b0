// Package rendezvous talks to our editor extension: it finds the windows that have
// announced themselves in a private folder, and has one of them show a chat and
// put a line into its input. It presses no key. The protocol is described in
// extension/src/rendezvous.ts, the other end.
package rendezvous

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/internal/proc"
)

// version is the protocol's.
const version = 1

// Announcement is a window's file.
type Announcement struct {
	Version int    `json:"version"`
	PID     int    `json:"pid"`
	Address string `json:"address"` // of a socket or a named pipe
	Token   string `json:"token"`
	Editor  string `json:"editor"`
}

// announcementLimit is more than a file has, in bytes.
const announcementLimit = 64 << 10

// minToken is how long a token is at least.
const minToken = 32

// Announced returns the windows that have announced themselves in a folder, and
// why others do not count. Files of processes that are gone are left out.
func Announced(folder string) (windows []Announcement, err error) {
	err = checkFolder(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	names, err := ownfile.Names(folder)
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	var problems []error
	for _, name := range names {
		if !strings.HasSuffix(name, ".json") || strings.HasPrefix(name, ".") {
			continue
		}
		a, err := readAnnouncement(filepath.Join(folder, name))
		switch {
		case err != nil:
			problems = append(problems, err)
		case !proc.Gone(a.PID):
			windows = append(windows, a)
		}
	}
	return windows, errors.Join(problems...)
}

func readAnnouncement(path string) (a Announcement, err error) {
	data, info, err := ownfile.ReadPart(path, 0, announcementLimit)
	if err != nil {
		return a, err
	}
	if err := checkMode(path, info); err != nil {
		return a, err
	}
	if err := json.Unmarshal(data, &a); err != nil {
		return a, fmt.Errorf("%s: %w", path, err)
	}
	switch {
	case a.Version != version:
		return a, fmt.Errorf("%s: the extension speaks version %d and we version %d: update the older of the two", path, a.Version, version)
	case a.PID <= 0 || len(a.Token) < minToken:
		return a, fmt.Errorf("%s: not an announcement", path)
	}
	return a, checkAddress(a.Address)
}
