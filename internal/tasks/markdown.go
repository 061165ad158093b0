package tasks

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

var (
	// item is a line that begins a list item, in quotes or lists too; what follows its signs is the rest.
	item = regexp.MustCompile(`^(?:\s*(?:>|[-+*]\s|[0-9]{1,9}[.)]\s))+`)
	// box is the checkbox with which a task begins. A box without words is none.
	box = regexp.MustCompile(`^\[([ \txX])\]\s+(\S.*)`)
	// nearBox is what people and agents write for one by mistake. A link such as [x](url) is none.
	nearBox = regexp.MustCompile(`^\[(?:\s*|\s*[xX✓✔~/-]+\s*)\](?:[^(\[:]|$)`)
	// fence begins or ends a block of code.
	fence = regexp.MustCompile("^[\\s>]*(```+|~~~+)")
)

// parseMarkdown finds the lines `- [ ] what to do`, nested ones too. Code between fences and comments has none.
func parseMarkdown(data []byte) (list List, err error) {
	open, isComment, number := "", false, 0
	for line := range strings.Lines(string(data)) {
		line, number = strings.TrimRight(line, "\r\n"), number+1
		if f := fence.FindStringSubmatch(line); f != nil && !isComment {
			switch {
			case open == "":
				open = f[1]
			case strings.HasPrefix(f[1], open) && strings.Trim(line, " \t>`~") == "":
				open = ""
			}
			continue
		}
		if open != "" {
			continue
		}
		if line, isComment = uncommented(line, isComment); len(list) > maxTasks {
			break
		}
		t, ok, err := taskIn(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		if ok {
			list = append(list, t)
		}
	}
	return list, nil
}

// uncommented returns a line without what is in comments, and whether one goes on behind it.
func uncommented(line string, isComment bool) (rest string, goesOn bool) {
	for {
		sign := "<!--"
		if isComment {
			sign = "-->"
		}
		before, after, found := strings.Cut(line, sign)
		if !isComment {
			rest += before
		}
		if !found {
			return rest, isComment
		}
		line, isComment = after, !isComment
	}
}

// taskIn reads the task that a line begins, if it does.
func taskIn(line string) (t Task, ok bool, err error) {
	words := line[len(item.FindString(line)):]
	if len(words) == len(line) {
		return t, false, nil
	}
	words = strings.TrimLeft(words, " \t")
	found := box.FindStringSubmatch(words)
	switch {
	case found == nil && nearBox.MatchString(words):
		return t, false, fmt.Errorf("%q is nearly a checkbox: write `- [ ] what to do`, or `- [x]` where it is done", text.Head(text.WithoutControls(words), 40))
	case found == nil:
		return t, false, nil
	}
	name := nameOf(found[2])
	return Task{Name: name, Done: strings.EqualFold(found[1], "x"), optional: isOptional(name)}, name != "", nil
}
