package keystroke

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/bridge"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/macos"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/robotgo"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/wayland"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/windows"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/x11"
	"github.com/cursor-ralph/cursor-ralph/platform"
)

// order returns the names of the injectors for a desktop, the best first. The
// bridge comes before all that press keys: it needs no focus, and works without a
// desktop.
func order(d platform.Desktop) []string {
	return append([]string{"bridge"}, typingOrder(d)...)
}

// typingOrder is that of the injectors that press keys. Under Wayland the ways
// into XWayland come first: they find no window where Cursor is a Wayland
// client.
func typingOrder(d platform.Desktop) []string {
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

// typing has the ways that press keys, by name. One that works on some systems
// only returns an error on others.
var typing = map[string]open{
	"xtest":        x11.OpenXTEST,
	"robotgo":      robotgo.Open,
	"xdotool":      x11.OpenXdotool,
	"wl-copy":      wayland.OpenWlCopy,
	"wtype":        wayland.OpenWtype,
	"ydotool":      wayland.OpenYdotool,
	"osascript":    macos.OpenOsascript,
	"sendinput":    windows.OpenSendInput,
	"sendkeys":     windows.OpenSendKeys,
	"sendkeys-wsl": windows.OpenSendKeysWSL,
}

// Injectors returns those with the given names, in their order. No names mean
// those that suit the machine's desktop, the best first.
func Injectors(m Machine, names []string) ([]Injector, error) {
	if len(names) == 0 {
		names = order(m.Desktop)
	}
	var list []Injector
	for _, name := range names {
		if name == "bridge" {
			list = append(list, bridgeInjector{bridge.New(desk.Machine(m))})
			continue
		}
		open, ok := typing[name]
		if !ok {
			return nil, fmt.Errorf("there is no way of typing called %q; there are %s", name, strings.Join(Names(), ", "))
		}
		list = append(list, typist{name, desk.Machine(m), open})
	}
	return list, nil
}

// Names returns the names of all injectors, sorted.
func Names() []string {
	names := append(slices.Collect(maps.Keys(typing)), "bridge")
	slices.Sort(names)
	return names
}

// open makes a way of typing ready for one delivery.
type open func(ctx context.Context, m desk.Machine, r desk.Request) (desk.Session, error)

// typist is a way of typing that presses keys.
type typist struct {
	name string
	m    desk.Machine
	open open
}

// Name returns the way's name.
func (i typist) Name() string { return i.name }

// Probe opens a session and looks for the window.
func (i typist) Probe(ctx context.Context, t Target) error {
	s, err := i.session(ctx, t)
	if err != nil {
		return err
	}
	defer s.Close()
	if s.Probe != nil {
		return s.Probe(ctx)
	}
	_, err = find(ctx, t, s)
	return err
}

// Type delivers the line.
func (i typist) Type(ctx context.Context, t Target) error {
	if err := t.Check(); err != nil {
		return err
	}
	s, err := i.session(ctx, t)
	if err != nil {
		return err
	}
	defer s.Close()
	return deliver(ctx, t, s, s)
}

func (i typist) session(ctx context.Context, t Target) (desk.Session, error) {
	s, err := i.open(ctx, i.m, t.request())
	if s.Close == nil {
		s.Close = func() {}
	}
	return s, err
}

// Try is what became of one injector.
type Try struct {
	Name string
	Err  error // nil: it did it
}

// Outcome is what became of a line.
type Outcome struct {
	Tries []Try
	// Sent reports whether any key was pressed, or the line may have been sent.
	Sent bool
}

// Method is the injector that did so, the last one that was tried;
// empty if none could.
func (o Outcome) Method() string {
	if n := len(o.Tries); n > 0 && o.Sent {
		return o.Tries[n-1].Name
	}
	return ""
}

// Err is nil if the line was typed and, where that can be observed, arrived.
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

// AnyWorks reports whether one of the injectors would work. It returns as soon as
// one does, and ends what the others have started.
func AnyWorks(ctx context.Context, injectors []Injector, t Target) bool {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	answers := make(chan error)
	for _, i := range injectors {
		go func() { answers <- probe(ctx, i, t) }()
	}
	works := false
	for range injectors {
		if err := <-answers; err == nil {
			works = true
			cancel()
		}
	}
	return works
}

// ProbeAll probes all injectors at once and yields the results in order, nil for one
// that would work.
func ProbeAll(ctx context.Context, injectors []Injector, t Target) iter.Seq2[int, error] {
	answers := make([]chan error, len(injectors))
	for n, i := range injectors {
		answers[n] = make(chan error, 1)
		go func() { answers[n] <- probe(ctx, i, t) }()
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

// endWait is how long it may take to end the programs that it started.
const endWait = 300 * time.Millisecond

// Type tries one injector after the other, until one has pressed a key or may
// have sent the line.
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
	if err := probe(ctx, i, t); err != nil {
		return err
	}
	t.step("%s: typing", i.Name())
	return i.Type(ctx, t)
}

// probe probes an injector for a bounded time.
func probe(ctx context.Context, i Injector, t Target) error {
	ctx, cancel := context.WithTimeout(ctx, probeWait)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- i.Probe(ctx, t) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done: // it has ended what it had started
		return err
	case <-time.After(endWait):
		return fmt.Errorf("no answer in %s", probeWait)
	}
}
