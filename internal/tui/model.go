package tui

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/cursor-ralph/cursor-ralph/internal/hint"
)

// mode says what the keys do.
type mode int

const (
	listing mode = iota
	asking       // whether to cancel a loop
	writing      // context for a loop
	reading      // a text of several pages
	helping
)

// model is the panel's state.
type model struct {
	Panel
	ctx context.Context

	loops    []Loop
	problems int
	looked   bool // once at least

	looking   bool      // a look goes on
	lookAgain bool      // something was done meanwhile
	restUntil time.Time // so that looking takes a tenth of the time at most

	chosen string // the id of a loop

	width, height int
	colors        colors

	mode  mode
	about string // the id of the loop that is asked, written or read about
	text  editor
	page  page

	said  string // by the last command
	wrong bool   // it failed
}

func (p Panel) model(ctx context.Context) model {
	return model{Panel: p, ctx: ctx, looking: true, chosen: p.Chosen, width: 80, height: 24, colors: unknownColors()}
}

// Messages.
type (
	// looked is what a look has shown.
	looked struct {
		loops    []Loop
		problems int
		took     time.Duration
	}
	// done is a command's end.
	done struct {
		command, id, said string
		err               error
	}
	// tick is time for another look; it also updates the times on the screen.
	tick struct{}
)

// Init begins to look.
func (m model) Init() tea.Cmd {
	return tea.Batch(m.look, ticking(), tea.RequestBackgroundColor)
}

// tickEvery is how often we look for changes.
const tickEvery = 500 * time.Millisecond

func ticking() tea.Cmd {
	return tea.Tick(tickEvery, func(time.Time) tea.Msg { return tick{} })
}

func (m model) look() tea.Msg {
	began := time.Now()
	loops, problems := m.Look()
	return looked{loops, len(problems), time.Since(began)}
}

// startLook looks now, or once more after the look that goes on.
func (m model) startLook() (model, tea.Cmd) {
	if m.looking {
		m.lookAgain = true
		return m, nil
	}
	m.looking, m.lookAgain = true, false
	return m, m.look
}

// afterLook shows a look, and looks again if something was done meanwhile.
func (m model) afterLook(l looked) (model, tea.Cmd) {
	m = m.see(l)
	m.looking, m.restUntil = false, time.Now().Add(10*l.took)
	if m.lookAgain {
		return m.startLook()
	}
	return m, nil
}

// Update handles a message.
func (m model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
		m.page = m.page.lay(m.width, m.bodyRoom())
	case tea.BackgroundColorMsg:
		m.colors = colorsOn(msg.IsDark())
	case tick:
		if m.looking || time.Now().Before(m.restUntil) {
			return m, ticking()
		}
		m, look := m.startLook()
		return m, tea.Batch(ticking(), look)
	case looked:
		return m.afterLook(msg)
	case done:
		return m.onDone(msg).startLook()
	case tea.PasteMsg:
		if m.mode == writing {
			m.text = m.text.insert(msg.Content)
		}
	case tea.KeyPressMsg:
		return m.press(msg)
	}
	return m, nil
}

// see shows the loops of a look. The chosen loop stays chosen wherever it is now.
func (m model) see(l looked) model {
	was, at := m.choice()
	m.loops, m.problems, m.looked = l.loops, l.problems, true
	if len(m.loops) == 0 {
		return m
	}
	if _, now := m.choice(); now >= 0 {
		return m
	}
	if n := slices.IndexFunc(m.loops, func(l Loop) bool { return successor(was, l) }); at >= 0 && n >= 0 {
		m.chosen = m.loops[n].ID
		if m.about == was.ID {
			m.about = m.chosen // what is asked or written goes there too
		}
		return m
	}
	m.chosen = m.loops[max(0, min(at, len(m.loops)-1))].ID
	return m
}

// successor reports whether a loop is the one that was pending, under the name of
// the chat that claimed it.
func successor(was, now Loop) bool {
	return was.Pending && !now.Pending && !was.State.CreatedAt.IsZero() &&
		was.State.CreatedAt.Equal(now.State.CreatedAt) && was.State.Prompt == now.State.Prompt
}

// choice returns the chosen loop and its index, or -1.
func (m model) choice() (Loop, int) {
	n := slices.IndexFunc(m.loops, func(l Loop) bool { return l.ID == m.chosen })
	if n < 0 {
		return Loop{}, n
	}
	return m.loops[n], n
}

// move chooses another loop, so many places further down.
func (m model) move(by int) model {
	if len(m.loops) == 0 {
		return m
	}
	_, at := m.choice()
	m.chosen = m.loops[max(0, min(at+by, len(m.loops)-1))].ID
	return m
}

// do runs a command for a loop.
func (m model) do(command, id string, args ...string) tea.Cmd {
	return func() tea.Msg {
		said, err := m.Do(m.ctx, command, append([]string{id}, args...)...)
		return done{command, id, said, err}
	}
}

// save writes a report into a file.
func (m model) save() tea.Cmd {
	id, text := m.page.about, m.page.text
	return func() tea.Msg {
		path, err := m.Save(id, text)
		return done{"save", id, "written: " + path, err}
	}
}

// onDone shows what a command printed; a text of several pages only if the user
// still waits for it.
func (m model) onDone(d done) model {
	m.said, m.wrong = strings.TrimSpace(d.said), d.err != nil
	if d.err != nil {
		m.said = words(d.err)
		if d.command == "context" && m.mode == listing {
			m.mode, m.about = writing, d.id // the user can send the text again
		}
		return m
	}
	if d.command != "history" && d.command != "report" {
		return m
	}
	if m.said = ""; m.mode == listing {
		lines := strings.Split(m.safe(strings.TrimRight(d.said, "\n")), "\n")
		m.mode, m.page = reading, page{command: d.command, about: d.id, text: d.said, lines: lines}
		m.page = m.page.lay(m.width, m.bodyRoom())
	}
	return m
}

// words is an error with its hint.
func words(err error) string {
	if todo := hint.Of(err); todo != "" {
		return err.Error() + "; " + todo
	}
	return err.Error()
}
