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
	writing      // context for a loop
	waiting      // for a command to end
)

type model struct {
	Panel
	ctx context.Context

	loops    []Loop
	problems int
	looked   bool // once at least

	looking   bool      // a look goes on
	lookAgain bool      // something was done meanwhile
	restUntil time.Time // so that looking takes a tenth of the time at most

	chosen string // the key of a loop

	width, height int
	colors        colors
	help          bool // is shown in place of the loops

	mode  mode
	about Loop // that is asked or written about
	line  line // the context being written

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
	loops, problems := m.Loops()
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
	m = m.withLoops(l)
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
			m.line = m.line.insert(msg.Content)
		}
	case tea.KeyPressMsg:
		return m.press(msg)
	}
	return m, nil
}

// withLoops shows the loops of a look. The chosen loop stays chosen wherever it is now;
// for one that is gone, the one in its place is.
func (m model) withLoops(l looked) model {
	if !m.looked {
		first := slices.IndexFunc(l.loops, func(l Loop) bool { return l.ID == m.Chosen })
		if first >= 0 {
			m.chosen = l.loops[first].Key
		}
	}
	_, was := m.choice()
	m.loops, m.problems, m.looked = l.loops, l.problems, true
	if _, at := m.choice(); at < 0 {
		return m.choose(was)
	}
	return m
}

func (m model) choice() (Loop, int) {
	n := slices.IndexFunc(m.loops, func(l Loop) bool { return l.Key == m.chosen })
	if n < 0 {
		return Loop{}, n
	}
	return m.loops[n], n
}

// move chooses another loop, so many places further down.
func (m model) move(by int) model {
	_, at := m.choice()
	return m.choose(at + by)
}

func (m model) choose(place int) model {
	if len(m.loops) > 0 {
		m.chosen = m.loops[max(0, min(place, len(m.loops)-1))].Key
	}
	return m
}

// do runs a command. Until it has ended, keys do nothing: where a terminal does not
// mark what is pasted, the lines after the first would steer the list.
func (m model) do(command string, about Loop, args ...string) (tea.Model, tea.Cmd) {
	m.mode = waiting
	return m, func() tea.Msg {
		said, err := m.Do(m.ctx, command, about.ID, args...)
		return done{command, said, err}
	}
}

func (m model) onDone(d done) model {
	m.mode, m.said, m.wrong = listing, strings.TrimSpace(d.said), false
	if d.err != nil {
		m.said, m.wrong = explain(d.err), true
	}
	switch {
	case d.command != "context":
	case d.err != nil:
		m.mode = writing // the user can send the text again
	default:
		m.line = line{}
	}
	return m
}

func explain(err error) string {
	if todo := hint.Of(err); todo != "" {
		return err.Error() + "; " + todo
	}
	return err.Error()
}
