package state

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// Retention says how long records of ended loops stay.
type Retention struct {
	Age   time.Duration // older ones go; 0 for no limit
	Count int           // those beyond the newest so many go; 0 for no limit
}

// Record is the record of an ended loop, without its history.
type Record struct {
	Loop  loop.State
	Ended time.Time
	Bytes int64 // of all its files
	name  string
}

// Split returns the records that stay and those that go, each the newest first.
func (r Retention) Split(records []Record, now time.Time) (stay, gone []Record) {
	newest := slices.SortedFunc(slices.Values(records), func(a, b Record) int {
		return cmp.Or(b.Ended.Compare(a.Ended), strings.Compare(a.name, b.name))
	})
	for i, record := range newest {
		if r.Count > 0 && i >= r.Count || r.Age > 0 && now.Sub(record.Ended) > r.Age {
			gone = append(gone, record)
		} else {
			stay = append(stay, record)
		}
	}
	return stay, gone
}

// Expired splits the records of ended loops. The copies of all others, and files
// that cannot be read, are in neither list.
func (s *Store) Expired(r Retention) (stay, gone []Record, err error) {
	names, err := s.recordNames(func(entry fs.DirEntry) bool {
		id, _, _ := strings.Cut(strings.TrimSuffix(entry.Name(), ".json"), older)
		return entry.Type().IsRegular() && loop.CheckID(id) == nil
	})
	if err != nil {
		return nil, nil, err
	}
	all := make([]Record, len(names))
	ownfile.Each(len(names), func(i int) { all[i], _ = s.endedRecord(names[i]) })
	stay, gone = r.Split(slices.DeleteFunc(all, func(r Record) bool { return r.name == "" }), s.now())
	return stay, gone, nil
}

// endedRecord returns an error for a file that is not the record of an ended loop.
func (s *Store) endedRecord(name string) (Record, error) {
	data, info, err := ownfile.Read(s.places.Record(name), 0)
	if err != nil {
		return Record{}, err
	}
	l, err := loop.ParseHead(data)
	if err == nil && (!l.Status.Ended() || l.MovedTo != "") {
		err = errors.New("the loop has not ended here")
	}
	if err != nil {
		return Record{}, err
	}
	r := Record{Loop: l.In(conversationOf(name, l), time.Time{}), Ended: l.EndedAt, name: name}
	if r.Ended.IsZero() { // written by hand
		r.Ended = info.ModTime()
	}
	for _, path := range s.files(r) {
		if info, err := ownfile.Check(path); err == nil {
			r.Bytes += info.Size()
		}
	}
	return r, nil
}

// files are all files of a record; its own is the last one.
func (s *Store) files(r Record) (paths []string) {
	if !r.Loop.StartedAt.IsZero() {
		paths = append(paths, s.historyPath(r.Loop))
	}
	return append(paths, s.places.Record(r.name))
}

// RemoveRecord removes a record of Expired with all that belongs to it, unless its
// loop was continued or another process removed it meanwhile. Before that it calls
// beside, for what is kept elsewhere. The record's own file goes last: after a kill or an
// error it is still there, and removed next time.
func (s *Store) RemoveRecord(ctx context.Context, r Record, beside func(loop.State) error) (removed bool, err error) {
	id, _, isOlder := strings.Cut(r.name, older)
	err = s.locked(ctx, id, func() error {
		now, err := s.endedRecord(r.name)
		if has, _ := s.Has(id); err != nil || !now.Ended.Equal(r.Ended) || has && !isOlder {
			return nil
		}
		if err := beside(now.Loop); err != nil {
			return err
		}
		for _, path := range s.files(now) {
			if _, err := ownfile.Check(path); err != nil { // not there, or not ours
				continue
			}
			if err := ownfile.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		removed = true
		return nil
	})
	return removed, err
}
