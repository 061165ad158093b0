package main

import (
	"fmt"
	"html"
	"strings"
)

const (
	columns   = 100
	chatRows  = 17
	panelRows = 13
	height    = 18 // of a row
	advance   = 78 // of a column, in tenths
	indent    = "          "

	width    = columns*advance/10 + 24
	chatTall = chatRows*height + 12
	panelTop = chatTall + 8
	tall     = panelTop + panelRows*height + 14
)

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
  #cover { stroke: none; }
  @media (prefers-reduced-motion: reduce) { #lines, #cover, .screen { animation: none !important; } }
`

// step is one moment of the picture.
type step struct {
	shown int     // lines
	at    float64 // seconds
}

// steps begin with the first frame, go on to the end of the recording, and play what came before last.
func steps(r recording) (all []step, total float64) {
	hold := func(shown int, seconds float64) {
		all = append(all, step{shown, total})
		total += seconds
	}
	hold(r.first, 5)
	for shown := r.first + 1; shown <= len(r.lines); shown++ {
		hold(shown, r.lines[shown-1].wait)
	}
	hold(len(r.lines), 6)
	for shown := 1; shown < r.first; shown++ {
		hold(shown, r.lines[shown-1].wait)
	}
	return all, total
}

// draw lets line after line appear from above, and scrolls when the screen is full, as a terminal does.
func draw(r recording) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="A whole loop in a chat, and the panel that shows it">`, width, tall, width, tall)
	fmt.Fprintf(&b, "\n<style>%s%s</style>\n", style, motion(r))
	fmt.Fprintf(&b, "<rect x=\"0.5\" y=\"0.5\" width=\"%d\" height=\"%d\" rx=\"6\"/>\n", width-1, chatTall-1)
	fmt.Fprintf(&b, "<svg x=\"1\" y=\"6\" width=\"%d\" height=\"%d\">\n<g id=\"lines\">\n", width-2, chatRows*height)
	for i, l := range r.lines {
		row(&b, l.kind, i, l.text)
	}
	fmt.Fprintf(&b, "</g>\n<rect id=\"cover\" x=\"0\" y=\"0\" width=\"%d\" height=\"%d\"/>\n</svg>\n", width-2, chatRows*height)
	fmt.Fprintf(&b, "<rect x=\"0.5\" y=\"%d.5\" width=\"%d\" height=\"%d\" rx=\"6\"/>\n<g transform=\"translate(0 %d)\">\n", panelTop, width-1, tall-panelTop-1, panelTop+7)
	for i, p := range r.panels {
		fmt.Fprintf(&b, "<g class=\"screen\" id=\"screen%d\">\n", i)
		for y, text := range p.rows {
			row(&b, "panel", y, text)
		}
		b.WriteString("</g>\n")
	}
	b.WriteString("</g>\n</svg>\n")
	return b.String()
}

func row(b *strings.Builder, kind string, y int, text string) {
	if strings.TrimSpace(text) != "" {
		fmt.Fprintf(b, "<text class=\"%s\" x=\"12\" y=\"%d\" xml:space=\"preserve\">%s</text>\n", kind, 14+y*height, html.EscapeString(text))
	}
}

func scrolled(shown int) int { return min(0, chatRows-shown) * height }

func covered(shown int) int { return min(shown, chatRows) * height }

// motion returns the animations, and where everything stands without them.
func motion(r recording) string {
	all, total := steps(r)
	var rules, scroll, cover strings.Builder
	for _, s := range all {
		fmt.Fprintf(&scroll, "%.2f%% { transform: translateY(%dpx); }\n", 100*s.at/total, scrolled(s.shown))
		fmt.Fprintf(&cover, "%.2f%% { transform: translateY(%dpx); }\n", 100*s.at/total, covered(s.shown))
	}
	rule := func(selector, still, name, frames string) {
		fmt.Fprintf(&rules, "%s { %s; animation: %s %.1fs step-end infinite; }\n@keyframes %s {\n%s}\n", selector, still, name, total, name, frames)
	}
	rule("#lines", fmt.Sprintf("transform: translateY(%dpx)", scrolled(r.first)), "scroll", scroll.String())
	rule("#cover", fmt.Sprintf("transform: translateY(%dpx)", covered(r.first)), "cover", cover.String())
	for i := range r.panels {
		frames, before := "", -1
		for _, s := range all {
			if now := opacity(r, i, s.shown); now != before {
				frames += fmt.Sprintf("%.2f%% { opacity: %d; }\n", 100*s.at/total, now)
				before = now
			}
		}
		name := fmt.Sprintf("screen%d", i)
		rule("#"+name, fmt.Sprintf("opacity: %d", opacity(r, i, r.first)), name, frames)
	}
	return rules.String()
}

// opacity is 1 for the panel that belongs to so many lines.
func opacity(r recording, i, shown int) int {
	if r.panels[i].after <= shown && (i+1 == len(r.panels) || r.panels[i+1].after > shown) {
		return 1
	}
	return 0
}
