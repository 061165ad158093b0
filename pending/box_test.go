package pending_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/pending"
)

func TestPut(t *testing.T) {
	w := newWorld(t)
	w.must(os.RemoveAll(w.places.Pending()))
	l := task("do it")
	l.ConversationID, l.Workspace = me, "/w"
	path, token := w.put(l, "secret")
	if path != w.path(me) || token != "" {
		t.Errorf("got %s and the token %q, want %s and none: the name says whose it is", path, token, w.path(me))
	}
	i := w.item(me)
	if i.Err != nil || i.State.ConversationID == "" || i.State.Prompt != "do it" || i.State.Workspace != "/w" || !i.State.CreatedAt.Equal(w.now) {
		t.Errorf("got %+v", i)
	}
	_, _, err := w.box.Put(w.context(), l, "")
	if !errors.Is(err, fs.ErrExist) {
		t.Errorf("once more: got %v, want fs.ErrExist", err)
	}
	contains(t, err, w.path(me))
}

func TestPutWithoutAConversation(t *testing.T) {
	w := newWorld(t)
	path, token := w.put(task("a"), "secret")
	name := strings.TrimSuffix(filepath.Base(path), ".json")
	if want := fmt.Sprintf("%d-%d", w.now.UnixMilli(), os.Getpid()); name != want {
		t.Errorf("got the name %s, want %s", name, want)
	}
	if want := name + ":secret"; token != want || !pending.IsToken(token) {
		t.Errorf("got the token %s, want %s", token, want)
	}
	if i := w.item(name); i.State.Token != token || i.State.ConversationID != "" {
		t.Errorf("got %+v, want an unbound file with the token", i)
	}
	path, token = w.put(task("b"), "")
	if token != "" {
		t.Errorf("got the token %q, want none: there is no secret", token)
	}
	name = strings.TrimSuffix(filepath.Base(path), ".json")
	if i := w.item(name); i.State.Token != "" {
		t.Errorf("got the token %q in the file, want none", i.State.Token)
	}
}

func TestPutsInOneMillisecondGetNamesOfTheirOwn(t *testing.T) {
	w := newWorld(t)
	const n = 50
	var group sync.WaitGroup
	paths := make([]string, n)
	for i := range n {
		group.Go(func() { paths[i], _ = w.put(task(fmt.Sprint("task ", i)), "s") })
	}
	group.Wait()
	slices.Sort(paths)
	if got := len(slices.Compact(paths)); got != n {
		t.Errorf("got %d names, want %d", got, n)
	}
	items, err := w.box.List()
	w.must(err)
	tasks := map[string]bool{}
	for _, i := range items {
		tasks[i.State.Prompt] = true
	}
	if len(items) != n || len(tasks) != n {
		t.Errorf("got %d files with %d tasks, want %d", len(items), len(tasks), n)
	}
}

func TestPutOfAHostileIDTouchesNothing(t *testing.T) {
	w := newWorld(t)
	before := w.files()
	for _, id := range []string{".", "..", "../x", "a/b", "/tmp/x", ".lock", "a\nb", `a"b`, "a\x00", strings.Repeat("a", 200)} {
		l := task("a")
		l.ConversationID = id
		if _, _, err := w.box.Put(w.context(), l, ""); err == nil {
			t.Errorf("%q: got no error", id)
		}
	}
	if diff := cmp.Diff(before, w.files()); diff != "" {
		t.Errorf("got other files (-before +after):\n%s", diff)
	}
}

// TestPutAfterAKilledCancel: an ended file may have been left, and must not
// keep the conversation from its next loop.
func TestPutAfterAKilledCancel(t *testing.T) {
	w := newWorld(t)
	w.file(me, with(map[string]any{"prompt": "old", "status": "CANCELLED"}), minute)
	l := task("new")
	l.ConversationID = me
	w.put(l, "")
	if got := w.item(me); got.State.Prompt != "new" {
		t.Errorf("got the task %q, want the new one", got.State.Prompt)
	}
	aside, err := filepath.Glob(w.path(me) + ".ended-*")
	w.must(err)
	if len(aside) != 1 {
		t.Errorf("got %q, want the old one aside", aside)
	}
}

