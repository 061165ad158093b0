package render

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"github.com/cursor-ralph/cursor-ralph/internal/view"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/test/golden"
)

// hostile is what would be a link, a mention, HTML, a heading, the end of a
// cell, of code or of everything, were it taken for Markdown.
func hostile() []string {
	return []string{
		"Fixes #12, closes acme/x#3 and GH-4; thanks @octocat",
		"</code></pre><script>alert(1)</script><img src=x onerror=alert(1)>",
		"<!-- hidden", "--> shown", "<details><summary>x</summary>",
		"[a link](https://example.com) ![an image](https://example.com/x.png) <https://example.com> https://example.com www.example.com a@b.example",
		"a | b | c |\n| --- | --- |\n| d | e |",
		"`", "``", "```\n# a heading\n```", "````text", "x`", "`x", "~~~", "a \\` b \\",
		"# a heading", "a heading\n===", "---", "- [x] done", "1. one", "> quoted", "    indented", "\ttab",
		"*bold* _it_ ~~gone~~ &lt;b&gt; &amp;", "[ref]: https://example.com", "[^1]: note",
		"\x1b[2J\x1b]0;title\a\x00\u009b31m\x7f", "abc\u202egnp.exe", "hid\u200bden\U000e0041\ufeff\u00ad", "line\u2028separator", "a\r\nb\rc", "",
		strings.Repeat("long ", 200), "\u00a0", "größer 漢字 👩‍💻",
	}
}

// hostileLoop has the text wherever something from outside can be.
func hostileLoop(texts []string) loop.State {
	began := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	all := strings.Join(texts, "\n")
	l := loop.New()
	l.Prompt, l.Status, l.Reason, l.Verify, l.Workspace = all, loop.MaxIterations, all, all, "/home/me/repo"
	l.Iterations, l.MaxIterations, l.ToolCalls, l.StartedAt, l.EndedAt = len(texts), len(texts), 7, began, began.Add(90*time.Minute)
	for i, t := range texts {
		l.History = append(l.History, loop.Iteration{
			Number: i + 1, StartedAt: began, EndedAt: began.Add(time.Minute), Seconds: 60, Promise: "refused", Refused: t, Warning: t,
			Verified: &loop.Verification{Exit: -1, Why: t}, Tools: map[string]int{t: 2, "Write": i}, Files: []string{t, "/home/me/repo/a.go"},
			Errors: []string{t, "`" + t + "` exited with 1: " + t}, Failed: []string{t}, Answer: all, Struggle: t, Context: []string{t}, Action: t,
		})
	}
	return l
}

func TestReportOfAHostileLoop(t *testing.T) {
	l := hostileLoop(hostile())
	got := reportOf(l, view.Of(l, view.Facts{}), time.Time{})
	golden.Matches(t, "testdata/report-hostile.md", got)
	onlyCode(t, got, len(l.History))
	for _, part := range []string{"octocat", "onerror", "shown", "# a heading", `\u001b[2J`, `\u202e`, `hid\u200bden\udb40\udc41\ufeff\u00ad`, "👩‍💻", "漢字"} {
		if !strings.Contains(got, part) {
			t.Errorf("got no %q, want nothing hidden", part)
		}
	}
}

// Every tag of a page is our own, whatever a loop says.
func TestThePageOfAHostileLoop(t *testing.T) {
	l := hostileLoop(hostile())
	l.History[3].Verified.Output = "FAIL\n" + strings.Join(hostile(), "\n")
	shown := view.Of(l, view.Facts{})
	var b strings.Builder
	if err := pageOf(&b, l, shown, []detail{{"verify", l.Verify, false}}); err != nil {
		t.Fatal(err)
	}
	got, quoted := b.String(), regexp.MustCompile(`"[^"]*"`)
	for _, tag := range regexp.MustCompile(`<[^>]*>?`).FindAllString(strings.ReplaceAll(got, pageScript, ""), -1) {
		name := strings.Trim(strings.Fields(tag)[0], "</>")
		if !slices.Contains(strings.Fields("!DOCTYPE html head meta title style body main h1 h2 h3 p div button pre a span small details summary b ul li dl dt dd script"), name) || strings.Contains(quoted.ReplaceAllString(tag, ""), " on") {
			t.Errorf("got %q, want our own tags alone", tag)
		}
	}
	for _, part := range []string{"@octocat", "&lt;img src=x onerror=alert(1)&gt;", "Its output", `\u202e`, "漢字"} {
		if !strings.Contains(got, part) {
			t.Errorf("got no %q, want nothing hidden", part)
		}
	}
	if strings.Contains(got, "http://") || strings.Contains(strings.ReplaceAll(got, "example", ""), "src=\"") {
		t.Error("the page loads something")
	}
}

func TestOneLongIterationDoesNotFlattenTheOthers(t *testing.T) {
	l := loop.New()
	for i, seconds := range []float64{60, 7200, 30, 0} {
		l.History = append(l.History, loop.Iteration{Number: i + 1, Seconds: seconds})
	}
	got, cut := bars(l.History)
	if len(got) != 4 || got[0].Percent < 20 || got[1].Percent != highest || !got[1].Cut || got[0].Cut || cut != "4m" {
		t.Errorf("got %+v, cut at %s", got, cut)
	}
	if got, cut := bars(l.History[:1]); got[0].Percent != highest || cut != "" {
		t.Errorf("one iteration: got %+v, cut at %q", got, cut)
	}
}

