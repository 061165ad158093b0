package tui

import (
	"github.com/charmbracelet/x/ansi"

	"github.com/cursor-ralph/cursor-ralph/internal/view"
)

// colors are the styles of the panel. Their colors are of the sixteen that the
// terminal's theme defines. Words and signs say the same, for a terminal without them.
type colors struct{ good, wait, bad, name, chosen, dim ansi.Style }

// unknownColors are for a terminal that does not tell its background.
func unknownColors() colors { return paint(ansi.Green, ansi.Yellow, ansi.Red) }

func colorsOn(dark bool) colors {
	if dark {
		return paint(ansi.BrightGreen, ansi.BrightYellow, ansi.BrightRed)
	}
	return paint(ansi.Green, ansi.Magenta, ansi.Red)
}

func paint(good, wait, bad ansi.BasicColor) colors {
	in := func(c ansi.BasicColor) ansi.Style { return ansi.NewStyle().ForegroundColor(c) }
	return colors{
		good: in(good), wait: in(wait), bad: in(bad),
		name: ansi.NewStyle().Bold(), chosen: ansi.NewStyle().Reverse(true), dim: ansi.NewStyle().Faint(),
	}
}

// sign returns the mark before a loop and the style of its row: ! where it is stalled,
// interrupted or unreadable, ? where it waits or is paused.
func (c colors) sign(l view.Loop) (string, ansi.Style) {
	switch l.Status {
	case view.Stalled, view.Interrupted, view.Unknown:
		return "!", c.bad
	case view.Waiting, view.Paused:
		return "?", c.wait
	case view.Running:
		return " ", c.good
	case view.Pending:
		return " ", ansi.Style{}
	}
	return " ", c.dim
}
