package pending_test

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cursor-ralph/cursor-ralph/pending"
)

// file is a pending file, put there by whatever means.
type file struct {
	name, content string
	age           time.Duration
}

const (
	minute = time.Minute
	day    = 24 * time.Hour
	me     = "11111111-aaaa-4bbb-8ccc-000000000001"
	other  = "22222222-aaaa-4bbb-8ccc-000000000002"
)

func TestClaim(t *testing.T) {
	var (
		named   = pending.Claimant{ID: me, Workspaces: []string{"/w"}}
		stopped = pending.Claimant{ID: me, Workspaces: []string{"/w"}, Stopped: true}
		two     = pending.Claimant{ID: me, Workspaces: []string{"/v", "/w/"}, Stopped: true}
		nowhere = pending.Claimant{ID: me, Stopped: true}
	)
	bound := func(id string) string {
		return with(map[string]any{"workspace": "/w", "conversation_id": id})
	}
	for _, c := range []struct {
		name    string
		files   []file
		who     pending.Claimant
		want    string // the file that is claimed, if any
		warning string // about other files
		err     string // the kind of error where none is claimed: none, half or other
	}{
		{name: "nothing there", who: stopped},

		{name: "named, at any event", who: named, want: me, files: []file{{me, seven("a"), minute}}},
		{name: "named, at a stop", who: stopped, want: me, files: []file{{me, seven("a"), minute}}},
		{name: "named, just written", who: named, want: me, files: []file{{me, seven("a"), 0}}},
		{name: "named, old", who: named, want: me, files: []file{{me, seven("a"), 100 * day}}},
		{name: "named, of another workspace", who: named, want: me, files: []file{{me, in("/v"), 0}}},
		{name: "named wins over one that says otherwise inside", who: named, want: me, files: []file{{me, bound(other), 0}}},
		{name: "named wins over newer ones", who: stopped, want: me,
			files: []file{{me, seven("a"), day}, {"1700000000000-7", in("/w"), 0}}},

		{name: "bound inside", who: stopped, want: "1700000000000-7", files: []file{{"1700000000000-7", bound(me), minute}}},
		{name: "bound inside wins over a newer one of the workspace", who: stopped, want: "1700000000000-7",
			files: []file{{"1700000000000-7", bound(me), minute}, {"1700000000000-8", in("/w"), 0}}},
		{name: "bound inside wins over a newer one of no workspace", who: nowhere, want: "1700000000000-7",
			files: []file{{"1700000000000-7", bound(me), minute}, {"1700000000000-8", seven("a"), 0}}},

		{name: "unbound, not at other events", who: named, files: []file{{"1700000000000-7", in("/w"), 0}}},
		{name: "unbound, at a stop", who: stopped, want: "1700000000000-7", files: []file{{"1700000000000-7", in("/w"), 0}}},
		{name: "as macOS's date names it", who: stopped, want: "1700000000N-7", files: []file{{"1700000000N-7", in("/w"), 0}}},
		{name: "small numbers", who: stopped, want: "1-1", files: []file{{"1-1", in("/w"), 0}}},
		{name: "the newest of the workspace, by time", who: stopped, want: "1700000000003-7",
			files: []file{{"1700000000001-7", in("/w"), 3 * minute}, {"1700000000003-7", in("/w"), minute}, {"1700000000009-7", in("/w"), 2 * minute}}},
		{name: "the workspace before a newer one of none", who: stopped, want: "1700000000001-7",
			files: []file{{"1700000000001-7", in("/w"), 3 * minute}, {"1700000000002-7", seven("a"), 0}}},
		{name: "the newest of no workspace, by time", who: stopped, want: "1700000000001-7",
			files: []file{{"1700000000001-7", seven("a"), minute}, {"1700000000002-7", seven("a"), 2 * minute}}},
		{name: "another root of the workspace", who: two, want: "1700000000001-7", files: []file{{"1700000000001-7", in("/w"), 0}}},
		{name: "the folder it was asked for in", who: stopped, want: "1700000000001-7",
			files: []file{{"1700000000001-7", with(map[string]any{"workspace": "/repository", "cwd": "/w"}), 0}}},

		{name: "another workspace's", who: stopped, files: []file{{"1700000000001-7", in("/v"), 0}}},
		{name: "of a folder inside the workspace", who: stopped, files: []file{{"1700000000001-7", in("/w/sub"), 0}}},
		{name: "one with a workspace, in a chat without one", who: nowhere, files: []file{{"1700000000001-7", in("/w"), 0}}},
		{name: "named for another conversation", who: stopped, files: []file{{other, in("/w"), minute}}},
		{name: "bound for another conversation", who: stopped, files: []file{{"1700000000001-7", bound(other), minute}}},
		{name: "names that are nearly unbound", who: stopped, files: []file{
			{"1700000000001", in("/w"), 0}, {"1700000000001-", in("/w"), 0}, {"-7", in("/w"), 0}, {"-", in("/w"), 0},
			{"1700000000001-7-8", in("/w"), 0}, {"17000x-7", in("/w"), 0}, {"1700-7N", in("/w"), 0}, {"1700NN-7", in("/w"), 0},
			{"N-7", in("/w"), 0}, {"1700-7a", in("/w"), 0}, {"+1700-7", in("/w"), 0}, {"1700 -7", in("/w"), 0}, {"١٧٠٠-7", in("/w"), 0}}},

		{name: "nearly stale", who: stopped, want: "1700000000000-7", files: []file{{"1700000000000-7", in("/w"), day}}},
		{name: "stale", who: stopped, files: []file{{"1700000000000-7", in("/w"), day + time.Second}, {"1700000000000-8", seven("a"), 30 * day}}},

		{name: "half-written", who: stopped, err: "half", files: []file{{"1700000000000-7", `{"prompt": "a`, 1900 * time.Millisecond}}},
		{name: "empty yet", who: stopped, err: "half", files: []file{{"1700000000000-7", "", 0}}},
		{name: "half-written and named", who: named, err: "half", files: []file{{me, `{"pro`, 0}}},
		{name: "half-written beside another", who: stopped, want: "1700000000000-8",
			files: []file{{"1700000000000-7", `{"prompt": "a`, 0}, {"1700000000000-8", seven("b"), minute}}},

		{name: "ended", who: stopped, files: []file{{"1700000000000-7", with(map[string]any{"status": "CANCELLED"}), 0}}},
		{name: "ended and named", who: stopped, files: []file{{me, with(map[string]any{"status": "CANCELLED"}), 0}}},
		{name: "ended and named, beside another", who: stopped, want: "1700000000000-8",
			files: []file{{me, with(map[string]any{"status": "CANCELLED"}), 0}, {"1700000000000-8", seven("b"), 0}}},

		{name: "of a newer version", who: stopped, warning: "newer", files: []file{{"1700000000000-7", with(map[string]any{"version": 2}), minute}}},
		{name: "of a newer version with other types", who: stopped, warning: "newer",
			files: []file{{"1700000000000-7", `{"version": 9, "prompt": ["a", "b"]}`, day / 2}}},
		{name: "of a newer version and named", who: named, warning: "newer", files: []file{{me, with(map[string]any{"version": 2}), minute}}},
		{name: "of a newer version beside another", who: stopped, want: "1700000000000-8", warning: "newer",
			files: []file{{"1700000000000-7", with(map[string]any{"version": 2}), 0}, {"1700000000000-8", seven("b"), minute}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			for _, f := range c.files {
				w.file(f.name, f.content, f.age)
			}
			before := w.files()
			waiting := w.box.Waiting(c.who)
			warning, err := w.claim(c.who)
			if c.want != "" && !waiting {
				t.Error("nothing was waiting, but something was claimed")
			}
			if (warning != nil) != (c.warning != "") || warning != nil && !strings.Contains(warning.Error(), c.warning) {
				t.Errorf("got the warning %v, want %q", warning, c.warning)
			}
			if got := claimedFrom(before, w.files()); got != c.want {
				t.Errorf("got %q claimed, want %q (%v)", got, c.want, err)
			}
			switch {
			case c.want != "":
				if err != nil {
					t.Errorf("got %v", err)
				}
			case c.err == "half":
				if !errors.Is(err, pending.ErrHalfWritten) {
					t.Errorf("got %v, want that it is worth another try", err)
				}
			case c.err != "":
				contains(t, err, c.err)
			case !errors.Is(err, fs.ErrNotExist):
				t.Errorf("got %v, want fs.ErrNotExist", err)
			}
		})
	}
}

