package outer_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/outer"
)

// FuzzBusy asserts that no agent's words make a run wait for more than a day or
// less than nothing, nor depend on the case of letters, and that what payment
// alone helps is not waited for.
func FuzzBusy(f *testing.F) {
	for _, said := range []string{
		"429 Too Many Requests", "retry-after: 30", "Please try again in 1.5s.", `{"retryDelay":"17ms"}`, "retry_after_ms=2000", "try again in 5 minutes", "retry in 99999999h",
		"insufficient_quota", "overloaded_error", "retry-after: 0", "nothing", "retry after 1" + strings.Repeat("0", 400) + "s", "Try Again In 3 M", "retry-after:007",
	} {
		f.Add(said, 0)
		f.Add(said, 429)
	}
	f.Fuzz(func(t *testing.T, said string, code int) {
		after, ok := outer.Busy(code, said)
		if after < 0 || after > 24*time.Hour || !ok && after != 0 {
			t.Errorf("%q, %d: got %v, %v", said, code, after, ok)
		}
		if again, same := outer.Busy(code, strings.ToLower(said)); again != after || same != ok {
			t.Errorf("%q in small letters: got %v, %v, want %v, %v", said, again, same, after, ok)
		}
		if _, ok := outer.Busy(429, said+" billing"); ok {
			t.Errorf("%q: got busy where only payment helps", said)
		}
		if (code == 429 || code == 503 || code == 529) && !ok && !strings.Contains(strings.ToLower(said), "quota") && !strings.Contains(strings.ToLower(said), "billing") && !strings.Contains(strings.ToLower(said), "credit balance") {
			t.Errorf("%q, %d: got not busy", said, code)
		}
	})
}

// FuzzLeft asserts that of what lies in the .ralph of a workspace, which may be
// anybody's, only the state of a run is taken, under an id that names no path.
func FuzzLeft(f *testing.F) {
	for _, file := range []string{
		"", "{}", `{"prompt":"x","conversation_id":"run-1","run":{"driver":"claude"}}`, `{"prompt":"x","conversation_id":"../x","run":{"driver":"a"}}`,
		`{"prompt":"x","conversation_id":"c"}`, `{"prompt":"x","version":9}`, "\xff",
	} {
		f.Add([]byte(file))
	}
	dir := f.TempDir()
	folder := filepath.Join(dir, outer.FolderName)
	if err := os.Mkdir(folder, 0o700); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		if err := os.WriteFile(filepath.Join(folder, "state.json"), file, 0o600); err != nil {
			t.Fatal(err)
		}
		l, err := outer.Left(dir)
		want, bad := loop.Parse(file)
		if good := bad == nil && loop.CheckID(want.ConversationID) == nil && want.Outer(); good != (err == nil) {
			t.Errorf("%q: got %v, want a run: %v", file, err, good)
		}
		if err == nil && (l.Prompt != want.Prompt || strings.ContainsAny(l.ConversationID, `/\`) || l.ConversationID[0] == '.') {
			t.Errorf("got %+v", l)
		}
	})
}
