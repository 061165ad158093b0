//go:build unix

package docs_test

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pelletier/go-toml/v2"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"go.yaml.in/yaml/v4"

	"github.com/cursor-ralph/cursor-ralph/test/short"
	"github.com/cursor-ralph/cursor-ralph/test/sources"
)

const root = "../.."

// bin is the folder of the two programs; only TestMain sets it.
var bin string

// TestMain makes the programs, of which cursor-ralph knows the other by its folder.
func TestMain(m *testing.M) {
	os.Exit(sources.Main(m, &bin, "docs-", "cmd/cursor-ralph", "cmd/cursor-ralph-hook", "test/demo"))
}

// notRun is how many blocks there may be that no test runs. Whoever adds one says so here.
const notRun = 2

// page is one Markdown file.
type page struct {
	name   string // from the root
	source []byte
	doc    ast.Node
}

// block is a fenced one.
type block struct {
	line   int
	lang   string
	marks  []string // of the comment before it
	source string
}

func pages(t *testing.T) []page {
	t.Helper()
	var names []string
	for _, pattern := range []string{"/*.md", "/docs/*.md", "/docs/measured/*.md"} {
		some, err := filepath.Glob(root + pattern)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, some...)
	}
	var all []page
	for _, name := range names {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		name, err = filepath.Rel(root, name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, page{name, source, parse(source)})
	}
	if len(all) < 5 {
		t.Fatalf("got %d pages, want all", len(all))
	}
	return all
}

func parse(source []byte) ast.Node {
	md := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAutoHeadingID()))
	return md.Parser().Parse(text.NewReader(source))
}

// blocks returns the fenced blocks of a page, with the comments before them.
func (p page) blocks() []block {
	var all []block
	_ = ast.Walk(p.doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		fence, ok := n.(*ast.FencedCodeBlock)
		if !ok || !entering {
			return ast.WalkContinue, nil
		}
		b := block{lang: string(fence.Language(p.source)), source: string(fence.Lines().Value(p.source))}
		if fence.Lines().Len() > 0 {
			b.line = bytes.Count(p.source[:fence.Lines().At(0).Start], []byte("\n"))
		}
		for before := fence.PreviousSibling(); before != nil && before.Kind() == ast.KindHTMLBlock; before = before.PreviousSibling() {
			comment := string(before.(*ast.HTMLBlock).Lines().Value(p.source))
			comment, isComment := strings.CutPrefix(strings.TrimSpace(comment), "<!-- ")
			if isComment {
				b.marks = append(b.marks, strings.TrimSuffix(comment, " -->"))
			}
		}
		all = append(all, b)
		return ast.WalkContinue, nil
	})
	return all
}

// mark returns what a comment says after its name.
func (b block) mark(name string) (rest string, ok bool) {
	for _, m := range b.marks {
		if m == name {
			return "", true
		}
		if rest, ok := strings.CutPrefix(m, name+": "); ok {
			return strings.TrimSpace(rest), true
		}
	}
	return "", false
}

// world is where the blocks of a page are run.
type world struct {
	*testing.T
	dir   string
	clone string // "" until one is needed
}

// TestBlocks runs them all.
func TestBlocks(t *testing.T) {
	exempt := 0
	for _, p := range pages(t) {
		for _, b := range p.blocks() {
			if why, ok := b.mark("not run"); ok {
				exempt++
				t.Logf("not run: %s:%d: %s", p.name, b.line, why)
			}
		}
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			for _, b := range p.blocks() {
				w.check(p, b)
			}
		})
	}
	if exempt != notRun {
		t.Errorf("got %d blocks that are not run, want %d: say why in the page, and count it here", exempt, notRun)
	}
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) check(p page, b block) {
	where := fmt.Sprintf("%s:%d", p.name, b.line)
	if _, ok := b.mark("not run"); ok {
		return
	}
	if name, ok := b.mark("file"); ok {
		w.save(name, b.source)
	}
	_, demo := b.mark("demo")
	var err error
	switch {
	case demo:
		err = shortened(b.source, w.demo())
	case b.lang == "sh":
		_, err = w.shell(b, b.source)
	case b.lang == "console":
		err = w.transcript(b)
	case b.lang == "go":
		err = w.compile(b.source)
	case b.lang == "json":
		err = validJSON(b.source)
	case b.lang == "yaml":
		err = yaml.Unmarshal([]byte(b.source), new(any))
	case b.lang == "toml":
		err = toml.Unmarshal([]byte(b.source), new(map[string]any))
	case b.lang == "" || b.lang == "conf" || b.lang == "tmux" || b.lang == "text" || b.lang == "markdown":
		if strings.Contains("\n"+b.source, "\n$ ") {
			err = fmt.Errorf("has commands, but is not a console block")
		}
	default:
		err = fmt.Errorf("no check for a block of %q", b.lang)
	}
	if err != nil {
		w.Errorf("%s: %v", where, err)
	}
}