// claimedFrom returns which file became the live one, if that is all that
// happened; else what did.
func claimedFrom(before, after map[string]string) string {
	const live = "cursor-ralph-loop-" + me + ".json"
	for name, content := range before {
		rest := maps.Clone(before)
		delete(rest, name)
		rest[live] = content
		if maps.Equal(rest, after) {
			return strings.TrimSuffix(filepath.Base(name), ".json")
		}
	}
	if maps.Equal(before, after) {
		return ""
	}
	return "something else: " + cmp.Diff(before, after)
}

func TestBrokenFileIsMovedAsideAfterItsWriterHadTime(t *testing.T) {
	for _, c := range []struct{ what, name, content string }{
		{"unbound", "1700000000000-7", `{"prompt": "a`},
		{"named", me, `{"prompt": "a`},
		{"empty", "1700000000000-7", ""},
		{"no task in it", "1700000000000-7", `{"prompt": "  "}`},
		{"not an object", "1700000000000-7", `["a"]`},
		{"of the wrong type", "1700000000000-7", `{"prompt": 7}`},
		{"two objects", "1700000000000-7", `{"prompt": "a"}{"prompt": "b"}`},
		{"no text", "1700000000000-7", "\xff\xfe\x00\x01"},
	} {
		t.Run(c.what, func(t *testing.T) {
			w := newWorld(t)
			w.file(c.name, c.content, 2*time.Second)
			w.file("1-1", in("/elsewhere"), 0)
			warning, err := w.claim(pending.Claimant{ID: me, Stopped: true})
			contains(t, errors.Join(warning, err), "moved to "+w.path(c.name)+".corrupt-")
			if errors.Is(err, pending.ErrHalfWritten) {
				t.Error("got that it is worth another try")
			}
			if w.exists(w.path(c.name)) {
				t.Error("it is still there")
			}
			aside, err := filepath.Glob(w.path(c.name) + ".corrupt-*")
			w.must(err)
			if len(aside) != 1 {
				t.Fatalf("got %q, want one file", aside)
			}
			if got, err := os.ReadFile(aside[0]); string(got) != c.content || err != nil {
				t.Errorf("got %q, %v, want the content unchanged", got, err)
			}
			if _, err := w.claim(pending.Claimant{ID: me, Stopped: true}); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the next claim: got %v, want fs.ErrNotExist", err)
			}
		})
	}
}

