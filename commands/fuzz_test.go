package commands

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/cursor-ralph/cursor-ralph/internal/shellwords"
	"github.com/cursor-ralph/cursor-ralph/internal/simcursor"
)

// FuzzInspect asserts that what is said of a hooks.json can be shown, that a file which we find nothing wrong with is one that
// the simulated Cursor loads, and one in which we find what makes it drop a file is not.
func FuzzInspect(f *testing.F) {
	for _, file := range odd() {
		f.Add([]byte(file))
	}
	for _, file := range []string{
		`{"version":1,"hooks":{"stop":[{"command":"/x/cursor-ralph-hook --timeout 660","timeout":660,"loop_limit":null}]}}`, `{"version":1,"hooks":{"stop":[{"command":"cursor-ralph-hook","timeout":1e300}]}}`,
		`{"version":1,"hooks":{"stop":[{"command":"curl http://x"}]}}`, `{"version":0,"hooks":{}}`, `{"version":1,"hooks":{"x\u001b[2J":[]}}`, `{"version":1e0,"hooks":{"stop":[{"command":"a","loop_limit":0}]},}`,
		"{\"version\":1,\"hooks\":{\"stop\":[{\"command\":\"a\",\"loop_limit\":\"\x7f\u009b2J\"}]}}", "\xef\xbb\xbf{}", "{\"version\":1,\"hooks\":{}} // a /* b", `{"version":1,"version":1,"hooks":{"stop":[1,{"command":7,"matcher":"("}]}}`, `{"hooks":{"stop":[{"command":"cursor-ralph-hook","timeout":-5}]}}`,
	} {
		f.Add([]byte(file))
	}
	dir := f.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "home"), 0o700); err != nil {
		f.Fatal(err)
	}
	cursor, err := simcursor.New(simcursor.Config{Home: filepath.Join(dir, "home"), Workspace: dir})
	if err != nil {
		f.Fatal(err)
	}
	path := filepath.Join(dir, ".cursor", "hooks.json")
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		found := Inspect(file, "linux", func(string) (fs.FileInfo, error) { return nil, fs.ErrNotExist })
		for _, x := range found {
			if strings.ContainsFunc(x.Text()+x.Remedy, unicode.IsControl) || x.Problem == "" || x.Remedy == "" || !utf8.ValidString(x.Text()) || len(x.Problem) > 2*len(file)+1000 {
				t.Errorf("got %q, %q", x.Problem, x.Remedy)
			}
		}
		if wait := Installed(file).Timeout; wait < 0 {
			t.Errorf("got the timeout %v of %q", wait, file)
		}
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		loaded := cursor.Files()[0]
		if loaded.Loaded && utf8.Valid(file) && isDropped(file) {
			t.Errorf("Cursor loads %q, got %v", file, found)
		}
		if len(found) == 0 && !loaded.Loaded && !ofOneEntry(loaded.Reason) {
			t.Errorf("Cursor drops %q (%s), got nothing", file, loaded.Reason)
		}
	})
}

// isDropped reports whether we think that Cursor drops a file.
func isDropped(file []byte) bool {
	d, err := parse(file)
	return err != nil || len(findings(d, (*report).missing))+len(drops(d, false)) > 0
}

// ofOneEntry reports whether a file is dropped for a field of somebody else's entry, which we do not check: what Cursor requires
// there is not known for sure.
func ofOneEntry(reason string) bool {
	return slices.ContainsFunc([]string{"type", "timeout", "matcher", "failClosed", "command", "regexp"}, func(word string) bool { return strings.Contains(reason, word) })
}

// FuzzQuote asserts that a word which is quoted for a shell is read back as it was, and that nothing in it ends the word.
func FuzzQuote(f *testing.F) {
	for _, path := range hostilePaths() {
		f.Add(path, "--x")
	}
	f.Fuzz(func(t *testing.T, program, argument string) {
		if !utf8.ValidString(program) || !utf8.ValidString(argument) {
			return // hooks.json cannot hold it
		}
		for _, goos := range []string{"linux", "windows"} {
			command := Invocation(program, goos) + " " + Quote(argument, goos)
			got, ok := shellwords.Of(goos).One(command)
			if want := []string{program, argument}; !ok || !cmp.Equal(got, want) {
				t.Errorf("%s: got %q, %v from %q, want %q", goos, got, ok, command, want)
			}
		}
	})
}

// FuzzStamp asserts that a slash command which was installed is known again until somebody writes into it, whatever its text and
// its line ends are.
func FuzzStamp(f *testing.F) {
	f.Add([]byte("# a\n"), 2, []byte("x"))
	f.Add([]byte("<!-- cursor-ralph: installed file, (00, folders made: 1) -->"), 0, []byte("\n"))
	f.Add([]byte("\r\n\n"), 9, []byte(" "))
	f.Fuzz(func(t *testing.T, body []byte, made int, more []byte) {
		if made < 0 || made > 9 || bytes.Contains(body, []byte("<!-- cursor-ralph:")) || bytes.HasSuffix(bytes.TrimRight(body, "\n"), []byte("\r")) {
			return
		}
		file := stamp(body, made)
		if from, n := originOf(file); from != pristine || n != made {
			t.Errorf("got %v, %d of %q, want ours, %d", from, n, file, made)
		}
		if from, n := originOf(bytes.ReplaceAll(bytes.ReplaceAll(file, []byte("\r\n"), []byte("\n")), []byte("\n"), []byte("\r\n"))); from != pristine || n != made {
			t.Errorf("got %v, %d of %q with other line ends", from, n, file)
		}
		if len(bytes.TrimSpace(more)) > 0 {
			if from, _ := originOf(slices.Concat(file, more)); from != edited {
				t.Errorf("got %v of %q with %q behind it", from, file, more)
			}
		}
		if again := restamp(file, 3); !bytes.Equal(again, stamp(body, 3)) {
			t.Errorf("got %q, want %q", again, stamp(body, 3))
		}
		_, _ = originOf(more)
	})
}

// TestTheTimeoutOfAnEntryIsNoMoreThanATimeHolds: JSON knows larger numbers.
func TestTheTimeoutOfAnEntryIsNoMoreThanATimeHolds(t *testing.T) {
	for number, want := range map[string]time.Duration{"1e300": mostTimeout, "-1e300": 0, "-5": 0, "1.5": 1500 * time.Millisecond} {
		file := `{"version":1,"hooks":{"stop":[{"command":"cursor-ralph-hook","timeout":` + number + `}]}}`
		if got := Installed([]byte(file)).Timeout; got != want {
			t.Errorf("%s: got %v, want %v", number, got, want)
		}
	}
}
