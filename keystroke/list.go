package keystroke

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/rendezvous"
	"github.com/cursor-ralph/cursor-ralph/platform"
)

// way is a row of the list: a way of typing and the desktops that it suits.
type way struct {
	name string
	on   []platform.DesktopKind
	open open // for a way that presses keys
	// injector makes any other way.
	injector func(m desk.Machine) Injector
}

// open makes a desktop ready for a delivery, or returns why this way does not work
// there.
type open func(ctx context.Context, m desk.Machine) (desk.Desk, error)

// list has all ways of typing, for each desktop the best first. To add one, write
// its desktop in a file of its own and add a row.
//
// The extension comes before all that press keys: it reaches the exact chat, and works without a desktop.
var list = []way{
	{name: "extension", injector: newExtension, on: everywhere},
	{name: "robotgo", open: desk.Robotgo, on: []platform.DesktopKind{platform.X11, platform.MacOS, platform.Windows}},
	{name: "xdotool", open: desk.Xdotool, on: []platform.DesktopKind{platform.X11}},
	{name: "wtype", open: desk.Wtype, on: []platform.DesktopKind{platform.Wayland}},
	{name: "ydotool", open: desk.Ydotool, on: []platform.DesktopKind{platform.Wayland}},
	{name: "osascript", open: desk.Osascript, on: []platform.DesktopKind{platform.MacOS}},
	{name: "sendkeys", open: desk.SendKeys, on: []platform.DesktopKind{platform.Windows, platform.WSL}},
}

var everywhere = []platform.DesktopKind{platform.NoDesktop, platform.X11, platform.Wayland, platform.MacOS, platform.Windows, platform.WSL}

// order returns the names of the ways for a desktop, the best first. Under Wayland the ways into XWayland come first:
// they find no window where Cursor is a Wayland client.
func order(d platform.Desktop) (names []string) {
	kinds := []platform.DesktopKind{d.Kind}
	if d.Kind == platform.Wayland && d.XWayland {
		kinds = []platform.DesktopKind{platform.X11, platform.Wayland}
	}
	for _, kind := range kinds {
		for _, w := range list {
			if slices.Contains(w.on, kind) && !slices.Contains(names, w.name) {
				names = append(names, w.name)
			}
		}
	}
	return names
}

// Injectors returns those with the given names, in their order. No names mean
// those that suit the machine's desktop, the best first.
func Injectors(m Machine, names []string) ([]Injector, error) {
	if len(names) == 0 {
		names = order(m.Desktop)
	}
	var found []Injector
	for _, name := range names {
		i := slices.IndexFunc(list, func(w way) bool { return w.name == name })
		switch {
		case i < 0:
			return nil, fmt.Errorf("there is no way of typing called %q; there are %s", name, strings.Join(Names(), ", "))
		case list[i].open == nil:
			found = append(found, list[i].injector(desk.Machine(m)))
		default:
			found = append(found, typist{name, desk.Machine(m), list[i].open})
		}
	}
	return found, nil
}

// Names returns the names of all injectors, sorted.
func Names() (names []string) {
	for _, w := range list {
		names = append(names, w.name)
	}
	slices.Sort(names)
	return names
}

type typist struct {
	name string
	m    desk.Machine
	open open
}

// Name returns the way's name.
func (i typist) Name() string { return i.name }

// Probe opens the desktop and looks for the window.
func (i typist) Probe(ctx context.Context, t Target) error {
	return i.with(ctx, t, func(d desk.Desk) error {
		if d.Probe == nil {
			_, err := find(ctx, t, d)
			return err
		}
		runs, err := d.Probe(ctx, t.Editors)
		if err == nil && !runs {
			err = errNoWindow
		}
		return err
	})
}

// Type delivers the line.
func (i typist) Type(ctx context.Context, t Target) error {
	if err := t.Check(); err != nil {
		return err
	}
	return i.with(ctx, t, func(d desk.Desk) error { return deliver(ctx, t, d) })
}

// with opens the desktop for as long as something is done with it.
func (i typist) with(ctx context.Context, t Target, do func(desk.Desk) error) error {
	if t.NewChat {
		return errNoNewChat
	}
	d, err := i.open(ctx, i.m)
	if d.Close != nil {
		defer d.Close()
	}
	if err != nil {
		return err
	}
	return do(d)
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

// SeesTheUser reports whether one of the injectors that work here learns how long the
// user has rested. Without that nobody is waited for.
func SeesTheUser(ctx context.Context, injectors []Injector) (sees bool) {
	for _, i := range injectors {
		if keys, ok := i.(typist); ok && !sees {
			_ = keys.with(ctx, Target{}, func(d desk.Desk) error { // ProbeAll has the error
				sees = d.Idle != nil
				return nil
			})
		}
	}
	return sees
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
// have sent the line. After the extension has put the line into the chat's input,
// the others only submit it; if none can, the user does. While the extension's
// window does not answer, nothing is typed: what has the focus there is not known.
func Type(ctx context.Context, injectors []Injector, t Target) (o Outcome) {
	for _, i := range injectors {
		err := tryOne(ctx, i, t, injectors)
		o.add(i.Name(), err)
		if o.Sent || ctx.Err() != nil || errors.Is(err, rendezvous.ErrSilent) || errors.Is(err, ErrBusy) {
			break
		}
		if put := (*putError)(nil); errors.As(err, &put) {
			defer put.window.Close() // the connection ends with the delivery
			t = t.withPut(put)
		}
		t.step("%s: %v", i.Name(), err)
		if t.put != nil && t.put.left {
			break
		}
	}
	if t.put != nil && !o.Sent {
		o.add("extension", t.put.askUser(ctx, t))
	}
	if t.put != nil && t.Arrived != nil && o.Err() == nil {
		t.put.arrived(ctx)
	}
	return o
}

// awaitRest waits until the user rests, and reports whether a way that presses keys
// could see that: the extension, which moves the focus, does not see what is typed into a
// terminal or a chat.
func awaitRest(ctx context.Context, injectors []Injector, t Target) (seen bool, err error) {
	t.NewChat = false
	for _, i := range injectors {
		if keys, ok := i.(typist); ok && !seen {
			waited := keys.with(ctx, t, func(d desk.Desk) error {
				seen = d.Idle != nil
				return rested(ctx, t, d)
			})
			if seen {
				err = waited
			}
		}
	}
	return seen, err
}

func (o *Outcome) add(name string, err error) {
	o.Tries = append(o.Tries, Try{name, err})
	o.Sent = err == nil || errors.As(err, new(*SentError))
}

// tryOne types with an injector that would work, or whose window needs longer than
// a probe to answer.
func tryOne(ctx context.Context, i Injector, t Target, all []Injector) error {
	if err := probe(ctx, i, t); err != nil && !errors.Is(err, rendezvous.ErrSilent) {
		return err
	}
	if _, moves := i.(extensionInjector); moves {
		var err error
		if t.rested, err = awaitRest(ctx, all, t); errors.Is(err, ErrBusy) {
			return err
		}
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
