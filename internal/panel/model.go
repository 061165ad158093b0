package panel

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
)

// mode is what the keys are for.
type mode int

const (
	listing mode = iota
	asking       // whether to cancel a loop
	writing      // context for a loop
	reading      // a text of several pages
	helping
)

// model is the panel as it is at a moment.
type model struct {
	Panel
	ctx      context.Context
	follower *follower

	loops    []Loop
	problems int
	looked   bool // once at least
	blind    bool

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
	return model{Panel: p, ctx: ctx, follower: p.follow(ctx), chosen: p.Chosen, width: 80, height: 24, colors: unknownColors()}
}

// Messages.
type (
	// looked is what a look has shown.
	looked struct {
		loops    []Loop
		problems int
		blind    bool
		took     time.Duration
	}
	// done is a command's end.
	done struct {
		command, id, said string
		err               error
	}
	// tick lets times be shown anew.
	tick struct{}
)

// Init begins to look.
func (m model) Init() tea.Cmd {
	return tea.Batch(m.look, ticking(), tea.RequestBackgroundColor)
}

func ticking() tea.Cmd {
	return tea.Tick(time.Second, func(time.Time) tea.Msg { return tick{} })
}

func (m model) look() tea.Msg {
	began := time.Now()
	loops, problems := m.Look()
	return looked{loops, len(problems), m.follower.blind, time.Since(began)}
}

func (m model) lookAgain(took time.Duration) tea.Cmd {
	return func() tea.Msg {
		if !m.follower.next(m.ctx, took) {
			return nil
		}
		return m.look()
	}
}

// Update takes in what has happened.
func (m model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
		m.page = m.page.lay(m.width, m.bodyRoom())
	case tea.BackgroundColorMsg:
		m.colors = colorsOn(msg.IsDark())
	case tick:
		return m, ticking()
	case looked:
		return m.see(msg), m.lookAgain(msg.took)
	case done:
		return m.heard(msg), nil
	case tea.PasteMsg:
		if m.mode == writing {
			m.text = m.text.insert(msg.Content)
		}
	case tea.KeyPressMsg:
		return m.press(msg)
	}
	return m, nil
}

// see takes in a look. The loop that was chosen stays so wherever it is now.
func (m model) see(l looked) model {
	was, at := m.choice()
	m.loops, m.problems, m.blind, m.looked = l.loops, l.problems, l.blind, true
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

// successor tells whether a loop is the one that was pending, under the name of
// the chat that has taken it.
func successor(was, now Loop) bool {
	return was.Pending && !now.Pending && !was.State.CreatedAt.IsZero() &&
		was.State.CreatedAt.Equal(now.State.CreatedAt) && was.State.Prompt == now.State.Prompt
}

// choice gives the loop that is chosen, and its place, which is -1 for none.
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

// heard takes in how a command went. What it printed is shown; a text of several
// pages only if the user waits for it still.
func (m model) heard(d done) model {
	m.follower.poke()
	m.said, m.wrong = strings.TrimSpace(d.said), d.err != nil
	if d.err != nil {
		m.said = words(d.err)
		if d.command == "context" && m.mode == listing {
			m.mode, m.about = writing, d.id // what was written is not lost
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

// words is an error with what to do about it.
func words(err error) string {
	var hinted interface{ Hint() string }
	if errors.As(err, &hinted) && hinted.Hint() != "" {
		return err.Error() + "; " + hinted.Hint()
	}
	return err.Error()
}
