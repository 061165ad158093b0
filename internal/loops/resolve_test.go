package loops

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/test/loopfiles"
)

// world has loops in all places, whose files are written as told.
type world struct {
	*testing.T
	*Loops
}

func newWorld(t *testing.T) world {
	t.Helper()
	dir := t.TempDir()
	places := loopfiles.Places(t, filepath.Join(dir, "tmp"), filepath.Join(dir, "state"))
	w := world{t, New(places, time.Now)}
	w.must(errors.Join(os.MkdirAll(places.Pending(), 0o700), os.MkdirAll(places.Records(), 0o700)))
	return w
}

func (w world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// put writes a loop.
func (w world) put(path, id, conversation string, status loop.Status) {
	w.Helper()
	l := loop.New()
	l.Prompt, l.ID, l.ConversationID, l.Status = "the task of "+filepath.Base(path), id, conversation, status
	if l.CreatedAt = time.Unix(1790000000, 0); status != Pending {
		l.StartedAt = l.CreatedAt
	}
	if status.Ended() {
		l.EndedAt = time.Now().Add(-time.Hour)
	}
	data, err := l.Encode()
	w.must(err)
	w.must(os.WriteFile(path, data, 0o600))
}

const (
	chatA = "3f2a0000-0000-4000-8000-00000000000a"
	chatB = "3f2b0000-0000-4000-8000-00000000000b"
	gone  = "88880000-0000-4000-8000-00000000000d"
)

// everywhere has loops in all places: chat A has a live one, one that waits there and two
// older records; chat B's has ended.
func everywhere(t *testing.T) world {
	w := newWorld(t)
	w.put(w.places.Live(chatA), "k7f2m", chatA, loop.Running)
	w.put(w.places.Record("k7f2m"), "k7f2m", chatA, loop.Running) // its copy
	w.put(w.places.Record("w1111"), "w1111", chatA, loop.MaxIterations)
	w.put(w.places.Record("w2222"), "w2222", chatA, loop.Cancelled)
	w.put(filepath.Join(w.places.Pending(), chatA+".json"), "p0000", "", Pending)
	w.put(filepath.Join(w.places.Pending(), "1790000000000-7.json"), "p1111", "", Pending)
	w.put(w.places.Record("q0000"), "q0000", chatB, loop.Blocked)
	w.put(w.places.Record("t0000"), "t0000", gone, loop.Running)
	w.must(os.MkdirAll(filepath.Dir(w.places.Chat(gone)), 0o700))
	for chat, id := range map[string]string{chatA: "k7f2m", gone: "t0000"} {
		w.must(os.WriteFile(w.places.Chat(chat), []byte(id+"\n"), 0o600))
	}
	w.put(w.places.Live("run-1"), "r0000", "run-1", loop.Running)
	w.put(w.places.Live("zzzzz"), "h0000", "zzzzz", loop.Running) // a conversation id of a short id's form
	return w
}

func TestResolve(t *testing.T) {
	w := everywhere(t)
	for _, c := range []struct{ typed, own, where string }{
		{"k7f2m", "k7f2m", "live"},
		{"k7", "k7f2m", "live"},
		{chatA, "k7f2m", "live"},
		{"3f2a", "k7f2m", "live"},
		{"w1111", "w1111", "older"},
		{"w2", "w2222", "older"},
		{"p0000", "p0000", "pending"},
		{"p1111", "p1111", "pending"},
		{"1790000000000-7", "p1111", "pending"},
		{"1790", "p1111", "pending"},
		{"q0000", "q0000", "record"},
		{chatB, "q0000", "record"},
		{"3f2", "k7f2m", "live"}, // current loops go before those of the archive
		{gone, "t0000", "interrupted"},
		{"t0", "t0000", "interrupted"},
		{"run-1", "r0000", "live"},
		{"run", "r0000", "live"},
		{"zzzzz", "h0000", "live"},
	} {
		l, err := w.Resolve(c.typed)
		where := "live"
		switch {
		case l.Pending:
			where = "pending"
		case l.Older:
			where = "older"
		case l.IsInterrupted():
			where = "interrupted"
		case l.Record:
			where = "record"
		}
		if err != nil || l.State.ShortID() != c.own || where != c.where {
			t.Errorf("%s: got %s (%s), %v, want %s (%s)", c.typed, l.State.ShortID(), where, err, c.own, c.where)
		}
	}
	for _, unknown := range []string{"nobody", "g9999", "3f2c", "w", "p"} {
		var several *AmbiguousError
		_, err := w.Resolve(unknown)
		switch errors.As(err, &several) {
		case true:
			if len(unknown) > 1 || len(several.Fit) != 2 {
				t.Errorf("%s: got %v", unknown, several)
			}
		default:
			if !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: got %v", unknown, err)
			}
		}
	}
}
