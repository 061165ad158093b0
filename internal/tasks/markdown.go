package tasks

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	source "github.com/yuin/goldmark/text"
)

// box is the checkbox with which the text of a list item begins, as GitHub reads it: a
// link such as [x](url) does not count, and neither does a box without words.
var box = regexp.MustCompile(`(?s)^\[([ \txX])\]\s+(\S.*)`)

// maxNested is the number of lists and quotes in which a line may be. The parser takes
// the square of the time for deeper ones.
const maxNested = 50

// isDeep reports whether a line is nested too deeply.
func isDeep(line string) bool {
	n := 0
	for i := range len(line) {
		switch c := line[i]; {
		case c == '>', strings.IndexByte("-+*.)", c) >= 0 && i+1 < len(line) && (line[i+1] == ' ' || line[i+1] == '\t'):
			n++
		case strings.IndexByte(" \t-+*.)0123456789", c) < 0:
			return n > maxNested
		}
	}
	return n > maxNested
}

// parseMarkdown finds the list items that begin with a checkbox, nested ones too. Code
// and comments are no list items. What the words of a task mean in Markdown does not
// matter, so only the blocks are parsed.
func parseMarkdown(data []byte) (list List, err error) {
	for line := range strings.Lines(string(data)) {
		if isDeep(line) {
			return nil, fmt.Errorf("it is nested more than %d times", maxNested)
		}
	}
	blocks := parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...))
	root := blocks.Parse(source.NewReader(data))
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if _, ok := n.(*ast.ListItem); ok && entering && len(list) <= maxTasks {
			if t, ok := task(n.FirstChild(), data); ok {
				list = append(list, t)
			}
		}
		return ast.WalkContinue, nil
	})
	return list, nil
}

// task reads the first block of a list item.
func task(first ast.Node, data []byte) (Task, bool) {
	switch first.(type) {
	case *ast.TextBlock, *ast.Paragraph:
	default:
		return Task{}, false
	}
	found := box.FindStringSubmatch(strings.TrimLeft(string(first.Lines().Value(data)), " \t"))
	if found == nil {
		return Task{}, false
	}
	name := nameOf(found[2])
	return Task{Name: name, Done: strings.EqualFold(found[1], "x"), optional: isOptional(name)}, name != ""
}