// TestFileThatCannotBeReadIsNotWaitedFor: the hook would wait for it at every
// stop of every chat.
func TestFileThatCannotBeReadIsNotWaitedFor(t *testing.T) {
	for _, c := range []struct {
		what string
		put  func(w world, path string)
	}{
		{"too large", func(w world, path string) {
			w.must(os.WriteFile(path, nil, 0o600))
			w.must(os.Truncate(path, 257<<20))
		}},
		{"broken, from the future", func(w world, path string) {
			w.must(os.WriteFile(path, []byte("{"), 0o600))
			w.must(os.Chtimes(path, w.now.Add(day), w.now.Add(day)))
		}},
		{"a folder", func(w world, path string) { w.must(os.Mkdir(path, 0o700)) }},
	} {
		for _, name := range []string{me, "1700000000000-7"} {
			t.Run(c.what+", "+name, func(t *testing.T) {
				w := newWorld(t)
				c.put(w, w.path(name))
				warning, err := w.claim(pending.Claimant{ID: me, Stopped: true})
				if errors.Is(err, pending.ErrHalfWritten) || warning == nil && errors.Is(err, fs.ErrNotExist) {
					t.Errorf("got %v and the warning %v, want a warning and no wait", err, warning)
				}
				if c.what != "broken, from the future" && !w.exists(w.path(name)) {
					t.Error("it is gone")
				}
			})
		}
	}
}