func (w *world) save(name, content string) {
	w.Helper()
	path := filepath.Join(w.dir, "shop", filepath.Clean("/"+name))
	mode := fs.FileMode(0o600)
	if strings.HasPrefix(content, "#!") {
		mode = 0o700
	}
	w.must(os.MkdirAll(filepath.Dir(path), 0o700))
	w.must(os.WriteFile(path, []byte(content), mode))
}

// patience is for one block; the slowest builds all programs.
const patience = 3 * time.Minute

// shell runs lines in the page's workspace and returns their output.
func (w *world) shell(b block, script string) (string, error) {
	ctx, cancel := context.WithTimeout(w.Context(), patience)
	defer cancel()
	before, _ := b.mark("test")
	cmd := exec.CommandContext(ctx, "sh", "-euc", before+"\n"+script)
	cmd.Dir = filepath.Join(w.dir, "shop")
	if _, ok := b.mark("in a clone"); ok {
		cmd.Dir = w.copyOfSources()
	}
	cmd.Env = w.env()
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if _, fails := b.mark("fails"); fails && errors.As(err, &exit) && exit.ExitCode() > 0 {
		return string(out), nil
	} else if fails && err == nil {
		err = errors.New("did not fail")
	}
	if err != nil {
		return "", fmt.Errorf("%w\n%s\n%s", err, script, out)
	}
	return string(out), nil
}

func (w *world) env() []string {
	in := func(name string) string { return filepath.Join(w.dir, name) }
	root, err := filepath.Abs(root)
	w.must(err)
	env := []string{
		"HOME=" + in("home"), "PATH=" + bin + ":" + os.Getenv("PATH"), "SHELL=/bin/sh", "TMPDIR=" + in("tmp"),
		"CURSOR_RALPH_DIR=" + in("tmp"), "CURSOR_RALPH_STATE_DIR=" + in("home/state"), "CURSOR_RALPH_NO_NOTIFY=1", "CURSOR_RALPH_NO_WATCHER=1",
		"NO_COLOR=1", "CI=" + os.Getenv("CI"), "SOURCES=" + root,
	}
	// The go command's caches stay where they are: a new home has none.
	names := []string{"GOCACHE", "GOMODCACHE", "GOPROXY", "GOSUMDB", "GOFLAGS", "GOTOOLCHAIN"}
	out, err := exec.Command("go", append([]string{"env"}, names...)...).Output()
	w.must(err)
	for i, value := range strings.Split(strings.TrimSuffix(string(out), "\n"), "\n") {
		env = append(env, names[i]+"="+value)
	}
	return env
}

// copyOfSources is what a clone has: the tracked files, and those that will be.
func (w *world) copyOfSources() string {
	w.Helper()
	if w.clone != "" {
		return w.clone
	}
	w.clone = filepath.Join(w.dir, "clone")
	list := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list.Dir = root
	out, err := list.Output()
	w.must(err)
	for name := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		data, err := os.ReadFile(filepath.Join(root, name))
		if os.IsNotExist(err) { // removed, and not committed yet
			continue
		}
		w.must(err)
		info, err := os.Stat(filepath.Join(root, name))
		w.must(err)
		w.must(os.MkdirAll(filepath.Dir(filepath.Join(w.clone, name)), 0o700))
		w.must(os.WriteFile(filepath.Join(w.clone, name), data, info.Mode().Perm()))
	}
	git := exec.Command("git", "init", "-q")
	git.Dir = w.clone
	w.must(git.Run())
	return w.clone
}

