package loop

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

// SlashCommand splits a chat message that begins with a slash command into its
// name and the rest; ok is false for any other message.
func SlashCommand(message string) (name, rest string, ok bool) {
	message = strings.TrimLeftFunc(message, unicode.IsSpace)
	if !strings.HasPrefix(message, "/") {
		return "", "", false
	}
	end := strings.IndexFunc(message, unicode.IsSpace)
	if end < 0 {
		end = len(message)
	}
	return message[1:end], message[end:], true
}

// ParseCommand reads what a user typed after /ralph-loop: the task and its
// options, or --continue and an id. It works like a shell: white space separates
// words; a quote, straight or curly, opens only at the start of a word and closes
// only at the end of one. Nothing is expanded; inside double quotes \" and \\ are
// the only escapes. Unquoted words before the first option are the task, white
// space included. defaults, which may be nil, is called for a new loop alone, and
// sets the options that were not typed.
func ParseCommand(text string, defaults func() []Default) (Request, error) {
	r := NewRequest()
	if !utf8.ValidString(text) {
		return r, errors.New("the task is not valid UTF-8 text")
	}
	p := parser{rest: strings.TrimSpace(text)}
	if err := p.parse(&r); err != nil {
		return r, err
	}
	switch {
	case r.Continue != "" && r.State.Prompt != "":
		return r, errors.New("--continue goes on with the task that the loop has: leave out the new one")
	case r.Continue != "" && slices.ContainsFunc(r.given, notForContinue):
		return r, errors.New("--continue goes on with the rules that the loop has: only --max-iterations, --max-duration and --max-tokens may stand beside it")
	case r.File != "" && r.State.Prompt != "":
		return r, errors.New("--file has the task in it: leave out the other one")
	case r.Continue == "" && r.File == "" && strings.TrimSpace(r.State.Prompt) == "":
		return r, errors.New("the task is empty")
	}
	if r.Continue == "" && defaults != nil {
		var err error
		if r, err = r.Fill(defaults()); err != nil {
			return r, err
		}
	}
	return r, r.Check()
}

func notForContinue(name string) bool {
	return name != "continue" && !IsLimit(name)
}

// parser walks through a command; rest is what is still to be read.
type parser struct{ rest string }

func (p *parser) parse(r *Request) error {
	for p.rest != "" {
		var err error
		if name, ok := p.flag(); ok {
			err = p.option(r, name)
		} else {
			err = p.task(r)
		}
		if err != nil {
			return err
		}
		p.rest = strings.TrimLeftFunc(p.rest, unicode.IsSpace)
	}
	return nil
}

// flag returns the name of the option that comes next. Some keyboards turn two
// hyphens into a dash; that counts before a known name.
func (p *parser) flag() (name string, ok bool) {
	end := strings.IndexFunc(p.rest, func(c rune) bool { return c == '=' || unicode.IsSpace(c) })
	if end < 0 {
		end = len(p.rest)
	}
	word := p.rest[:end]
	if name, ok := strings.CutPrefix(word, "—"); ok {
		_, ok = findOption(name)
		return name, ok
	}
	name, ok = strings.CutPrefix(word, "--")
	return name, ok && unicode.IsLetter(firstRune(name))
}

func (p *parser) option(r *Request, name string) error {
	o, ok := findOption(name)
	if !ok {
		return fmt.Errorf("unknown option --%s; a task that has such a word in it belongs in quotes", text.FirstHead(name, 40))
	}
	p.rest = p.rest[strings.Index(p.rest, name)+len(name):]
	if o.Arg == "" && !strings.HasPrefix(p.rest, "=") {
		return o.Set(r, "")
	}
	value, err := p.value(name)
	switch {
	case o.Arg == "" && (err != nil || value != "true" && value != "false"):
		return fmt.Errorf("--%s takes no value, but for true and false", name)
	case err != nil:
		return err
	}
	return o.Set(r, value)
}

func findOption(name string) (Option, bool) {
	for _, o := range append(Options(), slashOptions()...) {
		if o.Name == name {
			return o, true
		}
	}
	if of, ok := strings.CutPrefix(name, "no-"); ok && !strings.HasPrefix(of, "no-") {
		if o, ok := findOption(of); ok {
			return o.Without()
		}
	}
	return Option{}, false
}

func (p *parser) value(name string) (string, error) {
	if rest, ok := strings.CutPrefix(p.rest, "="); ok {
		p.rest = rest
		if rest == "" || unicode.IsSpace(firstRune(rest)) {
			return "", fmt.Errorf("--%s needs a value", name)
		}
		return p.word()
	}
	p.rest = strings.TrimLeftFunc(p.rest, unicode.IsSpace)
	if _, isFlag := p.flag(); isFlag || p.rest == "" {
		return "", fmt.Errorf("--%s needs a value", name)
	}
	return p.word()
}

// task reads a quoted task, or the unquoted words up to the first option.
func (p *parser) task(r *Request) error {
	if r.State.Prompt != "" || len(r.given) > 0 && closers(firstRune(p.rest)) == "" {
		return p.leftOver()
	}
	if closers(firstRune(p.rest)) != "" {
		var err error
		start := p.rest
		r.State.Prompt, err = p.word()
		if err == nil && strings.TrimSpace(r.State.Prompt) == "" {
			return errors.New("the task is empty")
		}
		if err != nil || p.atOptionOrEnd() {
			return err
		}
		if len(r.given) > 0 {
			return p.leftOver()
		}
		p.rest = start // the task only begins with a quoted word
	}
	start := p.rest
	for p.rest != "" {
		if _, isFlag := p.flag(); isFlag {
			break
		}
		if _, err := p.word(); err != nil {
			return err
		}
		p.rest = strings.TrimLeftFunc(p.rest, unicode.IsSpace)
	}
	r.State.Prompt = strings.TrimSpace(start[:len(start)-len(p.rest)])
	return nil
}

func (p *parser) leftOver() error {
	return fmt.Errorf("%q is left over: put the whole task in one pair of quotes, and write \\\" for a quote inside it", text.FirstHead(p.rest, 40))
}

func (p *parser) atOptionOrEnd() bool {
	p.rest = strings.TrimLeftFunc(p.rest, unicode.IsSpace)
	_, isFlag := p.flag()
	return isFlag || p.rest == ""
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
	return "", fmt.Errorf("the quote %c before %q is not closed", open, text.FirstHead(body, 40))
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
