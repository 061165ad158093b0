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
	Meant      string // as it was probably meant
}

// Error returns what does not fit, without the lines.
func (e *SlipError) Error() string { return e.What }

// Explained returns an error of Parse, with the line as it was understood and as it was
// probably meant.
func Explained(command string, err error) (lines []string) {
	lines = []string{err.Error()}
	if slip := (*SlipError)(nil); errors.As(err, &slip) {
		lines = append(lines, "Understood: "+command+" "+slip.Understood, "Probably meant: "+command+" "+slip.Meant)
	}
	return lines
}

// Misplaced returns the line that was probably meant by a message with a command that starts a
// loop in it, but not at its beginning; empty for any other message.
func Misplaced(message string) string {
	if !loop.Ordinary(message) {
		return ""
	}
	for _, command := range []string{"/ralph-loop", "/ulw-loop"} {
		before, after, ok := cutWord(message, command)
		if !ok {
			continue
		}
		line := strings.TrimSpace(after)
		if r, err := Parse(line, nil); err != nil || r.State.Prompt == "" && r.Continue == "" {
			line = text.Quote(strings.TrimSpace(before)) + " " + line // the task comes first
		}
		return text.Limit(strings.TrimSpace(command+" "+line), 2000)
	}
	return ""
}

// cutWord cuts a message around a word that has white space before it and behind it.
func cutWord(message, word string) (before, after string, ok bool) {
	for at := 0; ; {
		i := strings.Index(message[at:], word)
		if i < 0 {
			return "", "", false
		}
		i += at
		at = i + len(word)
		last, _ := utf8.DecodeLastRuneInString(message[:i])
		if i > 0 && unicode.IsSpace(last) && (at == len(message) || unicode.IsSpace(firstRune(message[at:]))) {
			return message[:i], message[at:], true
		}
	}
}

