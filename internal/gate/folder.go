package gate

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// Folder is a loop's own folder, open, so that what runs in it runs nowhere else.
type Folder struct{ open *os.File }

// Enter opens the folder of a loop. It has to be the one that the loop began with, by its place and its number: the name may lead to
// another by now. The error names what is missing. A loop that knows no workspace has an empty Folder.
func Enter(l loop.State) (Folder, error) {
	if l.Workspace == "" {
		return Folder{}, nil
	}
	place := ownfile.Place{Path: l.Folder.Path, Number: l.Folder.Number}
	if l.Folder.Workspace != l.Workspace { // a loop without a record
		var err error
		if place, err = ownfile.PlaceOf(l.Workspace); err != nil {
			return Folder{}, missing(l.Workspace, err)
		}
	}
	f, err := place.Open(l.Workspace)
	if err != nil {
		return Folder{}, missing(l.Workspace, err)
	}
	return Folder{f}, nil
}

func missing(workspace string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the loop's folder %s is not there", workspace)
	}
	return fmt.Errorf("the loop's folder %s is not the one that it began with: %w", workspace, err)
}

// Dir is the name by which a program gets into the folder.
func (f Folder) Dir() string {
	if f.open == nil {
		return ""
	}
	return ownfile.Inside(f.open)
}

// Leave closes the folder. Programs that run in it stay there.
func (f Folder) Leave() {
	if f.open != nil {
		_ = f.open.Close() // it was only read
	}
}
