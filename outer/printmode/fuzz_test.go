package printmode

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/outer"
)

// FuzzStream asserts that whatever an agent prints, the journal can store the records,
// and the session is not a flag.
func FuzzStream(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for line := range strings.Lines(section(a, "stdout")) {
			if len(line) < 400 { // long seeds slow the fuzzer down
				f.Add(line, uint8(len(file)))
			}
		}
	}
	f.Add("{\"type\":\"assistant\",\"message\":{\"content\":\"x\xff\"}}\n{\"type\":", uint8(1))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, stdout string, which uint8) {
		known := append(Presets(), Preset{})
		c := Config{Preset: known[int(which)%len(known)], Dir: dir, Argv: []string{"agent"}}
		r := newTurn(c, func(s outer.Seen) {
			if s.Session != "" && (s.Session[0] == '-' || strings.ContainsAny(s.Session, " \n\x1b/")) {
				t.Errorf("got the session %q", s.Session)
			}
			checkRecord(t, s.Record)
		})
		r.readLines(strings.NewReader(stdout), func() {})
		_ = r.result(0, nil, "")
	})
}

func checkRecord(t *testing.T, r loop.Record) {
	switch {
	case r.Kind == "":
	case !utf8.ValidString(r.Text) || len(r.Text) > maxText*3:
		t.Errorf("got the text %q", r.Text)
	case r.Kind == loop.RecordTool && (r.Tool == "" || r.ID == "" || strings.Contains(r.Error, "\n")):
		t.Errorf("got the tool call %+v", r)
	case r.File != "" && !filepath.IsAbs(r.File):
		t.Errorf("got the file %q", r.File)
	}
	if _, err := r.Line(); err != nil {
		t.Error(err)
	}
}
