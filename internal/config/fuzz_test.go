package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/cursor-ralph/cursor-ralph/internal/cmdline"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// FuzzFile asserts that whatever a user's file of settings holds, each value that is taken from it is one which its setting
// allows, that a loop made with them is within bounds, and that a refusal has a place and can be shown.
func FuzzFile(f *testing.F) {
	for _, file := range []string{
		"", "[loop]\nmax-iterations = 30\nverify = \"make test\"\nplan = true\n", "[typing]\nsubmit-key = \"return\"\n", "loop = {min-iterations = 2, max-iterations=9}\n",
		"loop.max-iterations = 5\n[run]\nagent = 'claude'", "[loop]\nmax-iterations = \"30\"", "[loop]\nmax-iterations = 30\nmax-iterations = 40", "[[loop]]\n", "[loop.x]\n", "[loop]\ncompletion-promise = \"A\\u0007\"",
		"notify = ['desktop', 'ntfy://ntfy.sh/x']\nnotify-details = true", "notify = 'desktop'\n[notify]\n", "[notify]\nchannels = ['a\\nb', ' ']\ndetails = 1", "notify = [[]]",
		"[hook]\nsession-limit = 3 # no\nstall-after = '5m'\n", "a", "[loop", "\xef\xbb\xbf[loop]\n\"max-duration\" = \"2h\"", "[run]\npermissions = \"all\"\n[typing]\nsubmit-key=\"return\"\n", "loop = 3", "[loop]\nmax-iterations = 1979-05-27",
	} {
		f.Add([]byte(file))
	}
	path := filepath.Join(f.TempDir(), "config.toml")
	f.Fuzz(func(t *testing.T, file []byte) {
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := Load(Source{Path: path})
		if err != nil {
			checkRefusal(t, err)
		}
		for i, s := range Settings() {
			v := c.Values[i]
			switch {
			case v.Key() != s.Key(), err != nil && v.From != BuiltIn, v.From == BuiltIn && v.Text != s.Default:
				t.Errorf("got %+v for %s", v, s.Key())
			case v.From != BuiltIn && s.check != nil && s.check(v.Text) != nil:
				t.Errorf("got %q for %s, which is refused", v.Text, s.Key())
			}
		}
		r, err := cmdline.Parse("build it", c.Loop)
		if l := r.State; err == nil && (l.MaxIterations < 1 || l.MaxIterations > loop.MaxMaxIterations || strings.ContainsFunc(l.CompletionPromise, unicode.IsControl)) {
			t.Errorf("got %+v", l)
		}
	})
}

func checkRefusal(t *testing.T, err error) {
	t.Helper()
	if place, what, ok := strings.Cut(err.Error(), ": "); !ok || place == "" || what == "" || hint.Code(err) != 2 {
		t.Errorf("got %v, which has no place", err)
	}
	if len(err.Error()) > 2*sizeLimit {
		t.Errorf("got an error of %d bytes", len(err.Error()))
	}
}
