package cmdline_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cursor-ralph/cursor-ralph/internal/cmdline"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// FuzzParse asserts that no text makes the parser panic, that what it
// gives is within the bounds of its options, and that the task is the user's.
func FuzzParse(f *testing.F) {
	for _, task := range []string{
		"Build it.", `say "hello" and 'bye', it's "done"`, "first\nsecond\r\n\n\tthird\n", "cat <<EOF\nEOF\n'EOF'\n", "“so” ‘so’ „so“ ”so” «so»",
		"  two before, three behind   ", "say <promise>COMPLETE</promise> when done", `C:\new\table \\ \" \u0041`, "bell \a escape \x1b[31m null \x00 delete \x7f",
	} {
		f.Add(`"` + strings.ReplaceAll(task, `"`, `\"`) + `" --max-iterations 5`)
		f.Add(task)
	}
	for _, text := range []string{
		`fix "a b" --completion-promise="ALL DONE" --replace`, "„fix it“ —max-duration 2h", "--continue c1 --max-iterations 30",
		`‘x’ --promise-match=lenient`, "'tis", "a -- b --- c", `--min-tool-calls 0 "x" y`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := cmdline.Parse(text, nil)
		if err != nil {
			if !utf8.ValidString(err.Error()) && utf8.ValidString(text) || len(err.Error()) > 3000 {
				t.Errorf("got an error that cannot be shown: %q", err)
			}
			return
		}
		l := r.State
		switch {
		case r.Continue != "" && (loop.CheckID(r.Continue) != nil || l.Prompt != ""):
			t.Errorf("got continue %q with task %q", r.Continue, l.Prompt)
		case r.Continue == "" && (strings.TrimSpace(l.Prompt) == "" || !fromUser(text, l.Prompt)):
			t.Errorf("got task %q, which is not the user's", l.Prompt)
		case l.MaxIterations < 1 || l.MaxIterations > loop.MaxMaxIterations || l.MinIterations < 1 || l.MinToolCalls < 0,
			l.MaxDuration < 0, strings.TrimSpace(l.CompletionPromise) == "", strings.ContainsAny(l.CompletionPromise, "\n\r\x00"):
			t.Errorf("got options out of bounds: %+v", l)
		}
		if l.Prompt == "" {
			return
		}
		data, err := l.Encode()
		if got, _ := loop.Parse(data); err != nil || got.Prompt != l.Prompt || got.CompletionPromise != l.CompletionPromise {
			t.Errorf("got %q, %q after it was saved (%v), want %q, %q", got.Prompt, got.CompletionPromise, err, l.Prompt, l.CompletionPromise)
		}
		if !strings.Contains(l.StartText(), "\n\n"+l.Prompt+"\n\n---\n") {
			t.Errorf("got a text without the task %q", l.Prompt)
		}
	})
}

// fromUser reports whether the task is a part of the text, but for backslashes
// that were taken from escapes.
func fromUser(text, task string) bool {
	if strings.Contains(text, task) {
		return true
	}
	for i := range len(text) {
		if quoted(text[i:], task) {
			return true
		}
	}
	return false
}

func quoted(text, task string) bool {
	for task != "" {
		switch {
		case text == "":
			return false
		case text[0] == '\\' && len(text) > 1 && escapes(text[1:], task):
			text = text[1:]
		case text[0] != task[0]:
			return false
		}
		text, task = text[1:], task[1:]
	}
	return true
}

func escapes(behind, task string) bool {
	for _, c := range []string{`\`, `"`, "“", "”", "„"} {
		if strings.HasPrefix(behind, c) && strings.HasPrefix(task, c) {
			return true
		}
	}
	return false
}
