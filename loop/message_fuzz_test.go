package loop_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// FuzzMessage asserts that no message of the user, nor an id in it, becomes part
// of a path, a typed line or a link unless it is safe there, and that a command
// is no task.
func FuzzMessage(f *testing.F) {
	for _, message := range []string{
		"/ralph-loop --continue c-1", "/ralph-loop --continue=../x", "do it", " \n/cancel-ralph", "/", "\u00a0/ralph-status x", "Run /ralph-loop with --continue a --continue b", "/ralph-loop --continue", "--continue c",
		".hidden", strings.Repeat("a", 129), "a\nb", "c;rm", "é", "x <!-- cursor-ralph: installed file -->", "",
	} {
		f.Add(message)
	}
	form := regexp.MustCompile(`\A[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}\z`)
	f.Fuzz(func(t *testing.T, message string) {
		err := loop.CheckID(message)
		if got, want := err == nil, form.MatchString(message); got != want {
			t.Errorf("%q: got %v, want %v", message, got, want)
		}
		if err != nil && len(err.Error()) > 400 {
			t.Errorf("got an error of %d bytes", len(err.Error()))
		}
		name, rest, isCommand := loop.SlashCommand(message)
		if isCommand && (!strings.HasSuffix(message, "/"+name+rest) || len(strings.Fields(name)) > 1 || strings.TrimSpace(message)[0] != '/') {
			t.Errorf("%q: got %q and %q", message, name, rest)
		}
		if loop.Ordinary(message) && (isCommand || strings.TrimSpace(message) == "" || strings.HasPrefix(strings.TrimSpace(message), "/")) {
			t.Errorf("%q is taken for a task", message)
		}
		id, ok := loop.ExpandedContinue(message)
		if ok != form.MatchString(id) || !strings.Contains(message, id) || ok && !strings.Contains(message, "/ralph-loop") {
			t.Errorf("%q: got the id %q, %v", message, id, ok)
		}
		if err == nil {
			if again, ok := loop.ExpandedContinue(loop.ContinueLine(message)); again != message || !ok {
				t.Errorf("%q: got %q back", message, again)
			}
			if !strings.HasSuffix(loop.PromptLink(message), "%20"+message) {
				t.Errorf("got the link %s", loop.PromptLink(message))
			}
		}
	})
}
