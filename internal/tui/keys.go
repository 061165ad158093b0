package tui

import (
	tea "charm.land/bubbletea/v2"
)

// help lists the keys. Those with a short word stand in the last line too.
var help = []struct{ keys, short, words string }{
	{"?", "help", "this list"},
	{"q", "quit", "leave the panel; the loops go on"},
	{"p", "pause", "pause the loop at its next stop"},
	{"r", "resume", "set a paused loop going again"},
	{"c", "cancel", "end the loop at once (asks)"},
	{"a", "tell", "tell the agent something with its next continuation"},
	{"h", "history", "the iterations of the loop"},
	{"o", "report", "the report about the loop; s writes it into a file"},
	{"y", "copy", "copy the line that continues the loop"},
	{"up, k", "", "the loop above; pgup: a page, g: the first"},
	{"down, j", "", "the loop below; pgdown: a page, G: the last"},
	{"ctrl+z", "", "put the panel to sleep; fg wakes it"},
}

// press handles a key.
func (m model) press(k tea.KeyPressMsg) (tea.Model, tea.Cmd) {
	m.said, m.wrong = "", false
	switch key := k.String(); {
	case key == "ctrl+c":
		return m, tea.Quit
	case key == "ctrl+z":
		return m, tea.Suspend
	case m.mode == asking:
		return m.answer(key)
	case m.mode == writing:
		return m.write(k)
	case m.mode == reading:
		return m.read(key)
	case m.mode == helping:
		m.mode = listing
		return m, nil
	default:
		return m.list(key)
	}
}

// list handles the keys of the list of loops.
func (m model) list(key string) (tea.Model, tea.Cmd) {
	switch key {
	case "q", "esc":
		return m, tea.Quit
	case "?", "f1":
		m.mode = helping
		return m, nil
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
	if at < 0 {
		return m, nil
	}
	return m.steer(key, l)
}

// steer handles the keys that concern the chosen loop.
func (m model) steer(key string, l Loop) (tea.Model, tea.Cmd) {
	switch key {
	case "p":
		return m, m.do("pause", l.ID)
	case "r":
		return m, m.do("resume", l.ID)
	case "h":
		return m, m.do("history", l.ID)
	case "o", "enter":
		return m, m.do("report", l.ID)
	case "y":
		return m.copy(l)
	case "c", "a":
		return m.begin(key, l), nil
	}
	return m, nil
}

// begin opens the question or the editor of a key, unless the loop has ended.
func (m model) begin(key string, l Loop) model {
	switch {
	case l.State.Status.Ended():
		word, _ := m.word(l)
		m.said, m.wrong = "the loop has ended ("+word+")", true
	case key == "c":
		m.mode, m.about = asking, l.ID
	default:
		m.mode, m.about, m.text = writing, l.ID, editor{}
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

// write handles keys while a context is written. Enter begins a new line and sends nothing:
// a terminal that does not mark what is pasted sends one at each end of a line,
// and the lines after it would be taken for keys of the list.
func (m model) write(k tea.KeyPressMsg) (tea.Model, tea.Cmd) {
	switch k.String() {
	case "esc":
		m.mode, m.said = listing, "no context added"
		return m, nil
	case "ctrl+d", "ctrl+s":
		m.mode = listing
		if m.text.empty() {
			m.said = "no context added: the text is empty"
			return m, nil
		}
		return m, m.do("context", m.about, string(m.text.text))
	}
	m.text = m.text.press(k)
	return m, nil
}

// read handles keys while a text of several pages is shown.
func (m model) read(key string) (tea.Model, tea.Cmd) {
	switch key {
	case "q", "esc", "enter":
		m.mode, m.page = listing, page{}
		return m, nil
	case "s":
		if m.page.command == "report" {
			return m, m.save()
		}
	}
	m.page = m.page.press(key, m.bodyRoom())
	return m, nil
}

// copy puts the continue line into the terminal's clipboard. A terminal
// does not say whether it accepts that, so the line is shown too.
func (m model) copy(l Loop) (tea.Model, tea.Cmd) {
	s := l.State
	s.ConversationID = l.ID
	line := s.ResumeLine(m.Now())
	if s.Outer() {
		line = s.ResumeCommand(m.Now())
	}
	switch word, _ := m.word(l); {
	case l.Pending:
		m.said, m.wrong = "a pending loop begins by itself, when a chat takes it", true
		return m, nil
	case line == "":
		m.said, m.wrong = "a loop that has ended ("+word+") cannot be continued", true
		return m, nil
	}
	m.said = "to the clipboard, if the terminal allows it: " + line
	return m, tea.SetClipboard(line)
}
