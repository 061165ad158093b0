package cmdline

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// SlipError is a line in which something does not fit, such as words that are left over or
// a quote in the wrong place. Read generously, it could cost the loop a gate.
type SlipError struct {
	What       string
	Understood string // the line as it was understood, without the name of the command
}

// Error returns what does not fit, without the line.
func (e *SlipError) Error() string { return e.What }

// Explained returns an error of Parse, with the line as it was understood.
func Explained(command string, err error) (lines []string) {
	lines = []string{err.Error()}
	if slip := (*SlipError)(nil); errors.As(err, &slip) {
		lines = append(lines, "Understood: "+command+" "+slip.Understood)
	}
	return lines
}

// Misplaced returns the command that starts a loop and stands in a message, but not at its
// beginning; empty for any other message.
func Misplaced(message string) string {
	for _, command := range []string{"/ralph-loop", "/ulw-loop"} {
		if loop.Ordinary(message) && hasWord(message, command) {
			return command
		}
	}
	return ""
}

// hasWord reports whether a message has a word with white space before it and behind it.
func hasWord(message, word string) bool {
	for at := 0; ; {
		i := strings.Index(message[at:], word)
		if i < 0 {
			return false
		}
		i += at
		at = i + len(word)
		last, _ := utf8.DecodeLastRuneInString(message[:i])
		if i > 0 && unicode.IsSpace(last) && (at == len(message) || unicode.IsSpace(firstRune(message[at:]))) {
			return true
		}
	}
}

// slip is an error about the line itself, with how it was understood.
func (p *parser) slip(format string, args ...any) error {
	understood := p.understood()
	if rest := strings.TrimSpace(p.rest); rest != "" {
		understood = strings.TrimSpace(understood + " and then " + text.Quote(shortened(rest)))
	}
	return &SlipError{What: fmt.Sprintf(format, args...), Understood: understood}
}

// understood is the line as far as it was understood.
func (p *parser) understood() string {
	if !p.hasTask {
		return strings.TrimSpace(p.saidOptions())
	}
	return strings.TrimSpace(text.Quote(shortened(p.State.Prompt)) + " " + p.saidOptions())
}

// saidOptions are the options that were given, in their order.
func (p *parser) saidOptions() string {
	var b strings.Builder
	for _, s := range p.said {
		b.WriteString("--" + s.name + " ")
		if s.to > s.from {
			b.WriteString(text.Quote(s.value) + " ")
		}
	}
	return b.String()
}

// shortened keeps a long task from filling the screen.
func shortened(task string) string {
	if len(task) <= 300 {
		return task
	}
	return text.Head(task, 200) + " " + text.Tail(task, 80)
}

// leftOver refuses words that belong to nothing.
func (p *parser) leftOver() error {
	words := p.rest
	if end := p.endOfWords(); end > 0 {
		words = words[:end]
	}
	return p.slip("%q is left over: put the whole task, and each value of several words, in one pair of quotes", text.FirstHead(words, 40))
}

// endOfWords returns where the next option begins in what is still to be read.
func (p *parser) endOfWords() int {
	ahead := parser{line: p.rest, rest: p.rest, options: p.options}
	for ahead.rest != "" {
		if _, isFlag := ahead.flag(); isFlag {
			break
		}
		if _, err := ahead.word(); err != nil {
			return len(p.rest)
		}
		ahead.skipSpace()
	}
	return len(p.rest) - len(ahead.rest)
}

// unknownOption refuses an option that is misspelled, or a word of a task without quotes.
func (p *parser) unknownOption(name string) error {
	near := nearest(p.options, name)
	if near != "" {
		near = " (did you mean --" + near + "?)"
	}
	return p.slip("unknown option --%s%s; a task that has such a word in it belongs in quotes", text.FirstHead(name, 40), near)
}

// givenTwice refuses an option that would take the place of one before it.
func (p *parser) givenTwice(name string) error {
	base := strings.TrimPrefix(name, "no-")
	for _, before := range p.said {
		switch {
		case strings.TrimPrefix(before.name, "no-") != base:
		case before.name != name:
			return fmt.Errorf("--%s and --no-%s: give one of them", base, base)
		case name == "verify":
			return errors.New(`--verify is given twice: one command runs both, as in --verify "npm test && npm run lint"`)
		default:
			return fmt.Errorf("--%s is given twice: only one of them could count", name)
		}
	}
	return nil
}

// nearest returns the option that differs from a name in two letters side by side at most.
func nearest(options []loop.Option, name string) string {
	for _, o := range options {
		shorter, longer := min(len(name), len(o.Name)), max(len(name), len(o.Name))
		start, end := 0, 0
		for start < shorter && name[start] == o.Name[start] {
			start++
		}
		for end < shorter-start && name[len(name)-1-end] == o.Name[len(o.Name)-1-end] {
			end++
		}
		if start+end >= longer-2 && start+end > longer/2 {
			return o.Name
		}
	}
	return ""
}

// notClosed refuses a quote without an end.
func (p *parser) notClosed(open rune, body string) error {
	return p.slip("the quote %c before %q is not closed; close it before a space, or put the whole in quotes of another kind", open, text.FirstHead(body, 40))
}

// optionIn returns the first of our options in a task, however many dashes of whatever kind
// it has. One hyphen or dash makes an option only where a word could begin.
func (p *parser) optionIn(task string) (name string) {
	before := ' '
	for at := 0; at < len(task); {
		c, size := utf8.DecodeRuneInString(task[at:])
		if !isDash(c) {
			if !text.HasNoWidth(c) {
				before = c
			}
			at += size
			continue
		}
		dashes := len(task[at:]) - len(strings.TrimLeftFunc(task[at:], func(c rune) bool { return isDash(c) || text.HasNoWidth(c) }))
		isDouble := strings.Trim(task[at:at+dashes], "-") == "" && dashes == 2
		isApart := isDouble && unicode.IsSpace(before) // then the name may be apart, too
		name := p.optionAt(task[at+dashes:], isApart)
		if name != "" && (isDouble || !isWordRune(before) && dashes > 1 || unicode.IsSpace(before) || strings.ContainsRune("\"'“”„‘’«»`;,.:!?()[]{}", before)) {
			return name
		}
		at, before = at+dashes, c
	}
	return ""
}

// optionAt reads the name of one of our options, in letters of any case. Signs that nobody
// sees do not count.
func (p *parser) optionAt(rest string, mayBeApart bool) (name string) {
	if mayBeApart {
		rest = strings.TrimLeftFunc(rest, unicode.IsSpace)
	}
	const longest = 60 // bytes, those of other signs too
	var b strings.Builder
	for b.Len() < longest && rest != "" {
		c, size := utf8.DecodeRuneInString(rest)
		switch letter := c | 0x20; {
		case letter >= 'a' && letter <= 'z':
			b.WriteRune(letter)
		case isDash(c):
			b.WriteByte('-')
		case !text.HasNoWidth(c):
			size = 0
		}
		if size == 0 {
			break
		}
		rest = rest[size:]
	}
	_, known := loop.FindOption(p.options, b.String())
	after := firstRune(rest)
	isOfPath := after == '/' || after == '.' && isWordRune(firstRune(rest[1:]))
	if !known || isWordRune(after) || isOfPath {
		return ""
	}
	return b.String()
}

// isDash knows what keyboards and editors make of a hyphen: any dash, a minus sign, and the Katakana mark for long vowels.
func isDash(c rune) bool { return unicode.Is(unicode.Pd, c) || c == '\u2212' || c == '\u30fc' }

func isWordRune(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) || c == '_' }
