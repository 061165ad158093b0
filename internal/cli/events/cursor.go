package events

import (
	"encoding/base64"
	"encoding/binary"
	"hash/fnv"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// cursor is a moment up to which a reader knows everything. It names no loop, but the
// sum of the keys shows that one is gone which the reader knows.
type cursor struct {
	At     time.Time
	window time.Duration
	sum    uint64
}

// cursorVersion is the first byte of a cursor. One of another version is unknown.
const cursorVersion = 1

// String is a cursor as it is printed.
func (c cursor) String() string {
	b := []byte{cursorVersion}
	b = binary.BigEndian.AppendUint64(b, uint64(c.At.UnixNano())) // #nosec G115 -- the bits come back as they are
	b = binary.BigEndian.AppendUint64(b, uint64(c.window))        // #nosec G115 -- as above
	return base64.RawURLEncoding.EncodeToString(binary.BigEndian.AppendUint64(b, c.sum))
}

func parseCursor(text string) (c cursor, ok bool) {
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(b) != 25 || b[0] != cursorVersion {
		return c, false
	}
	number := func(at int) int64 { return int64(binary.BigEndian.Uint64(b[at:])) } // #nosec G115 -- as above
	return cursor{time.Unix(0, number(1)), time.Duration(number(9)), binary.BigEndian.Uint64(b[17:])}, true
}

// counts reports whether a loop is one of those a reader knew at the cursor.
func (c cursor) counts(k shown) bool {
	return !k.born.After(c.At) && !k.endedBefore(c.At.Add(-c.window))
}

// sumOf is the sum of the loops that count.
func (c cursor) sumOf(all map[string]shown) (sum uint64) {
	for key, k := range all {
		if c.counts(k) {
			h := fnv.New64a()
			h.Write([]byte(key))
			sum += h.Sum64()
		}
	}
	return sum
}

// shown is what is kept of a loop.
type shown struct {
	born, ended time.Time
	hash        uint64 // of its line
}

func (s shown) endedBefore(t time.Time) bool { return !s.ended.IsZero() && s.ended.Before(t) }

func shownOf(l loop.State, changed time.Time) (s shown) {
	s.born = l.CreatedAt
	if s.born.IsZero() {
		s.born = l.StartedAt
	}
	if l.Status.Ended() {
		if s.ended = l.EndedAt; s.ended.IsZero() {
			s.ended = changed
		}
	}
	return s
}
