package pending

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// sketch is what decides who may claim a pending file. Reading a state whole costs
// several times as much, and there may be thousands of files of others.
type sketch struct {
	name, path string
	age        time.Duration // since the file was last written
	err        error         // what is wrong with the file
	broken     bool          // it could be read and is not a loop's file, or not yet

	owner, workspace, cwd string
	ended, byLine         bool
}

// item is the sketch of a file that cannot be claimed as it is.
func (i *sketch) item() Item {
	return Item{Name: i.name, Path: i.path, Age: i.age, Err: i.err, broken: i.broken}
}

func (b *Box) sketch(name, path string) *sketch {
	data, info, err := ownfile.ReadWithin(path, 0, maxFile)
	i := &sketch{name: name, path: path, err: err}
	if info != nil {
		i.age = b.now().Sub(info.ModTime())
	}
	if err == nil {
		i.draw(data)
	}
	return i
}

// draw reads the fields that matter, and a file with anything unexpected in them as
// it is read for a claim.
func (i *sketch) draw(data []byte) {
	var o struct {
		Prompt, Workspace, Cwd string
		Owner                  string `json:"conversation_id"`
		Status                 loop.Status
		Version                int
		ByLine                 bool `json:"by_line"`
	}
	if err := json.Unmarshal(data, &o); err == nil && o.Prompt != "" && o.Version <= loop.Version {
		i.owner, i.workspace, i.cwd, i.ended, i.byLine = o.Owner, o.Workspace, o.Cwd, o.Status.Ended(), o.ByLine
		return
	}
	l, err := loop.Parse(data)
	i.err, i.broken = err, err != nil && !errors.Is(err, loop.ErrNewer)
	i.owner, i.workspace, i.cwd, i.ended, i.byLine = l.ConversationID, l.Workspace, l.Cwd, l.Status.Ended(), l.ByLine
}

// unbound reads outlines of the unbound files, in no order. Of too
// many it reads the newest, and returns ErrTooMany as well; so it does with those that are large together.
// It returns none if there was no time for all: the newest may be among the others.
func (b *Box) unbound(ctx context.Context) (all []*sketch, err error) {
	names, _, failed := b.stems()
	if failed != nil {
		return nil, nil
	}
	if len(names) > mostRead {
		err = fmt.Errorf("%w in %s: only the newest are looked at", ErrTooMany, b.places.Pending())
	}
	names = b.readable(newest(names, mostRead))
	all = make([]*sketch, len(names))
	ownfile.Each(len(names), func(i int) {
		if ctx.Err() == nil {
			all[i] = b.sketch(names[i], b.path(names[i]))
		}
	})
	if late := ctx.Err(); late != nil {
		return nil, fmt.Errorf("%s: the pending files were not read in time: %w", b.places.Pending(), late)
	}
	return all, err
}

// readable returns the names of the files that may be claimed by their age, the newest names first, without those that make them too
// large together. Of one that is too large by itself, or cannot be read, the sketch says so.
func (b *Box) readable(names []string) (some []string) {
	slices.SortFunc(names, func(x, y string) int { return strings.Compare(y, x) })
	size := int64(0)
	for _, name := range names {
		info, err := os.Lstat(b.path(name))
		if err == nil && info.Mode().IsRegular() {
			if b.now().Sub(info.ModTime()) > staleAfter {
				continue
			}
			if info.Size() <= maxFile {
				size += info.Size()
			}
			if size > maxFile {
				size -= info.Size()
				continue
			}
		}
		some = append(some, name)
	}
	return some
}
