package ownfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Place is a folder: its path with all links followed, and its inode; empty on a system without inodes.
type Place struct{ Path, Number string }

// PlaceOf returns the place of a folder.
func PlaceOf(dir string) (Place, error) {
	f, err := openPlace(dir)
	if err != nil {
		return Place{}, err
	}
	defer f.Close()
	return placeOf(dir, f)
}

func placeOf(dir string, f *os.File) (Place, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return Place{}, err
	}
	info, err := f.Stat()
	if err != nil {
		return Place{}, err
	}
	return Place{real, number(info)}, nil
}

// Open opens a folder that has to be this place. What is to happen in it happens in Inside of the open one: the name may get another
// folder at any time.
func (p Place) Open(dir string) (*os.File, error) {
	f, err := openPlace(dir)
	if err != nil {
		return nil, err
	}
	now, err := placeOf(dir, f)
	switch {
	case err != nil:
	case now.Path != p.Path:
		err = fmt.Errorf("it is %s now, and was %s", now.Path, p.Path)
	case now.Number != p.Number:
		err = errors.New("it is another folder now")
	default:
		return f, nil
	}
	return nil, errors.Join(err, f.Close())
}
