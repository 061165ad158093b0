package tui

import "strings"

type page struct {
	title  string
	report bool   // s saves it
	about  Loop   // that it is about
	text   string // as it came
	laid   []string
	top    int // the first line on the screen
}

func (m model) lay(p page) page {
	p.laid = nil
	for line := range strings.SplitSeq(safe(strings.TrimRight(p.text, "\n")), "\n") {
		if line == "" {
			p.laid = append(p.laid, "")
		}
		p.laid = append(p.laid, m.wrap(line, m.width, len(line)+1)...)
	}
	return p.scroll(p.top, m.bodyRoom())
}

func (p page) scroll(to, room int) page {
	p.top = max(0, min(to, len(p.laid)-room))
	return p
}

func (p page) press(key string, room int) page {
	switch key {
	case "up", "k":
		return p.scroll(p.top-1, room)
	case "down", "j":
		return p.scroll(p.top+1, room)
	case "pgup", "b":
		return p.scroll(p.top-room, room)
	case "pgdown", "space", "f":
		return p.scroll(p.top+room, room)
	case "home", "g":
		return p.scroll(0, room)
	case "end", "G":
		return p.scroll(len(p.laid), room)
	}
	return p
}

func (p page) shown(room int) []string {
	return p.laid[min(p.top, len(p.laid)):min(len(p.laid), p.top+max(0, room))]
}
