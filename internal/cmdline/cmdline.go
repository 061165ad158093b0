// Package cmdline reads what a user typed: the line after /ralph-loop in a chat, or the arguments of a
// command in a terminal. A slip in its quotes never costs a loop its gate: what does not say clearly what
// is wanted is an error, with the line as it was understood.
package cmdline

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// Parse reads what a user typed after /ralph-loop: the task and its
// options, or --continue and an id. It works like a shell: white space separates
// words; a quote, straight or curly, opens only at the start of a word and closes
// only at the end of one. Nothing is expanded; inside double quotes \" and \\ are
// the only escapes. Unquoted words before the first option are the task, white
// space included; after -- everything is. A line that does not say clearly what the
// user wants is a SlipError. defaults, which may be nil, is called for a new loop
// alone, and sets the options that were not typed.
func Parse(line string, defaults func() []loop.Default) (loop.Request, error) {
	p := parser{line: strings.TrimSpace(line), options: append(loop.Options(), loop.SlashOptions()...)}
	r, err := p.request()
	if err != nil {
		return r, err
	}
	switch {
	case r.Continue != "" && r.State.Prompt != "":
		return r, errors.New("--continue goes on with the task that the loop has: leave out the new one")
	case r.Continue != "" && slices.ContainsFunc(r.Changes(), notForContinue):
		return r, errors.New("--continue goes on with the rules that the loop has: only --max-iterations, --max-duration and --max-tokens may stand beside it")
	case r.File != "" && r.State.Prompt != "":
		return r, errors.New("--file has the task in it: leave out the other one")
	case r.Continue == "" && r.File == "" && strings.TrimSpace(r.State.Prompt) == "":
		return r, errors.New("the task is empty")
	}
	if r.Continue == "" && defaults != nil {
		if r, err = r.Fill(defaults()); err != nil {
			return r, err
		}
	}
	return r, r.Check()
}

// ParseArgs reads the arguments of a command in a terminal in the same way: an
// argument that the shell took out of quotes is a quoted word. options are all that the
// command has; one without a rule for its value takes any. It returns the task, empty if
// there is none, and the options in their order.
func ParseArgs(args []string, options []loop.Option) (task string, given []Given, err error) {
	words := make([]string, len(args))
	for i, arg := range args {
		words[i] = argumentWord(arg)
	}
	p := parser{line: strings.Join(words, " "), options: options, areArguments: true}
	_, err = p.request()
	for _, o := range p.said {
		given = append(given, Given{o.name, o.value})
	}
	return p.State.Prompt, given, err
}

// Given is an option as the user gave it; the value of a switch may be empty.
type Given struct{ Name, Value string }

// argumentWord quotes an argument as a user does in the chat.
func argumentWord(arg string) string {
	name, value, ok := strings.Cut(arg, "=")
	switch {
	case ok && strings.HasPrefix(name, "--") && !strings.ContainsFunc(name, unicode.IsSpace) && value != "":
		return name + "=" + argumentWord(value)
	case arg == "" || strings.ContainsFunc(arg, unicode.IsSpace) || closers(firstRune(arg)) != "":
		return text.Quote(arg)
	}
	return arg
}

func notForContinue(d loop.Default) bool {
	return d.Name != "continue" && !loop.IsLimit(d.Name)
}

// parser walks through a command; rest is what is still to be read.
type parser struct {
	loop.Request
	line, rest   string
	options      []loop.Option
	areArguments bool // of a terminal: the shell took their quotes
	hasTask      bool
	isQuotedTask bool
	said         []saidOption
}

func (p *parser) request() (loop.Request, error) {
	if !utf8.ValidString(p.line) {
		return loop.NewRequest(), errors.New("the task is not valid UTF-8 text")
	}
	err := p.parse()
	return p.Request, err
}

// saidOption is an option as the user gave it; from and to are where its value is in the line.
type saidOption struct {
	name, value string
	from, to    int
	quoted      bool
}

// at returns how far the line is read.
func (p *parser) at() int { return len(p.line) - len(p.rest) }

func (p *parser) parse() error {
	p.Request, p.rest = loop.NewRequest(), p.line
	for p.rest != "" {
		var err error
		switch name, ok := p.flag(); {
		case ok:
			err = p.option(name)
		case p.isDashes() && !p.hasTask:
			err = p.taskAfterDashes()
		default:
			err = p.task()
		}
		if err != nil {
			return err
		}
		p.skipSpace()
	}
	return nil
}

