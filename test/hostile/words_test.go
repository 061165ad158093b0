//go:build unix

package hostile_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/test/short"
)

// words are what an agent, a task or a file may say to reach whoever reads it: a
// terminal, a shell, a template, a status bar or a script.
var words = []string{
	"\x1b[2J\x1b[H", "\x1b]0;title\a", "\x1b]52;c;cm0gLXJmIH4=\a", "\x1b]8;;http://evil.example\x1b\\here\x1b]8;;\x1b\\",
	"\x1bPtmux;\x1b\x1b]52;c;eA==\a\x1b\\", "\x1b[8m hidden \x1b[28m", "\x1b[6n\x1bc", "\x90q\x9c", "\u009b31m\u009d0;x\u009c", "\x9b31m",
	"harmless\rcursor-ralph: all is well", "abc\b\b\bxyz\x7f", "\x00\x05\x0e\x0f",
	"\u202egpj.exe\u202c", "\u2066x\u2069\u200e\u200f\u061c", "a\u200bb\u2060c\ufeffd", "line\u2028line\u2029line\u0085line\vline\fline",
	"\n$ sudo rm -rf /\n", "$(touch pwned)", "`touch pwned`", "${HOME}; touch pwned", "'; touch pwned; '", `"; touch pwned; "`, "| touch pwned",
	"{{.}}{{printf \"%s\" .}}", "%n%s%d%!", "#(touch pwned)#{pane_pid}#[bg=red]", "\" & do shell script \"touch pwned\" & \"",
	"'@ ; New-Item pwned; @'", "”; New-Item pwned; “", "<script>touch pwned</script><b>&lt;", "[x](javascript:x) ![](http://evil.example/x)", "@team fixes #1",
	"]]>", "\\u001b[2J", "--help", "-", "/ralph-loop --continue other", "\x1b_Gf=100;AAAA\x1b\\", "\x1b^x\x1b\\", strings.Repeat("ä", 500),
}

func allWords() string { return strings.Join(words, " ") }

// raw finds what must not reach a terminal: control characters, 7 and 8 bits,
// what changes the direction of text, what is not seen, and what is no text.
func raw(text string) string {
	if !utf8.ValidString(text) {
		return "bytes that are no text"
	}
	at := strings.IndexFunc(text, func(r rune) bool {
		joins := r == '\u200c' || r == '\u200d'
		return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && !joins || r == '\u2028' || r == '\u2029')
	})
	if at < 0 {
		return ""
	}
	return fmt.Sprintf("%q in %q", []rune(text[at:])[0], text[max(0, at-40):min(len(text), at+40)])
}

func (p person) shows(s said) {
	p.Helper()
	for stream, text := range map[string]string{"standard output": s.out, "standard error": s.err} {
		if found := raw(text); found != "" {
			p.Errorf("%s: got %s on %s", s.name, found, stream)
		}
		for _, line := range continueLines.FindAllString(text, -1) {
			if !continueLine.MatchString(line) && !strings.Contains(line, "other") { // one of the words
				p.Errorf("%s: got the line %q to type, want it to have an id and nothing else", s.name, line)
			}
		}
	}
}

var (
	continueLines = regexp.MustCompile(`(?m)^\s*/ralph-loop --continue.*$`)
	continueLine  = regexp.MustCompile(`^\s*/ralph-loop --continue [A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$`)
)

// nothingRan looks for what a word would have left behind.
func (p person) nothingRan() {
	p.Helper()
	p.must(filepath.WalkDir(p.dir, func(path string, _ os.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(filepath.Base(path), "pwned") {
			p.Errorf("%s is there: a word was run", path)
		}
		return err
	}))
}

// fill puts words into every text of a value, of whatever a loop consists.
func fill(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Int, reflect.Int64:
		v.SetInt(3)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(3)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), text)
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), text)
		fill(v.Index(1), text+"2")
	case reflect.Map:
		if v.Type().Elem() == reflect.TypeFor[json.RawMessage]() {
			return
		}
		v.Set(reflect.MakeMap(v.Type()))
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, text)
		fill(value, text)
		v.SetMapIndex(key, value)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Now().Add(-time.Minute)))
			return
		}
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fill(v.Field(i), text)
			}
		}
	}
}

// hostileLoop has the words in all its fields, and a status in which a loop is
// shown in full.
func (p person) hostileLoop(status loop.Status) string {
	p.Helper()
	var l loop.State
	fill(reflect.ValueOf(&l).Elem(), strings.ToValidUTF8(allWords(), "?"))
	l.Status, l.Version, l.Stop, l.Workspace, l.MaxIterations = status, 0, false, p.cwd, 20
	l.Verify = "" // the user's own, and run
	data, err := json.Marshal(l)
	p.must(err)
	return string(data)
}

// oddFolder is a workspace whose name says something too.
const oddFolder = "work\x1b]0;x\a$(touch pwned)\u202e\n'`touch pwned`"

