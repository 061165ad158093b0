package render

import (
	"fmt"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
)

func section(title, content string) string {
	if content == "" {
		return ""
	}
	return "## " + title + "\n\n" + content
}

func bullets(found []fact, most int) string {
	var b strings.Builder
	for _, f := range found[:min(len(found), most)] {
		fmt.Fprintf(&b, "- %s (%s)\n", code(f.Text), enumerated(f.In))
	}
	if n := len(found) - most; n > 0 {
		fmt.Fprintf(&b, "- and %d more\n", n)
	}
	return b.String()
}

func enumerated(numbers []int) string {
	const most = 8
	if len(numbers) == 1 {
		return fmt.Sprintf("iteration %d", numbers[0])
	}
	var words []string
	for _, n := range numbers[:min(len(numbers), most)] {
		words = append(words, fmt.Sprint(n))
	}
	if n := len(numbers) - most; n > 0 {
		words = append(words, fmt.Sprintf("%d more", n))
	}
	return "iterations " + strings.Join(words, ", ")
}

// code is text in one line that Markdown takes for nothing else.
func code(text string) string {
	text = cli.Shortened(text, reportedLine)
	if text == "" {
		text = " "
	}
	fence := strings.Repeat("`", longestRun(text)+1)
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	return fence + text + fence
}

// block is text with its lines, which Markdown takes for nothing else.
func block(text string, most int) string {
	text = strings.Trim(cli.Printable(strings.ReplaceAll(text, "\r\n", "\n")), "\n")
	if strings.TrimSpace(text) == "" {
		return ""
	}
	left := ""
	if runes := []rune(text); len(runes) > most {
		text, left = string(runes[:most]), fmt.Sprintf("\nThe rest, %d characters, is left out.\n", len(runes)-most)
	}
	fence := strings.Repeat("`", max(3, longestRun(text)+1))
	return fence + "text\n" + text + "\n" + fence + "\n" + left
}

func longestRun(text string) (longest int) {
	run := 0
	for _, r := range text {
		if r != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}