func (p *parser) skipSpace() { p.rest = strings.TrimLeftFunc(p.rest, unicode.IsSpace) }

// flag returns the name of the option that comes next. Keyboards turn hyphens into dashes of
// many kinds; one or two of them count before a known name.
func (p *parser) flag() (name string, ok bool) {
	end := strings.IndexFunc(p.rest, func(c rune) bool { return c == '=' || unicode.IsSpace(c) })
	if end < 0 {
		end = len(p.rest)
	}
	word := p.rest[:end]
	if name, ok = strings.CutPrefix(word, "--"); ok {
		return name, unicode.IsLetter(firstRune(name))
	}
	name = word
	for range 2 {
		if c := firstRune(name); isDash(c) {
			name = name[utf8.RuneLen(c):]
		}
	}
	_, known := loop.FindOption(p.options, name)
	return name, known && name != word
}

// isDashes reports whether the next word is --.
func (p *parser) isDashes() bool {
	rest, ok := strings.CutPrefix(p.rest, "--")
	return ok && (rest == "" || unicode.IsSpace(firstRune(rest)))
}

func (p *parser) option(name string) error {
	o, ok := loop.FindOption(p.options, name)
	if !ok {
		return p.unknownOption(name)
	}
	if err := p.givenTwice(name); err != nil {
		return err
	}
	p.rest = p.rest[strings.Index(p.rest, name)+len(name):]
	if o.Arg == "" && !strings.HasPrefix(p.rest, "=") {
		p.said = append(p.said, saidOption{name: name, from: p.at(), to: p.at()})
		return o.Set(&p.Request, "")
	}
	said := saidOption{name: name}
	var err error
	said.value, err = p.value(&said)
	said.to = p.at()
	switch {
	case o.Arg == "" && (err != nil || said.value != "true" && said.value != "false"):
		return fmt.Errorf("--%s takes no value, but for true and false", name)
	case err != nil:
		return err
	}
	p.said = append(p.said, said)
	return o.Set(&p.Request, said.value)
}

func (p *parser) value(said *saidOption) (string, error) {
	if rest, ok := strings.CutPrefix(p.rest, "="); ok {
		p.rest = rest
		if rest == "" || unicode.IsSpace(firstRune(rest)) {
			return "", fmt.Errorf("--%s needs a value", said.name)
		}
	} else {
		p.skipSpace()
		if _, isFlag := p.flag(); isFlag || p.rest == "" || p.isDashes() {
			return "", fmt.Errorf("--%s needs a value", said.name)
		}
	}
	said.from, said.quoted = p.at(), closers(firstRune(p.rest)) != ""
	return p.word()
}

// task reads a quoted task, or the unquoted words up to the first option.
func (p *parser) task() error {
	quoted := closers(firstRune(p.rest)) != "" || p.areArguments && p.isAlone()
	if p.hasTask || len(p.said) > 0 && !quoted {
		return p.leftOver()
	}
	if quoted {
		start := p.rest
		text, err := p.word()
		if err != nil {
			return err
		}
		if strings.TrimSpace(text) == "" {
			return errors.New("the task is empty")
		}
		if p.atOptionOrEnd() {
			p.isQuotedTask = true
			return p.setTask(text)
		}
		if len(p.said) > 0 {
			return p.leftOver()
		}
		p.rest = start // the task only begins with a quoted word
	}
	start, words := p.rest, []string{}
	for p.rest != "" {
		if _, isFlag := p.flag(); isFlag {
			break
		}
		word, err := p.word()
		if err != nil {
			return err
		}
		words = append(words, word)
		p.skipSpace()
	}
	if p.areArguments {
		return p.setTask(strings.Join(words, " "))
	}
	return p.setTask(strings.TrimSpace(start[:len(start)-len(p.rest)]))
}

// isAlone reports whether the next argument of a terminal stands alone behind an option that
// is complete: the shell may have taken quotes from it.
func (p *parser) isAlone() bool {
	last := saidOption{quoted: true}
	if len(p.said) > 0 {
		last = p.said[len(p.said)-1]
	}
	ahead := *p
	_, err := ahead.word()
	return err == nil && ahead.atOptionOrEnd() && (last.quoted || last.from == last.to)
}

