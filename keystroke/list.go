package keystroke

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/platform"
)

// Order gives the names of the injectors for a desktop, the best first. Under
// Wayland the ways into XWayland come first: they find no window where Cursor
// is a Wayland client.
func Order(d platform.Desktop) []string {
	x11 := []string{"xtest", "robotgo", "xdotool"}
	wayland := []string{"wl-copy", "wtype", "ydotool"}
	switch d.Kind {
	case platform.X11:
		return x11
	case platform.Wayland:
		if d.XWayland {
			return slices.Concat(x11, wayland)
		}
		return wayland
	case platform.MacOS:
		return []string{"robotgo", "osascript"}
	case platform.Windows:
		return []string{"robotgo", "sendinput", "sendkeys"}
	case platform.WSL:
		return []string{"sendkeys-wsl"}
	}
	return nil
}

// makers has every injector by its name. What works on one system only says so
// in its Probe elsewhere.
func makers() map[string]func(Machine) Injector {
	return map[string]func(Machine) Injector{
		"xtest":        newXTEST,
		"robotgo":      newRobotgo,
		"xdotool":      newXdotool,
		"wl-copy":      newWlCopy,
		"wtype":        newWtype,
		"ydotool":      newYdotool,
		"osascript":    newOsascript,
		"sendinput":    newSendInput,
		"sendkeys":     newSendKeys,
		"sendkeys-wsl": newSendKeysWSL,
	}
}

// Injectors makes those with the given names, in their order. No names mean
// those of Order.
func Injectors(m Machine, names []string) ([]Injector, error) {
	if len(names) == 0 {
		names = Order(m.Desktop)
	}
	var list []Injector
	for _, name := range names {
		make, ok := makers()[name]
		if !ok {
			return nil, fmt.Errorf("there is no way of typing called %q; there are %s", name, strings.Join(Names(), ", "))
		}
		list = append(list, make(m))
	}
	return list, nil
}

// Names gives the names of all injectors, sorted.
func Names() []string {
	var names []string
	for name := range makers() {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Try is what became of one injector.
type Try struct {
	Name string
	Err  error // nil: it did it
}

// Outcome is what became of a line.
type Outcome struct {
	Tries []Try
	// Sent tells whether any key was pressed.
	Sent bool
}

// Method is the injector that pressed keys, the last one that was tried;
// empty if none could.
func (o Outcome) Method() string {
	if n := len(o.Tries); n > 0 && o.Sent {
		return o.Tries[n-1].Name
	}
	return ""
}

// Err is nil if the line was typed and, where that can be told, arrived.
func (o Outcome) Err() error {
	if n := len(o.Tries); n > 0 && o.Tries[n-1].Err == nil {
		return nil
	}
	var errs []error
	for _, t := range o.Tries {
		errs = append(errs, fmt.Errorf("%s: %w", t.Name, t.Err))
	}
	if errs == nil {
		return errors.New("there is no way of typing on this desktop")
	}
	return errors.Join(errs...)
}

// ProbeAll yields, in order, whether each injector would work; nil for one that
// would. They are asked all at once.
func ProbeAll(ctx context.Context, injectors []Injector, t Target) iter.Seq2[int, error] {
	answers := make([]chan error, len(injectors))
	for n, i := range injectors {
		answers[n] = make(chan error, 1)
		go func() { answers[n] <- Probe(ctx, i, t) }()
	}
	return func(yield func(int, error) bool) {
		for n, answer := range answers {
			if !yield(n, <-answer) {
				return
			}
		}
	}
}

// probeWait is how long an injector may take to find out whether it works.
const probeWait = 3 * time.Second

// Type tries one injector after the other, until one has pressed a key.
func Type(ctx context.Context, injectors []Injector, t Target) Outcome {
	var o Outcome
	for _, i := range injectors {
		err := tryOne(ctx, i, t)
		o.Tries = append(o.Tries, Try{i.Name(), err})
		var sent *SentError
		o.Sent = err == nil || errors.As(err, &sent)
		if o.Sent || ctx.Err() != nil {
			break
		}
		t.step("%s: %v", i.Name(), err)
	}
	return o
}

func tryOne(ctx context.Context, i Injector, t Target) error {
	if err := Probe(ctx, i, t); err != nil {
		return err
	}
	t.step("%s: typing", i.Name())
	return i.Type(ctx, t)
}

// Probe asks an injector whether it would work, for a bounded time.
func Probe(ctx context.Context, i Injector, t Target) error {
	ctx, cancel := context.WithTimeout(ctx, probeWait)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- i.Probe(ctx, t) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return fmt.Errorf("no answer in %s", probeWait)
	}
}
