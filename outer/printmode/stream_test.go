package printmode

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/outer"
)

var update = flag.Bool("update", false, "write the reports about the recorded streams into testdata")

// Each file contains what a real agent printed, and what the turn reports about it.
func TestRecorded(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no recordings", err)
	}
	for _, file := range files {
		name, _, _ := strings.Cut(filepath.Base(file), "-")
		if strings.HasPrefix(filepath.Base(file), "cursor-agent") {
			name = "cursor-agent"
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			code, err := strconv.Atoi(strings.TrimSpace(section(a, "exit")))
			if err != nil {
				t.Fatal(err)
			}
			got := replay(Config{Preset: preset(t, name), Dir: "/ws"}, section(a, "stdout"), section(a, "stderr"), code)
			if diff := cmp.Diff(got, section(a, "seen")); diff != "" && !*update {
				t.Errorf("got -, want +:\n%s", diff)
			}
			if *update {
				a.Files = append(a.Files[:3:3], txtar.File{Name: "seen", Data: []byte(got)})
				if err := os.WriteFile(file, txtar.Format(a), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func section(a *txtar.Archive, name string) string {
	for _, f := range a.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

// replay returns what the turn reports about a stream, in lines, and how it ended.
func replay(c Config, stdout, stderr string, code int) string {
	var b strings.Builder
	t := newTurn(c, func(s outer.Seen) { show(&b, s) })
	t.readLines(strings.NewReader(stdout), func() {})
	err := t.result(code, nil, stderr)
	start, later := (*outer.StartError)(nil), (*outer.TransientError)(nil)
	switch {
	case errors.As(err, &start):
		fmt.Fprintf(&b, "no start: %v; %s\n", err, start.Hint)
	case errors.As(err, &later):
		fmt.Fprintf(&b, "later, after %s: %v\n", later.After, err)
	case t.lostSession:
		fmt.Fprintf(&b, "lost: %v\n", err)
	default:
		fmt.Fprintf(&b, "end: %v\n", err)
	}
	return b.String()
}

func show(b *strings.Builder, s outer.Seen) {
	for _, part := range []struct{ name, text string }{{"session", s.Session}, {"piece", s.Text}, {"begins", s.Tool}, {"plan", s.Plan}} {
		if part.text != "" {
			fmt.Fprintf(b, "%s: %q\n", part.name, part.text)
		}
	}
	r := s.Record
	switch r.Kind {
	case loop.RecordText:
		fmt.Fprintf(b, "text: %q\n", r.Text)
	case loop.RecordTool:
		fmt.Fprintf(b, "tool: id=%q tool=%q", r.ID, r.Tool)
		for _, part := range []struct{ name, text string }{{"file", r.File}, {"error", r.Error}, {"failed", r.Command}, {"command", s.Command}} {
			if part.text != "" {
				fmt.Fprintf(b, " %s=%q", part.name, part.text)
			}
		}
		b.WriteByte('\n')
	}
}