// setTask refuses a task with one of our options in it: a quote is missing or stands in
// the wrong place, and the loop would have no gate.
func (p *parser) setTask(task string) error {
	p.hasTask, p.State.Prompt = true, task
	if name := p.optionIn(task); name != "" {
		return p.slip("the task has the option --%s in it. If that belongs to the task, give the options first and then -- and the task", name)
	}
	return checkCommand(task)
}

// slashCommands are the slash commands for commands that have one.
var slashCommands = []struct{ command, slash string }{
	{"cancel", "/cancel-ralph"}, {"pause", "/ralph-pause"}, {"resume", "/ralph-resume"}, {"continue", "/ralph-resume"}, {"context", "/ralph-context"},
	{"status", "/ralph-status"}, {"help", "/ralph-help"},
}

var terminalCommands = []string{"start", "run", "list", "watch", "log", "set", "report", "history", "diff", "restore", "install", "uninstall",
	"doctor", "config", "loop-mode", "version", "note", "blocked", "task", "deliver", "events", "slash", "completion"}

// checkCommand refuses a task that is only the name of one of our commands: the user wants that, not a loop about the word.
func checkCommand(task string) error {
	name := strings.ToLower(strings.TrimSpace(task))
	for _, c := range slashCommands {
		if name == c.command || name == c.slash {
			return fmt.Errorf("%s is a command of cursor-ralph, not a task: send %s. For a task, say in a sentence what is to be done", text.Quote(task), c.slash)
		}
	}
	if slices.Contains(terminalCommands, name) {
		return fmt.Errorf("%s is a command of cursor-ralph, not a task: run cursor-ralph %s in a terminal. For a task, say in a sentence what is to be done", text.Quote(task), name)
	}
	return nil
}

// taskAfterDashes reads the task after --, which may have anything in it.
func (p *parser) taskAfterDashes() error {
	p.rest = p.rest[len("--"):]
	p.skipSpace()
	p.hasTask = true
	text, words := p.rest, []string{}
	for p.rest != "" {
		word, err := p.word()
		if err != nil {
			break // a quote in a task that may have anything in it
		}
		words = append(words, word)
		p.skipSpace()
	}
	if p.rest == "" && (p.areArguments || len(words) == 1) {
		text = strings.Join(words, " ")
	}
	p.State.Prompt, p.rest = strings.TrimSpace(text), ""
	return nil
}

func (p *parser) atOptionOrEnd() bool {
	p.skipSpace()
	_, isFlag := p.flag()
	return isFlag || p.rest == "" || p.isDashes()
}

// word reads one word, quoted or not.
func (p *parser) word() (string, error) {
	open := firstRune(p.rest)
	if closers(open) != "" {
		return p.quoted(open)
	}
	end := strings.IndexFunc(p.rest, unicode.IsSpace)
	if end < 0 {
		end = len(p.rest)
	}
	word := p.rest[:end]
	p.rest = p.rest[end:]
	return word, nil
}

func (p *parser) quoted(open rune) (string, error) {
	escapes := open != '\'' && open != '‘'
	var b strings.Builder
	body := p.rest[utf8.RuneLen(open):]
	for i := 0; i < len(body); {
		c, size := utf8.DecodeRuneInString(body[i:])
		next := body[i+size:]
		switch {
		case escapes && c == '\\' && escapable(open, firstRune(next)):
			b.WriteRune(firstRune(next))
			size += utf8.RuneLen(firstRune(next))
		case strings.ContainsRune(closers(open), c) && (next == "" || unicode.IsSpace(firstRune(next))):
			p.rest = next
			return b.String(), nil
		default:
			b.WriteString(body[i : i+size])
		}
		i += size
	}
	return "", p.notClosed(open, body)
}

// escapable reports whether a backslash in double quotes escapes c. A keyboard
// that curls the outer quotes curls the inner ones too.
func escapable(open, c rune) bool {
	return c == '\\' || c == '"' || open != '"' && (c == '“' || c == '”' || c == '„')
}

// closers are the characters that close a quote, none where c opens none. A
// keyboard that makes quotes curly does it in several national ways.
func closers(c rune) string {
	switch c {
	case '"', '\'':
		return string(c)
	case '“':
		return "”"
	case '”':
		return "”"
	case '„':
		return "“”"
	case '‘':
		return "’"
	}
	return ""
}

func firstRune(s string) rune {
	c, _ := utf8.DecodeRuneInString(s)
	return c
}