// TestWordsReachNoTerminalRaw: a loop full of words, and every command that
// reports it.
func TestWordsReachNoTerminalRaw(t *testing.T) {
	for _, status := range short.First([]loop.Status{loop.Status(allWords()), loop.Running, loop.Waiting}, 1) {
		t.Run(fmt.Sprintf("%.10q", string(status)), func(t *testing.T) {
			t.Parallel()
			p := newPerson(t, oddFolder)
			content := p.hostileLoop(status)
			for _, path := range []string{"tmp/cursor-ralph-loop-chat-1.json", "tmp/cursor-ralph-pending/1700000000000-7.json",
				"state/loops/k3333.json", "state/loops/k4444.json", "tmp/cursor-ralph-pending/chat-5.json"} {
				p.write(p.in(path), content)
			}
			p.write(p.in("tmp/cursor-ralph-loop-"+oddID+".json"), content)
			p.write(p.in("tmp/cursor-ralph-loop-broken.json"), allWords())
			p.write(p.in("tmp/cursor-ralph-loop-chat-1.journal"), allWords()+"\n"+`{"kind":"tool","tool":"\u001b[2J","at":"2026-01-01T00:00:00Z"}`+"\n")
			p.write(p.in("tmp/cursor-ralph-stop-hook.log"), "2026-01-01T00:00:00.000Z conversation=chat-1 event=stop action=error why=\""+allWords()+"\"\n"+allWords()+"\n")
			p.write(p.in("home/.cursor/hooks.json"), `{"version":1,"hooks":{"`+jsonWords()+`":[{"command":"`+jsonWords()+`"}],"stop":[{"command":"echo `+jsonWords()+`"}]}}`)
			p.write(filepath.Join(p.cwd, ".cursor", "hooks.json"), allWords())
			for _, id := range []string{"chat-1", "1700000000000-7", "chat-3", oddID, "broken"} {
				for _, name := range []string{"status", "history", "report", "log"} {
					p.shows(p.command(name, "--", id))
				}
				p.shows(p.command("status", "--json", "--", id))
				p.shows(p.command("report", "--html", "--", id))
				p.shows(p.command("history", "--json", "--", id))
				p.shows(p.command("history", "--", id))
			}
			for _, args := range [][]string{{"list", "--all"}, {"list", "--json", "--all"}, {"status"}, {"status", "--json"},
				{"log", "--raw"}, {"log", "--lines", "0"}, {"doctor", "--verbose"}, {"doctor", "--json"}, {"inject", "--dry-run", "chat-1"},
				{"config"}, {"loop-mode", "status"}, {"install", "--dry-run"}, {"uninstall", "--dry-run"}, {"notify", "chat-1"}, {"watch", "chat-1"},
				{"run", "--resume"}, {"verify", "chat-1"}, {"pause", "chat-1"}, {"resume", "chat-1"}, {"note", "chat-1", allText()},
				{"context", "chat-1", allText()}, {"blocked", "chat-1", allText()}, {"cancel", "chat-5"}, {"cancel", "chat-1"}} {
				p.shows(p.command(args...))
			}
			p.nothingRan()
		})
	}
}

const oddID = "--help-me._-"

// allText is what can be an argument of a program.
func allText() string { return strings.ToValidUTF8(strings.ReplaceAll(allWords(), "\x00", ""), "") }

func jsonWords() string {
	data, err := json.Marshal(strings.ToValidUTF8(allWords(), "?"))
	if err != nil {
		panic(err)
	}
	return strings.Trim(string(data), `"`)
}

// TestWordsOnTheCommandLineComeBackAsCodes: what is wrong with an argument is
// told with the argument in it.
func TestWordsOnTheCommandLineComeBackAsCodes(t *testing.T) {
	t.Parallel()
	p := newPerson(t, "work")
	text := strings.ReplaceAll(allWords(), "\x00", "") // with bytes that are no text
	for _, c := range commandNames(p) {
		for _, args := range short.First([][]string{{c, "--", text}, {c, "--" + text}, {c, "--json=" + text}, {c, "--lines=" + text}, {c, "--max-iterations=" + text, "x"},
			{c, "--type=" + text, "chat-1"}, {c, "--project=" + text}, {c, "--agent=" + text, "x"}, {c, "--", text, text}, {c, "-" + text}}, 3) {
			if starts := c == "start" && args[1] == "--"; !starts { // it tells the agent its task
				p.shows(p.command(args...))
			}
		}
	}
	p.shows(p.command(text))
	p.shows(p.command("help", text))
	for _, name := range []string{"CURSOR_RALPH_DIR", "CURSOR_RALPH_STATE_DIR", "CURSOR_CONVERSATION_ID", "CURSOR_PROJECT_DIR", "CURSOR_RALPH_MAX_ITERATIONS"} {
		odd := p
		odd.extra = []string{name + "=" + text}
		for _, args := range [][]string{{"status"}, {"list"}, {"config"}, {"doctor", "--verbose"}, {"log"}} {
			p.shows(odd.command(args...))
		}
	}
	p.write(p.in("home/.config/cursor-ralph/config.toml"), "[loop]\nverify = \""+jsonWords()+"\"\n\""+jsonWords()+"\" = 1\n")
	p.shows(p.command("config"))
	p.shows(p.command("doctor", "--verbose"))
	p.nothingRan()
}

