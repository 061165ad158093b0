package importer

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

func TestAScratchpadIsReadAsThePluginMeansIt(t *testing.T) {
	const front = "---\niteration: 3\nmax_iterations: 20\ncompletion_promise: \"DONE\"\n---\n"
	want := scratchpad{iteration: 3, max: 20, promise: "DONE", task: "do it"}
	with := func(change func(*scratchpad)) scratchpad { s := want; change(&s); return s }
	for _, tt := range []struct {
		name, file string
		want       scratchpad
	}{
		{"as the plugin writes it", front + "\ndo it\n", want},
		{"no empty line before the task", front + "do it", want},
		{"Windows line ends", strings.ReplaceAll(front+"\ndo it\n", "\n", "\r\n"), want},
		{"byte-order mark", "\ufeff" + front + "do it", want},
		{"empty lines before", "\n\n" + front + "do it", want},
		{"spaces after the fences", strings.ReplaceAll(front, "---", "--- \t") + "do it", want},
		{"further fields", strings.Replace(front, "iteration", "session: [1, {a: b}]\niteration", 1) + "do it", want},
		{"comments", strings.Replace(front, "3", "3 # so far", 1) + "do it", want},
		{"fences in the task", front + "\n---\na\n---\n", with(func(s *scratchpad) { s.task = "---\na\n---" })},
		{"an indented task", front + "\n  a\n b\n\n", with(func(s *scratchpad) { s.task = "  a\n b" })},
		{"promise null", strings.Replace(front, `"DONE"`, "null", 1) + "do it", with(func(s *scratchpad) { s.promise = "" })},
		{"promise null in quotes", strings.Replace(front, "DONE", "null", 1) + "do it", with(func(s *scratchpad) { s.promise = "" })},
		{"promise tilde", strings.Replace(front, `"DONE"`, "~", 1) + "do it", with(func(s *scratchpad) { s.promise = "" })},
		{"promise empty", strings.Replace(front, `"DONE"`, "", 1) + "do it", with(func(s *scratchpad) { s.promise = "" })},
		{"promise missing", strings.Replace(front, "completion_promise", "other", 1) + "do it", with(func(s *scratchpad) { s.promise = "" })},
		{"promise without quotes", strings.Replace(front, `"DONE"`, "ALL DONE", 1) + "do it", with(func(s *scratchpad) { s.promise = "ALL DONE" })},
		{"promise a number", strings.Replace(front, `"DONE"`, "42", 1) + "do it", with(func(s *scratchpad) { s.promise = "42" })},
		{"promise a yes", strings.Replace(front, `"DONE"`, "yes", 1) + "do it", with(func(s *scratchpad) { s.promise = "yes" })},
		{"no limit", strings.Replace(front, "20", "0", 1) + "do it", with(func(s *scratchpad) { s.max = 0 })},
		{"numbers in quotes", strings.NewReplacer("3", `"3"`, "20", "'20'").Replace(front) + "do it", want},
		{"numbers with zeros", strings.NewReplacer("3", "010", "20", "020").Replace(front) + "do it", with(func(s *scratchpad) { s.iteration = 10 })},
		{"limit null", strings.Replace(front, "20", "null", 1) + "do it", with(func(s *scratchpad) { s.max = 0 })},
		{"limit missing", strings.Replace(front, "max_iterations", "other", 1) + "do it", with(func(s *scratchpad) { s.max = 0 })},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := parseScratchpad([]byte(tt.file))
			if err != nil || got != tt.want {
				t.Errorf("got %+v, %v, want %+v", got, err, tt.want)
			}
		})
	}
}

func TestABrokenScratchpadIsRefused(t *testing.T) {
	const sound = "---\niteration: 3\nmax_iterations: 20\n---\ndo it\n"
	for _, tt := range []struct{ name, file, want string }{
		{"empty file", "", "does not begin with front matter"},
		{"no front matter", "do it", "does not begin with front matter"},
		{"no closing fence", "---\niteration: 3\ndo it", "does not begin with front matter"},
		{"empty front matter", "---\n---\ndo it", "its front matter: "},
		{"not YAML", "---\niteration: [\n---\ndo it", "its front matter: "},
		{"a list", "---\n- iteration: 3\n---\ndo it", "its front matter: "},
		{"iteration missing", strings.Replace(sound, "iteration:", "other:", 1), "iteration is missing"},
		{"iteration in words", strings.Replace(sound, "3", "three", 1), "three"},
		{"iteration negative", strings.Replace(sound, "3", "-3", 1), "-3"},
		{"iteration a fraction", strings.Replace(sound, "3", "3.5", 1), "3.5"},
		{"iteration hexadecimal", strings.Replace(sound, "3", "0x10", 1), `iteration is "0x10", not a whole number`},
		{"iteration too large", strings.Replace(sound, "3", "10001", 1), "from 0 to 10000"},
		{"limit huge", strings.Replace(sound, "20", "99999999999999999999", 1), "max_iterations is"},
		{"promise an object", strings.Replace(sound, "---\ndo", "completion_promise: {a: b}\n---\ndo", 1), "its front matter: "},
		{"twice", strings.Replace(sound, "---\ndo", "iteration: 4\n---\ndo", 1), "already defined"},
		{"task of spaces", strings.Replace(sound, "do it", " \t", 1), "there is no task"},
		{"not UTF-8", strings.Replace(sound, "do it", "do \xff it", 1), "not valid UTF-8"},
		{"a bomb", bomb(), ""},
		{"deep nesting", "---\niteration: " + strings.Repeat("[", cli.MaxOther/2) + "\n---\ndo it", "its front matter: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			begun := time.Now()
			got, err := parseScratchpad([]byte(tt.file))
			if err == nil || !strings.Contains(err.Error(), tt.want) || len(err.Error()) > 500 {
				t.Errorf("got %+v, %v, want an error with %q", got, err, tt.want)
			}
			if took := time.Since(begun); took > 5*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}

// bomb would be 10^9 numbers if what it names were written out.
func bomb() string {
	b := strings.Builder{}
	b.WriteString("---\na0: &a0 [0,0,0,0,0,0,0,0,0,0]\n")
	for i := range 9 {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i), 10), ","))
	}
	return b.String() + "iteration: *a9\n---\ndo it\n"
}