// transcript runs each command of a console block and compares its output.
func (w *world) transcript(b block) error {
	ran := 0
	for part := range strings.SplitSeq("\n"+strings.TrimRight(b.source, "\n"), "\n$ ") {
		part = strings.TrimPrefix(part, "\n")
		if part == "" {
			continue
		}
		if ran == 0 && !strings.Contains("\n"+b.source, "\n$ "+part) {
			return fmt.Errorf("begins without a command: %q", part)
		}
		ran++
		command, want, _ := strings.Cut(part, "\n")
		got, err := w.shell(b, command)
		if err != nil {
			return err
		}
		if err := same(got, want); err != nil {
			return fmt.Errorf("$ %s: %w", command, err)
		}
	}
	if ran == 0 {
		return fmt.Errorf("has no command")
	}
	return nil
}

// same compares output with what a page shows of it.
func same(got, want string) error {
	pattern := regexp.QuoteMeta(strings.TrimSpace(want))
	pattern = regexp.MustCompile(`(?m)^\s*…$`).ReplaceAllString(pattern, `(?s:.*)`)
	pattern = strings.ReplaceAll(pattern, "…", ".*")
	if !regexp.MustCompile(`\A` + pattern + `\z`).MatchString(strings.TrimSpace(got)) {
		return fmt.Errorf("got\n%s\nwant\n%s", got, want)
	}
	return nil
}

func (w *world) demo() string {
	out, err := w.shell(block{}, `demo "$(dirname "$(command -v cursor-ralph)")"`)
	w.must(err)
	return out
}

// varying is what no two demos have in common.
func varying(line string) string {
	line = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`).ReplaceAllString(line, "ID")
	line = regexp.MustCompile(`--continue [a-z0-9]{5}`).ReplaceAllString(line, "--continue ID")
	line = regexp.MustCompile(`\d\d:\d\d:\d\d +\d+\.\d`).ReplaceAllString(line, "TIME")
	return strings.Join(strings.Fields(line), " ")
}

// shortened finds the lines of a page in a transcript, in their order.
func shortened(source, whole string) error {
	want, rest := joined(source), joined(whole)
	for _, line := range want {
		i := slices.IndexFunc(rest, func(l string) bool { return varying(l) == varying(line) })
		if i < 0 {
			return fmt.Errorf("not in the demo, or not after the line before it: %s\n%s", line, whole)
		}
		rest = rest[i+1:]
	}
	if len(want) == 0 {
		return fmt.Errorf("is empty")
	}
	return nil
}

// joined returns lines without … and empty ones. A line that begins with spaces goes on where the one before left off.
func joined(text string) (all []string) {
	for line := range strings.Lines(text) {
		switch {
		case strings.TrimSpace(line) == "" || strings.TrimSpace(line) == "…":
		case strings.HasPrefix(line, "        ") && len(all) > 0:
			all[len(all)-1] += " " + line
		default:
			all = append(all, line)
		}
	}
	return all
}

// TestExamples runs the example that the help of each command ends with, in a workspace that has what it is about.
func TestExamples(t *testing.T) {
	short.Skip(t)
	w := newWorld(t)
	list, err := w.shell(block{}, "cursor-ralph help")
	w.must(err)
	_, list, _ = strings.Cut(list, "\nStart:\n")
	commands := regexp.MustCompile(`(?m)^  ([a-z-]+) `).FindAllStringSubmatch(list, -1)
	if len(commands) < 20 {
		t.Errorf("got %d commands, want all:\n%s", len(commands), list)
	}
	for _, command := range commands {
		if slices.Contains([]string{"watch", "help", "completion"}, command[1]) {
			continue // they need a terminal or a desktop, which their own tests have; the last two are cobra's
		}
		t.Run(command[1], func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			help, err := w.shell(block{}, "cursor-ralph help "+command[1])
			w.must(err)
			_, example, _ := strings.Cut(help, "\nExamples:\n")
			example, _, _ = strings.Cut(example, "\n\n")
			if !strings.HasPrefix(strings.TrimSpace(example), "cursor-ralph "+command[1]) {
				t.Fatalf("got the example %q, want one of %s", example, command[1])
			}
			_, err = w.shell(block{marks: []string{"test: " + before(command[1])}}, example)
			w.must(err)
		})
	}
}

// fakeACP makes an agent that claims one edit, promises, and is called as the adapter of claude, and tests that pass.
const fakeACP = `mkdir agents; PATH=$PWD/agents:$PATH
cat >agents/claude-agent-acp <<'END'
#!/bin/sh
update() { printf '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":%s}}\n' "$1"; }
while read -r line; do
  case $line in
    *'"initialize"'*) result='{"protocolVersion":1,"agentCapabilities":{}}' ;;
    *'"session/new"'*) result='{"sessionId":"s"}' ;;
    *'"session/prompt"'*)
      result='{"stopReason":"end_turn"}'
      update '{"sessionUpdate":"tool_call","toolCallId":"1","title":"edit","kind":"edit","status":"completed"}'
      update '{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"<promise>COMPLETE</promise>"}}'
      ;;
    *) continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$(printf %s "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')" "$result"
done
END
chmod +x agents/claude-agent-acp
printf 'test:\n\t@true\n' >Makefile`

// before makes what an example needs: a loop of the folder, but for those that make one.
func before(command string) string {
	const loop = `printf '{"prompt":"port the parser","max_iterations":20,"completion_promise":"COMPLETE","iterations":3,"session_iterations":1,` +
		`"stop":false,"last_output":"","workspace":"%s"}' "$PWD" >"$CURSOR_RALPH_DIR/cursor-ralph-loop-k7f2m.json"; cursor-ralph install >/dev/null;`
	switch command {
	case "start", "loop-mode", "install":
		return ":"
	case "run":
		return fakeACP
	case "diff", "restore":
		return "git init -q;" + fakeACP + "\ncursor-ralph run 'port the parser' --agent claude --permissions edits >/dev/null 2>&1"
	case "resume":
		return loop + "cursor-ralph pause >/dev/null"
	}
	return loop
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{T: t, dir: t.TempDir()}
	for _, dir := range []string{"home", "tmp", "shop"} {
		w.must(os.Mkdir(filepath.Join(w.dir, dir), 0o700))
	}
	return w
}

