package state

import (
	"cmp"
	"context"
	"errors"
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
	Bytes int64 // of its file
}

// Split returns the records that stay and those that go, each the newest first.
func (r Retention) Split(records []Record, now time.Time) (stay, gone []Record) {
	newest := slices.SortedFunc(slices.Values(records), func(a, b Record) int {
		return cmp.Or(b.Ended.Compare(a.Ended), strings.Compare(a.Loop.ID, b.Loop.ID))
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
	ids, err := s.RecordIDs()
	if err != nil {
		return nil, nil, err
	}
	all := make([]Record, len(ids))
	ownfile.Each(len(ids), func(i int) { all[i], _ = s.endedRecord(ids[i]) })
	stay, gone = r.Split(slices.DeleteFunc(all, func(r Record) bool { return r.Loop.ID == "" }), s.now())
	return stay, gone, nil
}

// endedRecord returns an error for a record that is not of an ended loop.
func (s *Store) endedRecord(id string) (Record, error) {
	l, data, err := s.readRecord(id, loop.ParseHead)
	if err == nil && !l.Status.Ended() {
		err = errors.New("the loop has not ended")
	}
	if err != nil {
		return Record{}, err
	}
	return Record{Loop: l, Ended: l.EndedAt, Bytes: int64(len(data))}, nil
}

// RemoveRecord removes a record of Expired with all that belongs to it, unless its
// loop was continued or another process removed it meanwhile. Before that it calls
// beside, for what is kept elsewhere. The record's own file goes last: after a kill or an
// error it is still there, and removed next time.
func (s *Store) RemoveRecord(ctx context.Context, r Record, beside func(loop.State) error) (removed bool, err error) {
	remove := func() error {
		now, err := s.endedRecord(r.Loop.ID)
		if err != nil || !now.Ended.Equal(r.Ended) {
			return nil
		}
		if live, _, err := s.load(now.Loop.ConversationID); err == nil && live.ID == now.Loop.ID {
			return nil
		}
		if err := beside(now.Loop); err != nil {
			return err
		}
		err = ownfile.Remove(s.places.Record(now.Loop.ID))
		removed = err == nil
		return err
	}
	if loop.CheckID(r.Loop.ConversationID) != nil { // it never had one
		return removed, remove()
	}
	return removed, s.locked(ctx, r.Loop.ConversationID, remove)
}
