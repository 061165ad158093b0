// Command record makes an animated SVG of the output of a `cursor-ralph demo` that it reads: `make record`. The words are the
// run's own; the pace is slower, and lines with the names of scratch folders are left out.
//
// It is a program of our own because the ones there are draw in fixed colours, or pictures of letters: this SVG follows the
// reader's light or dark theme, its text can be selected, and it stands still for those who want no motion.
package main

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"os"
	"strings"
)

const (
	columns = 104
	rows    = 26
	height  = 18 // of a row
	advance = 78 // of a column, in tenths
	indent  = "          "
)

func main() { os.Exit(run(os.Stdin, os.Stdout, os.Stderr)) }

func run(in io.Reader, out, errs io.Writer) int {
	lines, err := read(in)
	if err == nil {
		_, err = io.WriteString(out, draw(lines))
	}
	if err != nil {
		fmt.Fprintf(errs, "record: %v\n", err)
		return 1
	}
	return 0
}

// line is one row of the recording.
type line struct {
	text string
	kind string  // its class
	wait float64 // seconds until the next one
}

func read(in io.Reader) ([]line, error) {
	var lines []line
	scanner := bufio.NewScanner(in)
	for scanner.Scan() {
		text := scanner.Text()
		if strings.Contains(text, "/cursor-ralph-demo-") || text == "" && len(lines) == 0 {
			continue
		}
		kind, wait := look(text)
		parts := wrap(text)
		for i, part := range parts {
			pause := 0.12
			if i == len(parts)-1 {
				pause = wait
			}
			lines = append(lines, line{part, kind, pause})
		}
	}
	if scanner.Err() == nil && len(lines) == 0 {
		return nil, fmt.Errorf("nothing to record")
	}
	return lines, scanner.Err()
}

// look returns a line's class and how long a reader needs for it.
func look(text string) (kind string, wait float64) {
	first, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	switch {
	case strings.HasPrefix(text, "  ") && (first == "tool" || first == "turn"):
		return "quiet", 0.35
	case strings.HasPrefix(text, "  ") && (first == "user" || first == "agent" || first == "cursor"):
		return first, 1.4
	case first == "$":
		return "title", 0.8
	case text != "" && text[0] >= 'A' && text[0] <= 'Z' && strings.ContainsAny(text[len(text)-1:], ".:"):
		return "title", 1.6
	}
	return "plain", 0.2
}

// wrap breaks a long line between words.
func wrap(text string) []string {
	var parts []string
	for len([]rune(text)) > columns {
		cut := strings.LastIndex(string([]rune(text)[:columns]), " ")
		if cut <= len(indent) {
			break
		}
		parts = append(parts, text[:cut])
		text = indent + strings.TrimLeft(text[cut:], " ")
	}
	return append(parts, text)
}

const style = `
  svg { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
  rect { fill: #f6f8fa; stroke: #d0d7de; }
  text { fill: #1f2328; white-space: pre; }
  .title { font-weight: bold; } .quiet { fill: #656d76; }
  .user { fill: #0550ae; } .agent { fill: #116329; } .cursor { fill: #8250df; }
  @media (prefers-color-scheme: dark) {
    rect { fill: #0d1117; stroke: #30363d; }
    text { fill: #e6edf3; } .quiet { fill: #8d96a0; }
    .user { fill: #79c0ff; } .agent { fill: #7ee787; } .cursor { fill: #d2a8ff; }
  }
  #lines { transform: translateY(%dpx); animation: scroll %.1fs step-end infinite; }
  #cover { stroke: none; transform: translateY(%dpx); animation: uncover %.1fs step-end infinite; }
  @media (prefers-reduced-motion: reduce) { #lines, #cover { animation: none; } }
  @keyframes scroll {
%s  }
  @keyframes uncover {
%s  }
`

// draw lets line after line appear from above, and scrolls when the screen is full, as a terminal does.
func draw(lines []line) string {
	total := 6.0 // to read the end
	for _, l := range lines {
		total += l.wait
	}
	var scroll, uncover, texts strings.Builder
	at := 0.0
	for i, l := range lines {
		frame := "    %.2f%% { transform: translateY(%dpx); }\n"
		if i < rows {
			fmt.Fprintf(&uncover, frame, 100*at/total, (i+1)*height)
		}
		if i == 0 || i >= rows {
			fmt.Fprintf(&scroll, frame, 100*at/total, min(0, rows-1-i)*height)
		}
		at += l.wait
		if strings.TrimSpace(l.text) != "" {
			fmt.Fprintf(&texts, "<text class=\"%s\" x=\"12\" y=\"%d\" xml:space=\"preserve\">%s</text>\n", l.kind, 14+i*height, html.EscapeString(l.text))
		}
	}
	looks := fmt.Sprintf(style, min(0, rows-len(lines))*height, total, rows*height, total, scroll.String(), uncover.String())
	return frame(looks, texts.String())
}

func frame(looks, texts string) string {
	const width, tall = columns*advance/10 + 24, rows*height + 16
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="A whole loop in a terminal">`, width, tall, width, tall)
	fmt.Fprintf(&b, "\n<style>%s</style>\n", looks)
	fmt.Fprintf(&b, `<rect x="0.5" y="0.5" width="%d" height="%d" rx="6"/>`, width-1, tall-1)
	fmt.Fprintf(&b, "\n<svg x=\"1\" y=\"6\" width=\"%d\" height=\"%d\">\n<g id=\"lines\">\n%s</g>\n", width-2, rows*height+4, texts)
	fmt.Fprintf(&b, `<rect id="cover" x="0" y="0" width="%d" height="%d"/>`, width-2, rows*height+4)
	b.WriteString("\n</svg>\n</svg>\n")
	return b.String()
}
