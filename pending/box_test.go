package pending_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cursor-ralph/cursor-ralph/pending"
)

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
