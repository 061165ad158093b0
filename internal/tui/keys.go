package tui

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/cursor-ralph/cursor-ralph/internal/view"
)

// help lists the keys. Those with a short word stand in the last line too, as far as
// there is room.
var help = []struct{ keys, short, words string }{
	{"?", "help", "this list"},
	{"q", "quit", "leave the panel; the loops go on"},
	{"p", "pause", "pause the loop at its next stop"},
	{"r", "resume", "set a paused loop going again"},
	{"c", "cancel", "end the loop at once (asks)"},
	{"a", "tell", "tell the agent something with its next continuation"},
	{"s", "new", "start a loop in the workspace of the chosen one"},
	{"h", "history", "the iterations of the loop"},
	{"o, enter", "report", "the report about the loop; s writes it into its workspace"},
	{"y", "", "copy what continues the loop"},
	{"e", "", "hide the loops that have ended, or show them"},
	{"up, k", "", "the loop above; pgup: a page, g: the first"},
	{"down, j", "", "the loop below; pgdown: a page, G: the last"},
	{"esc", "", "back to the list"},
	{"ctrl+z", "", "put the panel to sleep; fg wakes it"},
}

func helpText() string {
	var b strings.Builder
	for _, h := range help {
		fmt.Fprintf(&b, "%-9s %s\n", h.keys, h.words)
	}
	return b.String() + "\nBefore a loop, ! means that it is stalled or interrupted, and ? that it waits or is paused."
}

func (m model) press(k tea.KeyPressMsg) (tea.Model, tea.Cmd) {
	key := k.String()
	switch {
	case key == "ctrl+c":
		return m, tea.Quit
	case key == "ctrl+z":
		return m, tea.Suspend
	case m.mode == writing:
		return m.write(k)
	}
	m.said, m.wrong = "", false
	switch m.mode {
	case asking:
		return m.answer(key)
	case reading:
		return m.read(key)
	}
	return m.list(key)
}

func (m model) list(key string) (tea.Model, tea.Cmd) {
	switch key {
	case "q":
		return m, tea.Quit
	case "?", "f1":
		return m.open(page{title: "keys", text: helpText()}), nil
	case "e":
		m.hidden = !m.hidden
		return m.move(0), nil
	case "up", "k":
		return m.move(-1), nil
	case "down", "j":
		return m.move(1), nil
	case "pgup":
		return m.move(-m.listRoom()), nil
	case "pgdown":
		return m.move(m.listRoom()), nil
	case "home", "g":
		return m.move(-len(m.loops)), nil
	case "end", "G":
		return m.move(len(m.loops)), nil
	}
	l, at := m.choice()
	if at < 0 && key != "s" {
		return m, nil
	}
	return m.steer(key, l)
}

func (m model) steer(key string, l Loop) (tea.Model, tea.Cmd) {
	switch key {
	case "p":
		return m, m.do("pause", l)
	case "r":
		return m, m.do("resume", l)
	case "h":
		return m, m.do("history", l)
	case "o", "enter":
		return m, m.do("report", l)
	case "y":
		return m.copy(l)
	case "s":
		m.mode, m.command, m.about, m.text = writing, "start", l, editor{}
	case "c", "a":
		return m.begin(key, l), nil
	}
	return m, nil
}

// begin opens the question or the editor of a key, unless the loop has ended.
func (m model) begin(key string, l Loop) model {
	switch {
	case l.Status.Ended():
		m.said, m.wrong = "the loop has ended ("+l.Words()+")", true
	case key == "c":
		m.mode, m.about = asking, l
	default:
		m.mode, m.command, m.about, m.text = writing, "context", l, editor{}
	}
	return m
}

// answer handles the answer to the question whether to cancel. The loop is the one
// that was asked about, wherever the list has gone meanwhile.
func (m model) answer(key string) (tea.Model, tea.Cmd) {
	m.mode = listing
	if key != "y" && key != "Y" {
		m.said = "not cancelled"
		return m, nil
	}
	return m, m.do("cancel", m.about)
}

// sent is when Enter sends the text, if no other key has come since.
type sent struct{ enters int }

// pasteGap is longer than the time between two keys of a paste. A terminal that does
// not mark what is pasted sends Enter at each end of a line, and what follows would be
// taken for keys of the list.
const pasteGap = 50 * time.Millisecond

func (m model) write(k tea.KeyPressMsg) (tea.Model, tea.Cmd) {
	if m.entered {
		m.entered, m.text = false, m.text.insert("\n")
	}
	switch k.String() {
	case "esc":
		m.mode, m.said, m.wrong = listing, "nothing sent", false
	case "enter":
		m.entered, m.enters = true, m.enters+1
		now := sent{m.enters}
		return m, tea.Tick(pasteGap, func(time.Time) tea.Msg { return now })
	case "alt+enter", "shift+enter", "ctrl+j":
		m.text = m.text.insert("\n")
	default:
		m.text = m.text.press(k)
	}
	return m, nil
}

func (m model) send(s sent) (tea.Model, tea.Cmd) {
	if !m.entered || s.enters != m.enters {
		return m, nil
	}
	m.mode, m.entered, m.said, m.wrong = listing, false, "", false
	text := strings.TrimSpace(m.text.text())
	if text == "" {
		m.said = "nothing sent: the text is empty"
		return m, nil
	}
	return m, m.do(m.command, m.about, text)
}

func (m model) read(key string) (tea.Model, tea.Cmd) {
	switch {
	case key == "q", key == "esc", key == "enter":
		m.mode, m.page = listing, page{}
		return m, nil
	case key == "s" && m.page.report:
		return m, m.save()
	}
	m.page = m.page.press(key, m.bodyRoom())
	return m, nil
}

// copy puts what continues the loop into the terminal's clipboard. A terminal
// does not say whether it accepts that, so the line is shown too.
func (m model) copy(l Loop) (tea.Model, tea.Cmd) {
	switch {
	case l.Continue != "":
		m.said = "to the clipboard, if the terminal allows it: " + l.Continue
		return m, tea.SetClipboard(l.Continue)
	case l.Status == view.Pending:
		m.said = "a pending loop begins by itself, when a chat takes it"
	case l.Status.Ended():
		m.said = "a loop that has ended (" + l.Words() + ") cannot be continued"
	default:
		m.said = "the loop goes on by itself (" + l.Words() + ")"
	}
	m.wrong = true
	return m, nil
}