func TestBind(t *testing.T) {
	w := newWorld(t)
	path, token := w.put(task("a"), "secret")
	for _, wrong := range []string{
		"", ":", "secret", ":secret", strings.TrimSuffix(token, "secret"), token + "x", strings.ToUpper(token), "1-1:secret",
		me + ":secret", "../x:secret", "../../etc/passwd:x", "..:x", ".lock:x", "1/2-3:x", "1-2/../../x:s", "1-\x00:x", " " + token,
		strings.Repeat("1", 1000) + "-1:x",
	} {
		if err := w.box.BindFile(w.context(), wrong, me); err == nil {
			t.Fatalf("%.40q: got no error", wrong)
		}
		if !w.exists(path) {
			t.Fatalf("%q took the file", wrong)
		}
	}
	w.must(w.box.BindFile(w.context(), token, me))
	if w.exists(path) || w.item(me).State.Prompt != "a" {
		t.Errorf("the file %s is still there: %v; want it under the name of the conversation", path, w.exists(path))
	}
	for _, id := range []string{me, other} {
		if err := w.box.BindFile(w.context(), token, id); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a later binding: got %v, want fs.ErrNotExist", err)
		}
	}
}

func TestBindWhereTheConversationHasAFileAlready(t *testing.T) {
	w := newWorld(t)
	w.file(me, seven("first"), 0)
	_, token := w.put(task("second"), "secret")
	before := w.files()
	if err := w.box.BindFile(w.context(), token, me); !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v, want fs.ErrExist", err)
	}
	if diff := cmp.Diff(before, w.files()); diff != "" {
		t.Errorf("got other files (-before +after):\n%s", diff)
	}
}

func TestBindOfAnEndedFile(t *testing.T) {
	w := newWorld(t)
	w.file("1700000000000-7", with(map[string]any{"token": "1700000000000-7:s", "status": "CANCELLED"}), 0)
	if err := w.box.BindFile(w.context(), "1700000000000-7:s", me); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want fs.ErrNotExist: it was cancelled", err)
	}
}

func TestOfManyBindingsTheFirstWins(t *testing.T) {
	w := newWorld(t)
	_, token := w.put(task("a"), "secret")
	const n = 20
	won := make([]bool, n)
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() {
			err := w.box.BindFile(w.context(), token, fmt.Sprint("chat-", i))
			won[i] = err == nil
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Error(err)
			}
		})
	}
	group.Wait()
	for i := range n {
		if exists := w.exists(w.path(fmt.Sprint("chat-", i))); exists != won[i] {
			t.Errorf("chat %d: told %v, but has a file: %v", i, won[i], exists)
		}
	}
	if items, err := w.box.List(); len(items) != 1 || err != nil {
		t.Errorf("got %d files, %v, want one", len(items), err)
	}
}