func TestAScratchpadBecomesALoop(t *testing.T) {
	for _, tt := range []struct {
		name             string
		file             scratchpad
		done, limit      int
		promise, trouble string
		notes            int
	}{
		{"the third is under way", scratchpad{3, 9, "DONE", "a"}, 2, 9, "DONE", "", 0},
		{"none has begun", scratchpad{0, 9, "DONE", "a"}, 0, 9, "DONE", "", 0},
		{"no limit", scratchpad{3, 0, "DONE", "a"}, 2, 22, "DONE", "", 1},
		{"no promise", scratchpad{3, 9, "", "a"}, 2, 9, "COMPLETE", "", 1},
		{"neither", scratchpad{1, 0, "", "a"}, 0, 20, "COMPLETE", "", 2},
		{"no limit, far on", scratchpad{9999, 0, "DONE", "a"}, 9998, loop.MaxMaxIterations, "DONE", "", 1},
		{"promise with its tag", scratchpad{3, 9, "<promise>DONE</promise>", "a"}, 0, 0, "", "completion_promise: ", 0},
		{"promise of two lines", scratchpad{3, 9, "A\nB", "a"}, 0, 0, "", "control characters", 0},
		{"promise too long", scratchpad{3, 9, strings.Repeat("x", 201), "a"}, 0, 0, "", "longer than 200 bytes", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l, notes, err := tt.file.state(loop.NewRequest())
			if tt.trouble != "" {
				if err == nil || !strings.Contains(err.Error(), tt.trouble) || strings.Contains(err.Error(), "--completion") {
					t.Errorf("got %v, want %q", err, tt.trouble)
				}
				return
			}
			if err != nil || l.Iterations != tt.done || l.MaxIterations != tt.limit || l.CompletionPromise != tt.promise || l.Prompt != "a" || len(notes) != tt.notes {
				t.Errorf("got %d of %d, promise %q, notes %q, %v", l.Iterations, l.MaxIterations, l.CompletionPromise, notes, err)
			}
		})
	}
}

// The loop is there before the other tool's file is renamed. Where that cannot be done it is said, and the next import does it
// without a second loop.
func TestAFileThatCannotBeRenamedIsReported(t *testing.T) {
	dir := t.TempDir()
	pad := filepath.Join(dir, filepath.FromSlash(scratchpadName))
	write := func(path string) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte("---\niteration: 3\n---\ndo it"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	write(pad)
	for i := range 100 {
		write(strings.TrimSuffix(fmt.Sprintf("%s.imported-1000-%d", pad, i), "-0")) // every name that would be tried
	}
	e := &cli.Env{Stdout: io.Discard, Stderr: io.Discard, Now: func() time.Time { return time.Unix(1000, 0) }, Getenv: func(name string) string {
		return map[string]string{"CURSOR_RALPH_DIR": filepath.Join(dir, "tmp"), "CURSOR_RALPH_STATE_DIR": filepath.Join(dir, "state"), "CURSOR_PROJECT_DIR": dir}[name]
	}}
	e.Flags = cli.FlagSet("import", Flags)
	if err := e.Open(); err != nil {
		t.Fatal(err)
	}
	err := Run(t.Context(), e, nil)
	if err == nil || hint.Code(err) != 1 || !strings.Contains(err.Error(), "the other tool still has it") || !strings.Contains(hint.Of(err), "rename or remove "+pad) {
		t.Errorf("got %#v", err)
	}
	e.Now = func() time.Time { return time.Unix(2000, 0) }
	if err := Run(t.Context(), e, nil); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(pad + ".imported-2000"); err != nil {
		t.Error(err)
	}
	if items, err := e.Loops.Box.List(); err != nil || len(items) != 1 || items[0].State.Iterations != 2 {
		t.Errorf("got %+v, %v, want one loop", items, err)
	}
}

// FuzzScratchpad finds no file that is taken for a loop and could not be one.
func FuzzScratchpad(f *testing.F) {
	f.Add([]byte("---\niteration: 3\nmax_iterations: 20\ncompletion_promise: \"DONE\"\n---\n\ndo it\n---\n"))
	f.Add([]byte("\ufeff---\r\niteration: 1\r\ncompletion_promise: null\r\n---\r\na\r\n"))
	f.Add([]byte("---\na: &a [1]\niteration: *a\n---\nb"))
	f.Add([]byte(bomb()))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := parseScratchpad(data)
		if err != nil {
			return
		}
		if s.iteration < 0 || s.max < 0 || s.iteration > loop.MaxMaxIterations || s.max > loop.MaxMaxIterations ||
			strings.TrimSpace(s.task) == "" || !utf8.ValidString(s.task+s.promise) || !strings.Contains(strings.ReplaceAll(string(data), "\r\n", "\n"), s.task) {
			t.Errorf("got %+v from %q", s, data)
		}
		l, _, err := s.state(loop.NewRequest())
		if err != nil {
			return
		}
		raw, err := l.Encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := loop.Parse(raw)
		if err != nil || again.Prompt != l.Prompt || again.Iterations != l.Iterations || again.MaxIterations != l.MaxIterations || again.CompletionPromise != l.CompletionPromise {
			t.Errorf("got %+v, %v back, want %+v", again, err, l)
		}
	})
}
