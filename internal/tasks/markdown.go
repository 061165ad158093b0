package tasks

import (
	"fmt"
	"strings"
)

// parseMarkdown finds the lines that begin with a list marker and a checkbox, nested and quoted ones too, but not in fenced code or
// comments. A line that was probably meant as a checkbox is an error: a slip must not cost a task.
func parseMarkdown(data []byte) (list List, err error) {
	var skip block
	number := 0
	for line := range strings.Lines(string(data)) {
		number++
		line = strings.TrimLeft(strings.TrimRight(line, " \t\r\n"), "> \t")
		if skip.holds(line) {
			continue
		}
		t, isBox, err := task(line)
		if err != nil {
			return nil, fmt.Errorf("line %d is nearly a checkbox (%w): write - [ ] and the words, or - [x] when it is done", number, err)
		}
		if isBox {
			list = append(list, t)
		}
	}
	return list, nil
}

// block is fenced code or a comment, by what ends it; empty outside of both.
type block string

const comment block = "-->"

// holds reports whether a line is in a block, or begins or ends one.
func (b *block) holds(line string) bool {
	switch {
	case *b == comment:
		if strings.Contains(line, string(comment)) {
			*b = ""
		}
		return true
	case *b != "":
		if strings.HasPrefix(line, string(*b)) && strings.Trim(line, line[:1]) == "" {
			*b = ""
		}
		return true
	case strings.HasPrefix(line, "<!--"):
		if !strings.Contains(line, string(comment)) {
			*b = comment
		}
		return true
	}
	*b = fence(line)
	return *b != ""
}

// fence returns the backticks or tildes that open fenced code; empty if the line opens none.
func fence(line string) block {
	for _, sign := range []string{"`", "~"} {
		words := strings.TrimLeft(line, sign)
		if n := len(line) - len(words); n >= 3 && (sign == "~" || !strings.Contains(words, sign)) {
			return block(line[:n])
		}
	}
	return ""
}

// task parses a line. A box without words is not a task.
func task(line string) (t Task, isBox bool, err error) {
	text, isItem := item(line)
	mark, words, isClosed := strings.Cut(strings.TrimPrefix(text, "["), "]")
	switch {
	case !isItem || !strings.HasPrefix(text, "[") || !isClosed || len([]rune(mark)) > 1:
		return t, false, nil
	case words == "" && mark == " ":
		return t, false, nil
	case strings.HasPrefix(words, "(") || strings.HasPrefix(words, "[") || strings.HasPrefix(words, ":"): // a link
		return t, false, nil
	case mark == "" || !strings.Contains(" \txX", mark):
		return t, false, fmt.Errorf("[%s]", mark)
	case words != "" && !strings.ContainsAny(words[:1], " \t"):
		return t, false, fmt.Errorf("no space behind [%s]", mark)
	}
	name := nameOf(words)
	return Task{Name: name, Done: strings.EqualFold(mark, "x"), optional: isOptional(name)}, name != "", nil
}

// item returns the text after a list marker: - * + 1. 1)
func item(line string) (text string, ok bool) {
	rest := strings.TrimLeft(line, "0123456789")
	signs := "-*+"
	if rest != line {
		signs = ".)"
	}
	if rest == "" || !strings.Contains(signs, rest[:1]) {
		return "", false
	}
	text = strings.TrimLeft(rest[1:], " \t")
	return text, text != rest[1:]
}