func TestFindToken(t *testing.T) {
	for _, c := range []struct{ name, output, want string }{
		{"none", "all tests pass", ""},
		{"empty", "", ""},
		{"alone", "cursor-ralph-token: 1-2:abc", "1-2:abc"},
		{"in a text", "Hello\ncursor-ralph-token: 1-2:abc\nThe task is", "1-2:abc"},
		{"in JSON", `{"output":"cursor-ralph-token: 1-2:abc\nThe task is"}`, "1-2:abc"},
		{"in JSON, in JSON", `{"output":"{\"output\":\"cursor-ralph-token: 1-2:abc\\nThe task is\"}"}`, "1-2:abc"},
		{"of a continue", "cursor-ralph-token: " + me + ":abc\r\n", me + ":abc"},
		{"the first counts", "cursor-ralph-token: 1-2:abc cursor-ralph-token: 3-4:def", "1-2:abc"},
		{"nothing after it", "cursor-ralph-token: ", ""},
		{"nothing but a space after it", "cursor-ralph-token:  1-2:abc", ""},
		{"a path", "cursor-ralph-token: ../../etc/passwd:x", ".."},
		{"what a shell would run", "cursor-ralph-token: 1-2:abc$(rm)", "1-2:abc"},
		{"control characters", "cursor-ralph-token: 1-2:abc\x00\x1b[2J", "1-2:abc"},
		{"no text", "\xff\xfecursor-ralph-token: 1-2:abc\xff", "1-2:abc"},
		{"other letters", "cursor-ralph-token: 1-2:äbc", "1-2:"},
	} {
		if got := pending.FindToken(c.output); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func FuzzTokens(f *testing.F) {
	for _, seed := range []string{"cursor-ralph-token: 1-2:abc", "cursor-ralph-token: ../x:1", "1-2:abc", "1N-2:"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, output string) {
		token := pending.FindToken("cursor-ralph-token: " + output)
		stem, _, _ := strings.Cut(token, ":")
		if pending.IsToken(token) && strings.ContainsAny(stem, `./\`) {
			t.Errorf("the token %q names a path", token)
		}
		if strings.ContainsFunc(token, func(c rune) bool { return c <= ' ' || c > '~' || c == '/' || c == '\\' }) {
			t.Errorf("got the token %q", token)
		}
	})
}

func TestList(t *testing.T) {
	w := newWorld(t)
	if items, err := w.box.List(); len(items) != 0 || err != nil {
		t.Errorf("got %v, %v, want none", items, err)
	}
	w.file(me, seven("named"), day)
	w.file("1700000000000-7", in("/w"), 2*day)
	w.file("legacy", seven("legacy"), 0)
	w.file("broken", "{", 3*day)
	w.file("newer", with(map[string]any{"version": 7}), 0)
	w.must(os.WriteFile(filepath.Join(w.places.Pending(), "notes.txt"), nil, 0o600))
	w.must(os.WriteFile(filepath.Join(w.places.Pending(), ".hidden.json"), nil, 0o600))
	before := w.files()
	items, err := w.box.List()
	w.must(err)
	var got []string
	for _, i := range items {
		got = append(got, fmt.Sprintf("%s unbound=%v stale=%v err=%v", i.Name, i.State.ConversationID == "" && i.Err == nil, i.Stale(), i.Err != nil))
	}
	want := []string{
		me + " unbound=false stale=false err=false",
		"1700000000000-7 unbound=true stale=true err=false",
		"broken unbound=false stale=false err=true",
		"newer unbound=false stale=false err=true",
		"0-0 unbound=true stale=false err=false",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, w.files()); diff != "" {
		t.Errorf("listing changed files (-before +after):\n%s", diff)
	}
}

func TestChange(t *testing.T) {
	w := newWorld(t)
	w.file("1700000000000-7", with(map[string]any{"prompt": "a", "from_the_future": 7}), minute)
	i := w.item("1700000000000-7")
	never := func(loop.State) error { t.Error("archived"); return nil }
	err := w.box.Change(w.context(), i, func(l loop.State) loop.State { l.Context = []string{"hint"}; return l }, never)
	w.must(err)
	var got map[string]json.RawMessage
	w.must(json.Unmarshal([]byte(w.files()["cursor-ralph-pending/1700000000000-7.json"]), &got))
	var hints bytes.Buffer
	w.must(json.Compact(&hints, got["context"]))
	if string(got["from_the_future"]) != "7" || hints.String() != `["hint"]` {
		t.Errorf("got %s and %s, want the change, and the field nobody knows", got["context"], got["from_the_future"])
	}
}

func cancel(l loop.State) loop.State {
	l.Status, l.EndedAt = loop.Cancelled, time.Unix(1, 0)
	return l
}

func TestChangeThatEndsALoop(t *testing.T) {
	for _, name := range []string{me, "1700000000000-7", "legacy"} {
		w := newWorld(t)
		w.file(name, seven("a"), minute)
		items, err := w.box.List()
		w.must(err)
		var archived []string
		err = w.box.Change(w.context(), items[0], cancel, func(l loop.State) error {
			archived = append(archived, l.Prompt+" "+string(l.Status))
			return nil
		})
		w.must(err)
		if !slices.Equal(archived, []string{"a CANCELLED"}) || w.exists(w.path(name)) {
			t.Errorf("%s: got %q archived, and the file there: %v", name, archived, w.exists(w.path(name)))
		}
		err = w.box.Change(w.context(), items[0], cancel, func(loop.State) error { t.Error("archived twice"); return nil })
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s, once more: got %v, want fs.ErrNotExist", name, err)
		}
	}
}

func TestChangeOfALoopThatWasClaimed(t *testing.T) {
	w := newWorld(t)
	w.file(me, seven("a"), minute)
	i := w.item(me)
	_, err := w.claim(pending.Claimant{ID: me})
	w.must(err)
	before := w.files()
	err = w.box.Change(w.context(), i, cancel, func(loop.State) error { t.Error("archived"); return nil })
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want fs.ErrNotExist", err)
	}
	if diff := cmp.Diff(before, w.files()); diff != "" {
		t.Errorf("got other files (-before +after):\n%s", diff)
	}
}

// TestChangeWhoseArchiveFails: the loop has ended all the same, so nobody
// claims it, and it can still be archived.
func TestChangeWhoseArchiveFails(t *testing.T) {
	w := newWorld(t)
	w.file("1700000000000-7", seven("a"), minute)
	broken := errors.New("no room")
	err := w.box.Change(w.context(), w.item("1700000000000-7"), cancel, func(loop.State) error { return broken })
	if !errors.Is(err, broken) {
		t.Errorf("got %v, want what went wrong", err)
	}
	if i := w.item("1700000000000-7"); i.State.Status != loop.Cancelled || i.State.Prompt != "a" {
		t.Errorf("got %+v, want the loop, ended", i.State)
	}
	if _, err := w.claim(pending.Claimant{ID: me, Stopped: true}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a claim: got %v, want fs.ErrNotExist", err)
	}
	archived := 0
	w.must(w.box.Change(w.context(), w.item("1700000000000-7"), cancel, func(loop.State) error { archived++; return nil }))
	if archived != 1 || w.exists(w.path("1700000000000-7")) {
		t.Errorf("got it archived %d times, and there: %v", archived, w.exists(w.path("1700000000000-7")))
	}
}

// TestArchivingDoesNotHoldTheFolder: whoever archives takes the loop's lock,
// and whoever claims has that lock already and wants the folder's.
func TestArchivingDoesNotHoldTheFolder(t *testing.T) {
	w := newWorld(t)
	w.file(me, seven("a"), minute)
	w.file("1700000000000-7", seven("b"), minute)
	err := w.box.Change(w.context(), w.item(me), cancel, func(loop.State) error {
		ctx, cancel := context.WithTimeout(w.Context(), 5*time.Second)
		defer cancel()
		_, err := w.box.Take(ctx, pending.Claimant{ID: other, Stopped: true}, w.live(other))
		return err
	})
	if err != nil {
		t.Errorf("got %v, want a claim in the meantime", err)
	}
}

func TestOfTwoCancelsOneArchives(t *testing.T) {
	for range 20 {
		w := newWorld(t)
		w.file(me, seven("a"), minute)
		i := w.item(me)
		var archived [2]int
		var group sync.WaitGroup
		for n := range archived {
			group.Go(func() {
				err := w.box.Change(w.context(), i, cancel, func(loop.State) error { archived[n]++; return nil })
				if err != nil && !errors.Is(err, fs.ErrNotExist) {
					t.Error(err)
				}
			})
		}
		group.Wait()
		if got := archived[0] + archived[1]; got != 1 {
			t.Fatalf("got it archived %d times, want once", got)
		}
	}
}

func TestAFolderThatIsALinkIsNotLookedInto(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs symbolic links, which Windows lets few users make")
	}
	w := newWorld(t)
	w.file(me, seven("a"), 0)
	folder := filepath.Dir(w.path(me))
	w.must(errors.Join(os.Rename(folder, folder+"-mine"), os.Symlink(folder+"-mine", folder)))
	if i := w.box.Item(me); !errors.Is(i.Err, ownfile.ErrNotOurs) || i.State.Prompt != "" {
		t.Errorf("got %q, %v, want a refusal", i.State.Prompt, i.Err)
	}
}
