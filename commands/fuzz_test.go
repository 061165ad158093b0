package commands

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/cursor-ralph/cursor-ralph/internal/shellwords"
	"github.com/cursor-ralph/cursor-ralph/test/simcursor"
)

// FuzzInspect asserts that what is said of a hooks.json can be shown, that a file which we find nothing wrong with is one that
// the simulated Cursor loads, and one in which we find what makes it drop a file is not.
func FuzzInspect(f *testing.F) {
	for _, file := range odd() {
		f.Add([]byte(file))
	}
	for _, file := range []string{
		`{"version":1,"hooks":{"stop":[{"command":"/x/cursor-ralph-hook","timeout":660,"loop_limit":null}]}}`, `{"version":1,"hooks":{"stop":[{"command":"cursor-ralph-hook","timeout":1e300}]}}`,
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
	return err != nil || refuse(dropped(d)) != nil
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
	f.Add([]byte("# a\n"), []byte("x"))
	f.Add([]byte("<!-- cursor-ralph: installed file, (00) -->"), []byte("\n"))
	f.Add([]byte("\r\n\n"), []byte(" "))
	f.Fuzz(func(t *testing.T, body []byte, more []byte) {
		if bytes.Contains(body, []byte("<!-- cursor-ralph:")) || bytes.HasSuffix(bytes.TrimRight(body, "\n"), []byte("\r")) {
			return
		}
		file := stamp(body)
		if from := originOf(file); from != pristine {
			t.Errorf("got %v of %q, want ours", from, file)
		}
		if from := originOf(bytes.ReplaceAll(bytes.ReplaceAll(file, []byte("\r\n"), []byte("\n")), []byte("\n"), []byte("\r\n"))); from != pristine {
			t.Errorf("got %v of %q with other line ends", from, file)
		}
		if from := originOf(slices.Concat(file, more)); len(bytes.TrimSpace(more)) > 0 && from != edited {
			t.Errorf("got %v of %q with %q behind it", from, file, more)
		}
		_ = originOf(more)
	})
}