// explained adds to an error how the line was understood and probably meant.
func (p *parser) explained(err error) error {
	if p.repair == "" {
		return err
	}
	understood := p.understood()
	if rest := strings.TrimSpace(p.rest); rest != "" && understood != "" {
		understood += " and then " + text.Quote(shortened(rest))
	}
	return &SlipError{What: err.Error(), Understood: understood, Meant: p.repair}
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

// mostRepairs is how many slips of one line are mended.
const mostRepairs = 4

// longestRepair bounds the time that the hook takes for them, in bytes.
const longestRepair = 20_000

// mend tries a line as the one that was probably meant.
func (p *parser) mend(line string) bool {
	if p.repairs == mostRepairs || len(line) > longestRepair {
		return false
	}
	q := parser{line: strings.TrimSpace(line), options: p.options, repairs: p.repairs + 1}
	if err := q.parse(); err == nil && q.hasTask && q.Check() == nil {
		p.repair = q.understood()
	} else if err != nil {
		p.repair = q.repair
	}
	return p.repair != ""
}

// leftOver refuses words that belong to nothing. They were meant as a part of the value
// before them, or of the task.
func (p *parser) leftOver() error {
	end := p.endOfWords(p.rest, func(string) bool { return true })
	err := fmt.Errorf("%q is left over: put the whole task, and each value of several words, in one pair of quotes", text.FirstHead(p.rest[:end], 40))
	words, after := unquoted(strings.TrimSpace(p.rest[:end])), p.rest[end:]
	if n := len(p.said); n > 0 && p.hasTask {
		last := p.said[n-1]
		if last.to > last.from && !last.quoted && p.mend(p.line[:last.from]+text.Quote(last.value+" "+words)+" "+after) {
			return err
		}
	}
	if p.hasTask {
		words = p.State.Prompt + " " + words
	}
	p.mend(text.Quote(words) + " " + p.saidOptions() + after)
	return err
}

// endOfWords returns where the next option begins in rest that counts.
func (p *parser) endOfWords(rest string, counts func(name string) bool) int {
	ahead := parser{line: rest, rest: rest, options: p.options, repairs: mostRepairs}
	for ahead.rest != "" {
		if name, isFlag := ahead.flag(); isFlag && counts(name) {
			break
		}
		if _, err := ahead.word(); err != nil {
			return len(rest)
		}
		ahead.skipSpace()
	}
	return len(rest) - len(ahead.rest)
}

// unquoted removes the quotes around words, of which one may be missing.
func unquoted(words string) string {
	if open := firstRune(words); closers(open) != "" {
		last, size := utf8.DecodeLastRuneInString(words)
		words = words[utf8.RuneLen(open):]
		if strings.ContainsRune(closers(open), last) && size <= len(words) {
			words = words[:len(words)-size]
		}
	}
	return words
}

// unknownOption refuses an option that is misspelled, or a word of a task without quotes.
func (p *parser) unknownOption(name string) error {
	at := p.at() + strings.Index(p.rest, name)
	switch near := nearest(p.options, name); {
	case near != "":
		p.mend(p.line[:at] + near + p.line[at+len(name):])
	case len(p.said) == 0 && !p.isQuotedTask:
		end := p.at() + p.endOfWords(p.rest, func(name string) bool { _, ok := loop.FindOption(p.options, name); return ok })
		p.mend(text.Quote(strings.TrimSpace(p.line[:end])) + " " + p.line[end:])
	}
	return fmt.Errorf("unknown option --%s; a task that has such a word in it belongs in quotes", text.FirstHead(name, 40))
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

// notClosed refuses a quote without an end, which should have been before the first option
// after it, or at the end of the line.
func (p *parser) notClosed(open rune, body string) error {
	err := fmt.Errorf("the quote %c before %q is not closed", open, text.FirstHead(body, 40))
	quoteAt := len(p.line) - len(body) - utf8.RuneLen(open)
	if name, at, _ := p.optionIn(body); name != "" && p.mend(p.line[:quoteAt]+text.Quote(strings.TrimSpace(body[:at]))+" "+body[at:]) {
		return err
	}
	isApostrophe := !p.inValue && (open == '\'' || open == '‘')
	if p.inValue || quoteAt == p.taskAt && !isApostrophe {
		p.mend(p.line[:quoteAt] + text.Quote(body))
	} else {
		p.mend(p.line[:p.taskAt] + text.Quote(p.line[p.taskAt:]))
	}
	return err
}

// optionInTask refuses a task with an option in it, which begins where the task's quote
// should have ended.
func (p *parser) optionInTask(name, task string, at, end int) error {
	head, tail := p.beforeOption(task[:at]), strings.TrimLeft(task[end:], "\"'“”„‘’")
	if tail != "" && !strings.HasPrefix(tail, "=") && !unicode.IsSpace(firstRune(tail)) {
		tail = " " + text.Quote(tail)
	}
	for _, quote := range []string{"", `"`, `'`} {
		if p.mend(p.line[:p.taskAt] + text.Quote(head) + " --" + name + tail + quote + " " + p.rest) {
			break
		}
	}
	return fmt.Errorf("the task has the option --%s in it. If that belongs to the task, give the options first and then -- and the task", name)
}

// beforeOption is the task before an option that was found in it, without what was meant to
// part them.
func (p *parser) beforeOption(head string) string {
	head = strings.TrimRight(head, " \t\r\n;,")
	last, size := utf8.DecodeLastRuneInString(head)
	if strings.ContainsRune("\"'“”„‘’", last) && strings.Count(head, string(last))%2 == 1 {
		head = strings.TrimRight(head[:len(head)-size], " \t\r\n;,")
	}
	if !p.isQuotedTask {
		head = unquoted(head)
	}
	return strings.TrimSpace(head)
}

// optionIn returns the first of our options in a task, however many dashes of whatever kind
// it has, where they are, and where its name ends. One hyphen or dash makes an option only
// where a word could begin.
func (p *parser) optionIn(task string) (name string, at, end int) {
	before := ' '
	for at < len(task) {
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
		name, end := p.optionAt(task, at+dashes, isApart)
		if name != "" && (isDouble || !isWordRune(before) && dashes > 1 || unicode.IsSpace(before) || strings.ContainsRune("\"'“”„‘’«»`;,.:!?()[]{}", before)) {
			return name, at, end
		}
		at, before = at+dashes, c
	}
	return "", 0, 0
}

// optionAt reads the name of one of our options, in letters of any case. Signs that nobody
// sees do not count.
func (p *parser) optionAt(task string, at int, mayBeApart bool) (name string, end int) {
	rest := task[at:]
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
		return "", at
	}
	return b.String(), len(task) - len(rest)
}

// isDash knows what keyboards and editors make of a hyphen: any dash, the minus sign, and the long vowel of Japanese keyboards.
func isDash(c rune) bool { return unicode.Is(unicode.Pd, c) || c == '\u2212' || c == '\u30fc' }

func isWordRune(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) || c == '_' }
