package tui

import (
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// help lists the keys. Those with a short word stand in the last line too, as far as
// there is room.
var help = []struct{ keys, short, words string }{
	{"?", "help", "show or hide this list"},
	{"q", "quit", "leave the panel; the loops go on"},
	{"p", "pause", "pause the loop at its next stop"},
	{"r", "resume", "set a paused loop going again"},
	{"c", "cancel", "end the loop at once (asks)"},
	{"+, -", "", "one iteration more or less"},
	{"a", "tell", "tell the agent something with its next continuation"},
	{"up, k", "", "the loop above; pgup: a page, g: the first"},
	{"down, j", "", "the loop below; pgdown: a page, G: the last"},
	{"esc", "", "back to the list"},
	{"ctrl+z", "", "put the panel to sleep; fg wakes it"},
	{"!", "", "before a loop: it is stalled, interrupted or cannot be read"},
	{"?", "", "before a loop: it waits or is paused"},
}

func helpLines() (lines []string) {
	for _, h := range help {
		lines = append(lines, fmt.Sprintf("%-9s %s", h.keys, h.words))
	}
	return lines
}

func (m model) press(k tea.KeyPressMsg) (tea.Model, tea.Cmd) {
	switch key := k.String(); {
	case key == "ctrl+c":
		return m, tea.Quit
	case key == "ctrl+z":
		return m, tea.Suspend
	case m.mode == waiting:
		return m, nil
	case m.mode == writing:
		return m.write(k)
	case m.mode == asking:
		return m.answer(key)
	default:
		m.said, m.wrong = "", false
		return m.list(key)
	}
}

func (m model) list(key string) (tea.Model, tea.Cmd) {
	switch key {
	case "q":
		return m, tea.Quit
	case "?", "f1":
		m.help = !m.help
	case "esc":
		m.help = false
	case "up", "k":
		return m.move(-1), nil
	case "down", "j":
		return m.move(1), nil
	case "pgup":
		return m.move(-m.listRoom()), nil
	case "pgdown":
		return m.move(m.listRoom()), nil
	case "home", "g":
		return m.choose(0), nil
	case "end", "G":
		return m.choose(len(m.loops)), nil
	default:
		if l, at := m.choice(); at >= 0 {
			return m.steer(key, l)
		}
	}
	return m, nil
}

func (m model) steer(key string, l Loop) (tea.Model, tea.Cmd) {
	switch key {
	case "p":
		return m.do("pause", l)
	case "r":
		return m.do("resume", l)
	case "+":
		return m.do("set", l, "--max-iterations", strconv.Itoa(l.MaxIterations+1))
	case "-":
		return m.do("set", l, "--max-iterations", strconv.Itoa(l.MaxIterations-1))
	case "c", "a":
		return m.begin(key, l), nil
	}
	return m, nil
}

// begin opens the question or the input line of a key, unless the loop has ended.
func (m model) begin(key string, l Loop) model {
	switch {
	case l.Status.Ended():
		m.said, m.wrong = "the loop has ended ("+l.Describe()+")", true
	case key == "c":
		m.mode, m.about = asking, l
	default:
		m.mode, m.about, m.line = writing, l, line{}
	}
	return m
}

// answer handles the answer to the question whether to cancel. The loop is the one
// that was asked about, wherever the list has gone meanwhile.
func (m model) answer(key string) (tea.Model, tea.Cmd) {
	if key == "y" || key == "Y" {
		return m.do("cancel", m.about)
	}
	m.mode, m.said, m.wrong = listing, "not cancelled", false
	return m, nil
}

func (m model) write(k tea.KeyPressMsg) (tea.Model, tea.Cmd) {
	switch k.String() {
	case "esc":
		m.mode, m.said, m.wrong = listing, "nothing sent", false
	case "enter":
		text := strings.TrimSpace(m.line.text())
		if text == "" {
			m.mode, m.said, m.wrong = listing, "nothing sent: the text is empty", false
			return m, nil
		}
		return m.do("context", m.about, text)
	default:
		m.line = m.line.press(k)
	}
	return m, nil
}