// TestRecording: the picture in the README shows what the demo prints.
func TestRecording(t *testing.T) {
	data, err := os.ReadFile(root + "/docs/demo.svg")
	if err != nil {
		t.Fatal(err)
	}
	if len(data) > 100_000 {
		t.Errorf("got %d bytes, want less than 100,000", len(data))
	}
	var rows, panel strings.Builder
	dec := xml.NewDecoder(bytes.NewReader(data))
	for {
		token, err := dec.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "text" {
			var row string
			if err := dec.DecodeElement(&row, &start); err != nil {
				t.Fatal(err)
			}
			if slices.ContainsFunc(start.Attr, func(a xml.Attr) bool { return a.Name.Local == "class" && a.Value == "panel" }) {
				panel.WriteString(row + "\n")
			} else {
				rows.WriteString(row + "\n")
			}
		}
	}
	for _, want := range []string{"3/20", "`./run-tests` failed with exit 1"} {
		if !strings.Contains(panel.String(), want) {
			t.Errorf("the panel shows no %q: run `make record`", want)
		}
	}
	w := newWorld(t)
	if err := shortened(rows.String(), w.demo()); err != nil {
		t.Errorf("run `make record`: %v", err)
	}
}

// compile builds a program against this module.
func (w *world) compile(source string) error {
	file := filepath.Join(w.TempDir(), "main.go")
	w.must(os.WriteFile(file, []byte(source), 0o600))
	cmd := exec.Command("go", "vet", file)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

// validJSON takes one value, or one a line; comments are for hooks.json only.
func validJSON(source string) error {
	dec := json.NewDecoder(strings.NewReader(source))
	for {
		var v any
		err := dec.Decode(&v)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// TestLinks follows those inside the project.
func TestLinks(t *testing.T) {
	anchors := map[string][]string{}
	all := pages(t)
	for _, p := range all {
		anchors[p.name] = p.anchors()
	}
	for _, p := range all {
		for _, link := range p.links() {
			if err := follow(p.name, link, anchors); err != nil {
				t.Errorf("%s: %s: %v", p.name, link, err)
			}
		}
	}
}

func (p page) links() []string {
	var all []string
	_ = ast.Walk(p.doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Link:
			all = append(all, string(n.Destination))
		case *ast.Image:
			all = append(all, string(n.Destination))
		case *ast.HTMLBlock:
			for _, m := range regexp.MustCompile(`(?:src|href|srcset)="([^"]*)"`).FindAllSubmatch(n.Lines().Value(p.source), -1) {
				all = append(all, string(m[1]))
			}
		}
		return ast.WalkContinue, nil
	})
	return all
}

// anchors are the headings as links name them.
func (p page) anchors() []string {
	var all []string
	_ = ast.Walk(p.doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if id, ok := n.AttributeString("id"); ok && entering {
			all = append(all, string(id.([]byte)))
		}
		return ast.WalkContinue, nil
	})
	return all
}