// FuzzReport: whatever is said, a report's structure is ours.
func FuzzReport(f *testing.F) {
	for _, text := range hostile() {
		f.Add(text, "x")
		f.Add("x", text)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		l := hostileLoop([]string{a, b, a + b, b + "\n" + a})
		onlyCode(t, reportOf(l, view.Of(l, view.Facts{}), time.Time{}), len(l.History))
	})
}

// onlyCode checks, by a parser of Markdown, that a report has our own headings,
// one table with our cells, and no text that is not ours outside of code.
func onlyCode(t *testing.T, markdown string, turns int) {
	t.Helper()
	ours := []string{"Ralph loop", "Task", "Changed files", "Failed commands", "Refused promises", "Verification", "Warnings",
		"Added context", "Struggle", "Errors", "Iterations", "The agent's last words"}
	source := []byte(markdown)
	count := 0
	err := ast.Walk(parse(source), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Document, *ast.Paragraph, *ast.List, *ast.ListItem, *ast.TextBlock, *tables.Table, *tables.TableHeader, *ast.Emphasis:
		case *ast.CodeSpan, *ast.FencedCodeBlock:
			return ast.WalkSkipChildren, nil
		case *ast.Heading:
			if title := string(n.Lines().Value(source)); !slices.Contains(ours, strings.TrimSpace(title)) {
				return 0, fmt.Errorf("the heading %q", title)
			}
			return ast.WalkSkipChildren, nil
		case *ast.Text:
			if s := string(n.Value(source)); !isOurs(s) {
				return 0, fmt.Errorf("the text %q outside of code", s)
			}
		case *tables.TableRow:
			count++
		case *tables.TableCell:
		default:
			return 0, fmt.Errorf("a %s", n.Kind())
		}
		return ast.WalkContinue, nil
	})
	if err != nil || count != turns || cells(parse(source)) != (turns+1)*6 {
		t.Fatalf("got %v, %d rows and %d cells, want %d rows in\n%s", err, count, cells(parse(source)), turns, markdown)
	}
}

func parse(source []byte) ast.Node {
	return goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote)).Parser().Parse(text.NewReader(source))
}

// cells counts those of tables that are not empty.
func cells(doc ast.Node) (n int) {
	_ = ast.Walk(doc, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if cell, ok := node.(*tables.TableCell); ok && entering && cell.HasChildren() {
			n++
		}
		return ast.WalkContinue, nil
	})
	return n
}

// isOurs reports whether text outside of code consists of the words, numbers and
// marks that a report itself writes.
func isOurs(text string) bool {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t.,:()-…#", r) || r >= '0' && r <= '9' }) {
		if !slices.Contains(strings.Fields("after of at most iterations iteration from to UTC h m s with tool calls Why and more earlier ones A promise counts once this succeeds The rest characters is left out seconds tools files errors"), word) {
			return false
		}
	}
	return true
}

func TestReport(t *testing.T) {
	began := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	l := loop.New()
	l.Prompt, l.Status, l.StartedAt, l.Iterations, l.ToolCalls = "make it green", loop.Running, began, 2, 3
	l.Workspace = "/home/me/repo"
	l.History = []loop.Iteration{
		{Number: 1, Seconds: 61.25, Promise: "none", Tools: map[string]int{"Write": 2, "Shell": 1}, Files: []string{"/home/me/repo/sub/a.go", "/etc/b"},
			Failed: []string{"go test"}, Errors: []string{"`go test` exited with 1: FAIL", "no such file"}},
		{Number: 2, Seconds: 2, Promise: "refused", Errors: []string{"make exited with 2: no rule", "make: no rule", strings.Repeat("x", 200) + "…"}, Refused: "`go test` failed with exit 1", Files: []string{"/home/me/repo/sub/a.go"},
			Verified: &loop.Verification{Exit: 1, Seconds: 2.25}, Failed: []string{"go vet", "make", strings.Repeat("x", 200) + "…"}},
	}
	golden.Matches(t, "testdata/report.md", reportOf(l, view.Of(l, view.Facts{}), began.Add(301*time.Second)))
}

func TestLongReportsAreCut(t *testing.T) {
	l := loop.New()
	l.Prompt, l.Status = strings.Repeat("long\n", 10_000), loop.Running
	for n := range 50 {
		h := loop.Iteration{Number: n + 1, Promise: "none", Errors: []string{fmt.Sprint("error ", n), "the same error"}}
		for f := range 50 {
			h.Files = append(h.Files, fmt.Sprintf("file-%03d-%02d", n, f))
		}
		l.History = append(l.History, h)
	}
	got := reportOf(l, view.Of(l, view.Facts{}), time.Time{})
	for _, part := range []string{
		"- and 2300 more\n", "- and 1 more\n", "The rest, 39999 characters, is left out.\n", "- `the same error` (iterations 1, 2, 3, 4, 5, 6, 7, 8, 42 more)\n",
		"| 1 |", "| 50 |", "- `file-000-00` (iteration 1)",
	} {
		if !strings.Contains(got, part) {
			t.Errorf("got no %q", part)
		}
	}
	if len(got) > 60_000 {
		t.Errorf("got %d bytes, want what fits into a pull request", len(got))
	}
}