func TestClaimOfAHostileIDTouchesNothing(t *testing.T) {
	w := newWorld(t)
	w.file("1700000000000-7", seven("a"), minute)
	w.must(os.WriteFile(filepath.Join(w.places.Base, "x.json"), []byte(seven("b")), 0o600))
	before := w.files()
	for _, id := range []string{"", ".", "..", "../x", ".lock", "a/b", "/etc/passwd", "a\nb", "a\x00b", `a"b`, strings.Repeat("a", 129), "a b", "ä"} {
		_, err := w.box.Take(w.context(), pending.Claimant{ID: id, Stopped: true}, filepath.Join(w.places.Base, "live.json"))
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: got %v, want a refusal", id, err)
		}
	}
	if diff := cmp.Diff(before, w.files()); diff != "" {
		t.Errorf("got other files (-before +after):\n%s", diff)
	}
}

// TestEachFileIsClaimedOnce lets many conversations race for few files.
func TestEachFileIsClaimedOnce(t *testing.T) {
	w := newWorld(t)
	const files, claimants = 40, 100
	for i := range files {
		w.file(fmt.Sprintf("17000000000%02d-7", i), seven(fmt.Sprint("task ", i)), time.Duration(i)*time.Second)
	}
	var group sync.WaitGroup
	got := make([]bool, claimants)
	for i := range claimants {
		group.Go(func() {
			id := fmt.Sprintf("chat-%d", i)
			_, err := w.box.Take(w.context(), pending.Claimant{ID: id, Stopped: true}, w.live(id))
			got[i] = err == nil
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Error(err)
			}
		})
	}
	group.Wait()
	var tasks []string
	for i := range claimants {
		data, err := os.ReadFile(w.live(fmt.Sprintf("chat-%d", i)))
		if (err == nil) != got[i] {
			t.Errorf("claimant %d: told %v, but the live file: %v", i, got[i], err)
		}
		if err == nil {
			tasks = append(tasks, string(data))
		}
	}
	slices.Sort(tasks)
	if n := len(slices.Compact(tasks)); len(tasks) != files || n != files {
		t.Errorf("got %d claims of %d tasks, want each of %d once", len(tasks), n, files)
	}
	if left := w.files(); len(left) != files {
		t.Errorf("got %d files, want only the %d live ones", len(left), files)
	}
}

// TestWaitingInALargeFolder is about the mark that spares listing it.
func TestWaitingInALargeFolder(t *testing.T) {
	w := newWorld(t)
	for i := range 300 {
		w.file(fmt.Sprint("chat-", i), seven("a"), 0)
	}
	who := pending.Claimant{ID: me, Stopped: true}
	changed := w.now.Add(-time.Hour)
	settle := func() {
		changed = changed.Add(time.Minute)
		w.must(os.Chtimes(w.places.Pending(), changed, changed))
	}
	for range 3 {
		settle()
		for range 3 {
			if w.box.Waiting(who) {
				t.Fatal("got that something waits, want nothing")
			}
		}
		w.file("1700000000000-7", seven("a"), 0)
		if !w.box.Waiting(who) {
			t.Fatal("got nothing, want the file that came in")
		}
		settle()
		if !w.box.Waiting(who) {
			t.Fatal("got nothing, want the file that is still there")
		}
		w.must(os.Remove(w.path("1700000000000-7")))
	}
	settle()
	if w.box.Waiting(who) {
		t.Fatal("got that something waits, want nothing")
	}
	w.file(me, seven("a"), 0)
	settle()
	if !w.box.Waiting(who) {
		t.Error("got nothing, want the file of that name")
	}
}
