package pending_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/pending"
	"github.com/cursor-ralph/cursor-ralph/state"
	"github.com/cursor-ralph/cursor-ralph/test/loopfiles"
)

// FuzzToken asserts that only the names of unbound files are tokens, and that a
// token is found again in the output that it was printed into.
func FuzzToken(f *testing.F) {
	for _, token := range []string{"1-2:abc", "1700000000000-7:", "1N-2:x", "1NN-1:x", "NN-1:x", "1-2", ":", "-:", "٣-1:x", "1-2-3:x", ".lock:x"} {
		f.Add(token, "The task is", "\r\n")
	}
	form := regexp.MustCompile(`^[0-9]+N?-[0-9]+:`)
	printable := regexp.MustCompile(`^[A-Za-z0-9._:-]*$`)
	f.Fuzz(func(t *testing.T, token, before, after string) {
		if got, want := pending.IsToken(token), form.MatchString(token); got != want {
			t.Errorf("%q: got %v, want %v", token, got, want)
		}
		early := strings.Index(before+pending.TokenLine, pending.TokenLine) < len(before)
		if early || !printable.MatchString(token) || after != "" && printable.MatchString(after[:1]) {
			return
		}
		if got := pending.FindToken(before + pending.TokenLine + token + after); got != token {
			t.Errorf("got %q out of %q and %q, want %q", got, before, after, token)
		}
	})
}

// FuzzPendingFile asserts that a file which anybody has put into the folder is
// claimed, left or moved aside, and in each case there once, byte for byte.
func FuzzPendingFile(f *testing.F) {
	for _, file := range []string{
		"", "{", seven("do it"), `{"prompt":"x","workspace":"/w"}`, `{"prompt":"x","workspace":"/other"}`, `{"prompt":"x","status":"CANCELLED"}`, `{"prompt":"x","version":99}`,
		`{"prompt":"x","token":"1-2:s"}`, `{"prompt":"x","conversation_id":"` + me + `"}`, `{"prompt":"x","conversation_id":"` + other + `"}`, "\xef\xbb\xbf" + seven("x"), "[]", "null", `{"prompt":" "}`,
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