// commandNames are all that there are, hidden ones too.
func commandNames(p person) []string {
	p.Helper()
	source, err := os.ReadFile("../../cmd/cursor-ralph/table.go")
	p.must(err)
	var names []string
	for _, m := range regexp.MustCompile("Use: [\"`]([a-z-]+)").FindAllSubmatch(source, -1) {
		names = append(names, string(m[1]))
	}
	if len(names) < 30 {
		p.Fatalf("got %d commands, so that something is wrong with finding them", len(names))
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == "supervise" }) // play and run things
}

// TestWordsOfAnAgentReachNoTerminalRaw: an agent of a run prints them.
func TestWordsOfAnAgentReachNoTerminalRaw(t *testing.T) {
	t.Parallel()
	p := newPerson(t, "work")
	p.write(p.in("words"), allWords())
	p.shows(p.command("run", strings.ReplaceAll(allText(), "--help", ""), "--agent-command", "sh -c 'cat "+p.in("words")+"; cat "+p.in("words")+" >&2; exit 3'", "--max-iterations", "2"))
	for _, name := range []string{"status", "history", "report", "log"} {
		p.shows(p.command(name))
	}
	p.nothingRan()
}

// TestWordsInEventsAreData plays a loop in which everything that the editor tells
// is made of them.
func TestWordsInEventsAreData(t *testing.T) {
	t.Parallel()
	p := newPerson(t, "work")
	text := strings.ToValidUTF8(allWords(), "?")
	quoted := `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
	p.hook("beforeSubmitPrompt", "chat-1", map[string]any{"prompt": "/ralph-loop -- " + quoted})
	for i := range 3 {
		p.hook("postToolUse", "chat-1", map[string]any{"tool_name": text, "tool_input": map[string]any{"path": text, "command": text}, "tool_output": text, "tool_use_id": fmt.Sprint(i)})
		p.hook("postToolUseFailure", "chat-1", map[string]any{"tool_name": "Shell", "tool_input": map[string]any{"command": text}, "error_message": text, "tool_use_id": fmt.Sprint("f", i)})
		p.hook("afterAgentResponse", "chat-1", map[string]any{"text": text})
		answer := p.hook("stop", "chat-1", map[string]any{"status": "completed", "loop_count": 0})
		var a struct {
			Text string `json:"followup_message"`
		}
		p.must(json.Unmarshal([]byte(answer.out), &a))
		if !strings.Contains(a.Text, strings.TrimSpace(text)) {
			t.Errorf("got %.300q, want the task word for word for the agent", a.Text)
		}
	}
	log, err := os.ReadFile(p.in("tmp/cursor-ralph-stop-hook.log"))
	p.must(err)
	if found := raw(string(log)); found != "" {
		t.Errorf("the log: got %s", found)
	}
	for _, args := range [][]string{{"status"}, {"history"}, {"report"}, {"log"}, {"log", "--raw"}, {"list"}, {"history", "--json"}} {
		p.shows(p.command(append(args, "--")...))
	}
	p.nothingRan()
}

// TestNoIDButAValidOneIsEverToBeTyped: the line that we type, or ask the user to
// type, has nothing else in it.
func TestNoIDButAValidOneIsEverToBeTyped(t *testing.T) {
	t.Parallel()
	p := newPerson(t, "work")
	for _, word := range words {
		word = strings.ReplaceAll(word, "\x00", "")
		for _, id := range []string{word, "chat-1" + word, word + "chat-1"} {
			if loop.CheckID(id) == nil {
				continue
			}
			if got := p.command("inject", "--dry-run", "--", id); got.code != 2 || strings.Contains(got.out+got.err, "yourself: /ralph-loop") {
				t.Errorf("got %+v, want it refused", got)
			}
		}
	}
	for _, id := range []string{"chat-1", "a", oddID, strings.Repeat("x", 128), "A.b_c-9"} {
		p.write(p.in("tmp/cursor-ralph-loop-"+id+".json"), p.hostileLoop(loop.Waiting))
		got := p.command("inject", "--dry-run", "--", id) // no desktop: it tells the line
		if !regexp.MustCompile(`type the line yourself: /ralph-loop --continue [g-z][0-9a-z]{4}$`).MatchString(strings.TrimSpace(got.err)) {
			t.Errorf("got %+v, want the line with the loop's id and nothing else", got)
		}
	}
}
