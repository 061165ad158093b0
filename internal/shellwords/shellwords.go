// Package shellwords splits a command into words as a shell does. It expands
// nothing and is no parser of a shell's language. What a user types after
// /ralph-loop has rules of its own, in package loop.
package shellwords

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Dialect is how a shell quotes.
type Dialect struct {
	space, operators string
	escape           rune
	outside, inside  string // what can be escaped outside of quotes, all if empty, and inside double quotes
	powershell       bool   // curly quotes count as ', and a doubled quote is one
}

// The dialects.
var (
	POSIX      = Dialect{space: " \t", operators: ";|&<>()`\r\n", escape: '\\', inside: "\"\\$`"}
	PowerShell = Dialect{space: " \t", operators: ";|&<>()\r\n", escape: '`', inside: "\"\\$`", powershell: true}
	// Argv is POSIX for a command that no shell runs: it has no operators.
	Argv = Dialect{space: " \t\r\n", escape: '\\', inside: "\"\\$`\n"}
	// Any reads an agent's command, whichever shell that is for. A backslash
	// escapes quotes only, as it may be part of a Windows path.
	Any = Dialect{space: " \t\r", operators: "\n;&|(){}`", escape: '\\', outside: `'"`, inside: `'"`}
)

// Of returns the dialect of the shell that Cursor uses on a system.
func Of(goos string) Dialect {
	if goos == "windows" {
		return PowerShell
	}
	return POSIX
}

// Word is a word without its quotes, or an operator.
type Word struct {
	Text     string
	Operator bool
}

// One splits a command that is one program with its arguments. It returns false
// for anything else.
func (d Dialect) One(command string) (words []string, ok bool) {
	command = strings.Trim(command, d.space)
	if d.powershell {
		command = strings.TrimPrefix(command, "&") // the call operator
	}
	list, ok := d.Split(command)
	for _, w := range list {
		words = append(words, w.Text)
	}
	if !ok || slices.ContainsFunc(list, func(w Word) bool { return w.Operator }) {
		return nil, false
	}
	return words, true
}

// Split returns false, with the words there are, if a quote is not closed.
func (d Dialect) Split(command string) (words []Word, ok bool) {
	s := scanner{Dialect: d, rest: command}
	ok = true
	for s.rest != "" {
		r, piece := s.take()
		switch {
		case strings.ContainsRune(d.space, r):
			s.endWord()
		case d.closes('\'', r), r == '"':
			ok = s.quoted(r)
		case r == d.escape && (d.outside == "" || s.nextIn(d.outside)):
			_, piece = s.take()
			s.add(piece)
		case strings.ContainsRune(d.operators, r):
			s.endWord()
			s.words = append(s.words, Word{piece, true})
		default:
			s.add(piece)
		}
	}
	s.endWord()
	return s.words, ok
}

// closes reports whether a character closes a quote of this kind, ' or ".
func (d Dialect) closes(open, r rune) bool {
	return r == open || d.powershell && open != '"' && (r == '\'' || '\u2018' <= r && r <= '\u201b')
}

type scanner struct {
	Dialect
	rest    string
	word    strings.Builder
	started bool // a word may be empty, in quotes
	words   []Word
}

func (s *scanner) take() (r rune, piece string) {
	r, size := utf8.DecodeRuneInString(s.rest)
	piece, s.rest = s.rest[:size], s.rest[size:]
	return r, piece
}

func (s *scanner) nextIn(set string) bool {
	next, size := utf8.DecodeRuneInString(s.rest)
	return size > 0 && strings.ContainsRune(set, next)
}

func (s *scanner) add(piece string) {
	s.word.WriteString(piece)
	s.started = true
}

func (s *scanner) endWord() {
	if s.started {
		s.words = append(s.words, Word{Text: s.word.String()})
	}
	s.word.Reset()
	s.started = false
}

// quoted reads to the end of a quote, and returns false if it does not end.
func (s *scanner) quoted(open rune) bool {
	s.add("")
	for s.rest != "" {
		r, piece := s.take()
		next, _ := utf8.DecodeRuneInString(s.rest)
		switch {
		case s.powershell && s.closes(open, r) && s.closes(open, next), open == '"' && r == s.escape && s.nextIn(s.inside):
			_, piece = s.take()
			s.add(piece)
		case s.closes(open, r):
			return true
		default:
			s.add(piece)
		}
	}
	return false
}
