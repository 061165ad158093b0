package tui

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/cursor-ralph/cursor-ralph/internal/hint"
)

type mode int

const (
	listing mode = iota
	asking       // whether to cancel a loop
	writing      // context for a loop, or the task of a new one
	reading      // a text of several pages
)

type model struct {
	Panel
	ctx context.Context

	all      []Loop
	loops    []Loop // that are in the list
	hidden   bool   // those that have ended
	problems int
	looked   bool // once at least

	looking   bool      // a look goes on
	lookAgain bool      // something was done meanwhile
	restUntil time.Time // so that looking takes a tenth of the time at most

	chosen string // the key of a loop

	width, height int
	colors        colors

	mode    mode
	about   Loop   // that is asked or written about
	command string // that gets the text
	text    editor
	entered bool // Enter was the last key; see sent
	enters  int
	page    page

	said  string // by the last command
	wrong bool   // it failed
}

func (p Panel) model(ctx context.Context) model {
	return model{Panel: p, ctx: ctx, looking: true, width: 80, height: 24, colors: unknownColors()}
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
		command, said string
		about         Loop
		err           error
	}
	// tick is time for another look; it also updates the times on the screen.
	tick struct{}
)

// Init begins to look.
func (m model) Init() tea.Cmd {
	return tea.Batch(m.look, ticking(), tea.RequestBackgroundColor)
}

const tickEvery = 500 * time.Millisecond

func ticking() tea.Cmd {
	return tea.Tick(tickEvery, func(time.Time) tea.Msg { return tick{} })
}

func (m model) look() tea.Msg {
	began := time.Now()
	loops, problems := m.Look()
	return looked{loops, len(problems), time.Since(began)}
}

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
		m.page = m.lay(m.page)
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
	case sent:
		return m.send(msg)
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
	if !m.looked {
		first := slices.IndexFunc(l.loops, func(l Loop) bool { return l.ID == m.Chosen })
		if first >= 0 {
			m.chosen = l.loops[first].Key
		}
	}
	m.all, m.problems, m.looked = l.loops, l.problems, true
	return m.move(0)
}

func (m model) choice() (Loop, int) {
	n := slices.IndexFunc(m.loops, func(l Loop) bool { return l.Key == m.chosen })
	if n < 0 {
		return Loop{}, n
	}
	return m.loops[n], n
}

// move brings the list up to date and chooses another loop, so many places further
// down. For one that has left the list it is the one in its place.
func (m model) move(by int) model {
	_, was := m.choice()
	m.loops = m.all
	if n := slices.IndexFunc(m.all, func(l Loop) bool { return l.Status.Ended() }); m.hidden && n >= 0 {
		m.loops = m.all[:n]
	}
	if _, at := m.choice(); at >= 0 {
		was = at
	}
	if len(m.loops) > 0 {
		m.chosen = m.loops[max(0, min(was+by, len(m.loops)-1))].Key
	}
	return m
}

func (m model) do(command string, about Loop, args ...string) tea.Cmd {
	return func() tea.Msg {
		said, err := m.Do(m.ctx, command, about, args...)
		return done{command, said, about, err}
	}
}

func (m model) save() tea.Cmd {
	p := m.page
	return func() tea.Msg {
		path, err := m.Save(p.about, p.text)
		return done{"save", "written: " + path, p.about, err}
	}
}

// onDone shows what a command printed; a text of several pages only if the user
// still waits for it.
func (m model) onDone(d done) model {
	pages := d.command == "history" || d.command == "report"
	switch {
	case d.err != nil:
		m.said, m.wrong = words(d.err), true
		if d.command == m.command && m.mode == listing && m.text.text() != "" {
			m.mode, m.about = writing, d.about // the user can send the text again
		}
	case !pages:
		m.said, m.wrong, m.text = strings.TrimSpace(d.said), false, editor{}
	case m.mode == listing:
		m = m.open(page{title: d.command + " of " + d.about.ID, report: d.command == "report", about: d.about, text: d.said})
	}
	return m
}

func (m model) open(p page) model {
	m.mode = reading
	m.page = m.lay(p)
	return m
}

func words(err error) string {
	if todo := hint.Of(err); todo != "" {
		return err.Error() + "; " + todo
	}
	return err.Error()
}
