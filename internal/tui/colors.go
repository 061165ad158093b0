package tui

import "github.com/charmbracelet/x/ansi"

// style is how text looks.
type style = ansi.Style

// colors are the styles of the panel. Their colors are of the sixteen that the
// terminal's theme defines. The words say the same, for a terminal without them.
type colors struct {
	good, busy, wait, bad, name, chosen ansi.Style
}

// unknownColors are for a terminal that does not tell its background.
func unknownColors() colors { return paint(ansi.Green, ansi.Cyan, ansi.Yellow, ansi.Red) }

func colorsOn(dark bool) colors {
	if dark {
		return paint(ansi.BrightGreen, ansi.BrightCyan, ansi.BrightYellow, ansi.BrightRed)
	}
	return paint(ansi.Green, ansi.Blue, ansi.Magenta, ansi.Red)
}

func paint(good, busy, wait, bad ansi.BasicColor) colors {
	in := func(c ansi.BasicColor) ansi.Style { return ansi.NewStyle().ForegroundColor(c) }
	return colors{
		good: in(good), busy: in(busy), wait: in(wait), bad: in(bad),
		name: ansi.NewStyle().Bold(), chosen: ansi.NewStyle().Reverse(true),
	}
}
