package doctor

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/test/golden"
)

func TestVerdict(t *testing.T) {
	bad := func(text, fix string) finding { return finding{Level: problem, Text: text, Fix: fix} }
	for _, tt := range []struct {
		found list
		want  string
	}{
		{nil, `Ready: type /ralph-loop "<task>" in Cursor's chat`},
		{list{{Level: info, Text: "a", Fix: "b"}}, `Ready: type /ralph-loop "<task>" in Cursor's chat`},
		{list{{Level: warning, Text: "a thing", Fix: "b"}}, "Ready, with 1 warning: a thing"},
		{list{bad("no hook", reinstall), {Level: warning, Text: "a"}}, "1 problem: no hook; fix it by `cursor-ralph install`"},
		{list{bad("no hook", reinstall), bad("no commands", reinstall)}, "2 problems: no hook; no commands; fix them by `cursor-ralph install`"},
		{list{bad("a", "cursor-ralph install"), bad("b", "cursor-ralph cancel x")}, "2 problems: a; b; fix them by `cursor-ralph install` and `cursor-ralph cancel x`"},
		{list{bad("a", "chmod +x a")}, "1 problem: a; fix: chmod +x a"},
		{list{bad("a", "chmod +x a"), bad("b", reinstall)}, "2 problems: a; b; each fix is below its problem"},
		{list{bad("a", "1"), bad("b", "2"), bad("c", "3"), bad("d", "4"), bad("e\nf", "5")}, "5 problems: a; b; c; and 2 more; each fix is below its problem"},
	} {
		if got := reportOf(tt.found).Verdict; got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}

func TestEachFindingCountsOnce(t *testing.T) {
	var l list
	l.problem("b", "a")
	l.problem("b", "a")
	l.warning("b", "c")
	if r := reportOf(l.named("x")); r.Problems != 1 || r.Warnings != 1 || len(r.Checks) != 2 {
		t.Errorf("got %+v", r)
	}
}

func TestACheckThatHangsIsGivenUp(t *testing.T) {
	forever := make(chan struct{})
	defer close(forever)
	all := []check{
		{"hangs", func(context.Context, *cli.Env, *list) { <-forever }},
		{"slow", func(ctx context.Context, _ *cli.Env, l *list) { <-ctx.Done(); l.ok("ended with the context") }},
		{"quick", func(_ context.Context, _ *cli.Env, l *list) { l.ok("done") }},
	}
	got := runAll(t.Context(), nil, all, time.Millisecond)
	if len(got) != 3 || got[0].Level != warning || got[1].Text != "ended with the context" || got[2].Name != "quick" {
		t.Errorf("got %+v", got)
	}
}

// TestReportIsGolden shows findings on screens of several widths, in a pipe and without UTF-8.
func TestReportIsGolden(t *testing.T) {
	var found list
	found.ok("/usr/bin/cursor-ralph-hook answers")
	found.problem("cursor-ralph install", "our hook is in no hooks.json")
	found.info("put its folder first on the PATH in the profile of /bin/zsh, then cursor-ralph install", "a login shell does not find cursor-ralph; install writes its whole path into the slash commands")
	found.warning("check what it contains,\nthen remove it", "was moved aside: /tmp/日本語のフォルダ/👩\u200d💻/שלום/\x1b[2J\u202e%s", strings.Repeat("very long ", 10_000))
	r := reportOf(found.named("hooks.json"))
	var all strings.Builder
	for _, env := range []map[string]string{{"COLUMNS": "60"}, {"COLUMNS": "80"}, {"COLUMNS": "200"}, {"COLUMNS": "80", "LC_ALL": "C"}, {"NO_COLOR": "1"}} {
		var out bytes.Buffer
		e := &cli.Env{Terminal: cli.Terminal{Stdout: &out, Getenv: func(name string) string { return env[name] }}, Options: cli.Options{Flags: cli.FlagSet("doctor", Flags)}}
		if err := r.show(e); err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(out.String(), "\n")[1:] { // the first is the verdict
			if width, err := strconv.Atoi(env["COLUMNS"]); err == nil && ansi.StringWidthWc(line) > width || strings.ContainsAny(line, "\x1b\u202e") {
				t.Errorf("%v: got %q", env, line)
			}
		}
		fmt.Fprintf(&all, "%v\n%s\n", env, out.String())
	}
	golden.Matches(t, "testdata/report.txt", all.String())
}