func follow(from, link string, anchors map[string][]string) error {
	if strings.Contains(link, "://") || strings.HasPrefix(link, "mailto:") {
		return nil
	}
	file, heading, hasHeading := strings.Cut(link, "#")
	target := from
	if file != "" {
		target = filepath.Join(filepath.Dir(from), file)
	}
	if _, err := os.Stat(filepath.Join(root, target)); err != nil {
		return err
	}
	if hasHeading && !slices.Contains(anchors[target], heading) {
		return fmt.Errorf("no such heading; there are %q", anchors[target])
	}
	return nil
}

// wordLimit is for what users read; docs/measured is not.
const wordLimit = 8000

// TestUserDocsAreShort: the README and docs/*.md, those that are written by make docs too.
func TestUserDocsAreShort(t *testing.T) {
	words := 0
	for _, p := range pages(t) {
		if p.name == "README.md" || filepath.Dir(p.name) == "docs" {
			words += len(bytes.Fields(p.source))
		}
	}
	if words > wordLimit {
		t.Errorf("the README and docs/*.md have %d words, want at most %d: tell a thing once, where it is looked for", words, wordLimit)
	}
}

// TestEveryPageIsLinked: a page that no other names is not found by anybody.
func TestEveryPageIsLinked(t *testing.T) {
	linked := map[string]bool{}
	for _, p := range pages(t) {
		for _, link := range p.links() {
			file, _, _ := strings.Cut(link, "#")
			linked[filepath.Join(filepath.Dir(p.name), file)] = true
		}
	}
	for _, p := range pages(t) {
		if strings.HasPrefix(p.name, "docs/") && !linked[p.name] {
			t.Errorf("%s: no page links to it", p.name)
		}
	}
}

// TestChecksBite shows that a wrong page is found.
func TestChecksBite(t *testing.T) {
	w := newWorld(t)
	for _, tt := range []struct {
		name string
		err  error
	}{
		{"output that differs", same("a\nb\n", "a\nc")},
		{"output that goes on", same("a\nb\n", "a")},
		{"no transcript's line", shortened("user hello", "  user    bye")},
		{"lines in another order", shortened("b\na", "a\nb")},
		{"half an object", validJSON("{")},
		{"Go that does not compile", w.compile("package main\nfunc main() { nothing() }\n")},
		{"a command that fails", second(w.shell(block{}, "false"))},
		{"a command that does not fail", second(w.shell(block{marks: []string{"fails"}}, "true"))},
		{"console without a command", w.transcript(block{source: "hello\n"})},
		{"a transcript's command with other output", w.transcript(block{source: "$ echo a\nb\n"})},
		{"a link to nowhere", follow("README.md", "docs/nowhere.md", nil)},
		{"a heading that is not there", follow("README.md", "#nowhere", map[string][]string{"README.md": {"here"}})},
	} {
		if tt.err == nil {
			t.Errorf("%s: not found", tt.name)
		}
	}
	if err := w.transcript(block{source: "$ echo a; echo b; echo c\na\n…\nc\n$ echo x\nx\n"}); err != nil {
		t.Error(err)
	}
	if err := shortened("user     hello\n        you\n…\nbye TIME", "  user    hello you\nx\n bye 10:11:12  0.3"); err != nil {
		t.Error(err)
	}
}

func second(_ string, err error) error { return err }

// TestSources keeps a result from being cached for longer than it holds.
func TestSources(t *testing.T) { sources.Read(t, root) }
