package pending_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/pending"
	"github.com/cursor-ralph/cursor-ralph/state"
	"github.com/cursor-ralph/cursor-ralph/test/loopfiles"
)

// FuzzPendingFile asserts that a file which anybody has put into the folder is
// claimed, left or moved aside, and in each case there once, byte for byte.
func FuzzPendingFile(f *testing.F) {
	for _, file := range []string{
		"", "{", seven("do it"), `{"prompt":"x","workspace":"/w"}`, `{"prompt":"x","workspace":"/other"}`, `{"prompt":"x","status":"CANCELLED"}`, `{"prompt":"x","version":99}`,
		`{"prompt":"x","conversation_id":"` + me + `"}`, `{"prompt":"x","conversation_id":"` + other + `"}`, "\xef\xbb\xbf" + seven("x"), "[]", "null", `{"prompt":" "}`,
	} {
		for which := range uint8(4) {
			f.Add([]byte(file), which, which%2 == 0, int64(which)*30)
		}
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, file []byte, which uint8, stopped bool, seconds int64) {
		w := sameWorld(t, dir)
		name := []string{me, other, "1700000000000-7"}[which%3]
		w.file(name, string(file), time.Duration(seconds%200_000)*time.Second)
		_, err := w.claim(pending.Claimant{ID: me, Workspaces: []string{"/w"}, Stopped: stopped})
		claimed := w.exists(w.live(me))
		if claimed != (err == nil) || err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, pending.ErrHalfWritten) {
			t.Errorf("got %v, claimed: %v", err, claimed)
		}
		if claimed && (name == other || !stopped && name != me) {
			t.Errorf("claimed %s, stopped: %v", name, stopped)
		}
		if l, _ := loop.Parse(file); claimed && name != me && l.ConversationID != "" && l.ConversationID != me {
			t.Errorf("claimed the loop of %s", l.ConversationID)
		}
		if l, bad := loop.Parse(file); claimed && (bad != nil || l.Status.Ended()) {
			t.Errorf("claimed what is not a loop: %q", file)
		}
		found := w.files()
		delete(found, "cursor-ralph-pending/.lock")
		if len(found) != 1 {
			t.Errorf("got the files %q, want one", found)
		}
		for path, content := range found {
			if !bytes.Equal([]byte(content), file) {
				t.Errorf("%s: got %q, want %q", path, content, file)
			}
		}
	})
}

// sameWorld is a world in a folder that was used before, cleared.
func sameWorld(t *testing.T, dir string) world {
	t.Helper()
	w := world{T: t, now: time.Now().Round(time.Millisecond)}
	places := loopfiles.Places(t, dir, filepath.Join(dir, "archive"))
	w.places, w.box = places, pending.New(places, state.New(places, time.Now), func() time.Time { return w.now })
	w.must(os.RemoveAll(dir))
	w.must(os.MkdirAll(places.Scratch(), 0o700))
	return w
}
