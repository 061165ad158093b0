package keystroke

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/rendezvous"
	"github.com/cursor-ralph/cursor-ralph/platform"
)

// extensionInjector has our editor extension show the chat, focus its input and put
// the line into it. A way that presses keys then presses the submit key.
type extensionInjector struct {
	folder string
	err    error // why there is no folder
	os     string
}

func newExtension(m desk.Machine) Injector {
	places, err := platform.Find(m.Getenv)
	return extensionInjector{places.Rendezvous(), err, m.OS}
}

// Name is extension.
func (extensionInjector) Name() string { return "extension" }

// Probe reports whether a window has the target's chat, or its workspace open; for
// a target without a chat, whether there is any window.
func (i extensionInjector) Probe(ctx context.Context, t Target) error {
	if t.put != nil {
		return errNoKeys
	}
	if t.Conversation == "" {
		_, err := i.announced()
		return err
	}
	w, found, err := i.find(ctx, t)
	if err != nil {
		return err
	}
	if t.NewChat && !found.Creates {
		err = errors.New("this editor, or its cursor-ralph extension, creates no chats")
	}
	return errors.Join(err, w.Close())
}

// Type puts the line into the chat's input. It returns a *putError, with which
// Type goes on to the ways that press keys.
func (i extensionInjector) Type(ctx context.Context, t Target) error {
	if err := t.Check(); err != nil {
		return err
	}
	if t.Conversation == "" {
		return errors.New("the line is for no chat")
	}
	w, found, err := i.find(ctx, t)
	if err != nil {
		return err
	}
	if err := t.permit(ctx); err != nil {
		return errors.Join(err, w.Close())
	}
	d := rendezvous.Delivery{
		Conversation: t.Conversation, Line: t.Line, Rested: t.rested,
		Step:   func(name, result string) { t.step("extension: %.20q: %.200q", name, result) },
		Permit: func() error { return t.permit(ctx) },
	}
	if found.Active && !t.rested {
		t.step("extension: the user is active")
	}
	if t.NewChat {
		return create(ctx, t, w, d)
	}
	err = w.Deliver(ctx, d)
	var refused *rendezvous.RefusedError
	left := errors.As(err, &refused) && refused.Code == rendezvous.Left
	if err != nil && !left {
		return untouched(errors.Join(err, w.Close()))
	}
	return &putError{w, t.Conversation, found.Folders, left}
}

// create has the window create a chat and submit the line in it, once. What it
// answers is no proof, and Cursor may answer only when the turn is over.
func create(ctx context.Context, t Target, w *rendezvous.Window, d rendezvous.Delivery) error {
	err := w.Create(ctx, d)
	_ = w.Close() // it has answered, or is given up
	switch err = untouched(err); {
	case err != nil && !errors.As(err, new(*SentError)):
		return err
	case err != nil:
		t.step("extension: %.200q; waiting for the new chat", err)
	default:
		t.step("extension: a new chat was created")
	}
	if t.Arrived == nil {
		return err
	}
	if missing := proved(t.Arrived(ctx)); missing != nil {
		return &SentError{errors.Join(err, missing)}
	}
	return nil
}

// errNoNewChat is of a way that types into a chat that is there.
var errNoNewChat = errors.New("only the editor's extension creates a new chat")

// untouched returns an error as it is if the line is certainly in no input, and as
// a *SentError otherwise.
func untouched(err error) error {
	var refused *rendezvous.RefusedError
	if errors.As(err, &refused) && refused.Code == rendezvous.UserBusy {
		return errors.Join(ErrBusy, err) // no other way may take the keys either
	}
	if err == nil || errors.As(err, &refused) && !refused.Touched {
		return err
	}
	return &SentError{err}
}

// putError is the extension's success: the line is in the chat's input, and the
// submit key is not pressed yet.
type putError struct {
	window       *rendezvous.Window
	conversation string
	folders      []string // of the window
	left         bool     // it is the line of an earlier delivery, if the user has not removed it: no key is pressed
}

// Error says what is left to do.
func (p *putError) Error() string {
	if p.left {
		return "a line that was put into the chat's input before may still be there; send the line there, alone"
	}
	return "the line is in the chat's input; press the submit key there"
}

// askUser has the extension ask the user to press the submit key, after no way here
// could, and waits for that.
func (p *putError) askUser(ctx context.Context, t Target) error {
	if t.Permit != nil {
		if err := t.Permit(ctx); err != nil {
			return &SentError{errors.Join(p, err)}
		}
	}
	t.step("extension: asking the user to press %s", t.submitName())
	if err := p.window.Ask(ctx, p.conversation); err != nil || t.Arrived == nil {
		return &SentError{errors.Join(p, err)}
	}
	if err := proved(t.Arrived(ctx)); err != nil {
		return &SentError{errors.Join(p, err)}
	}
	return nil
}

// arrived tells the window that the line is in the input no more. A window that does not
// learn it asks the user the next time.
func (p *putError) arrived(ctx context.Context) {
	_ = p.window.Sent(ctx, p.conversation)
}

// withPut returns a target whose line is in the input of a chat of a window. A
// window with one folder is the one whose title names this.
func (t Target) withPut(put *putError) Target {
	t.put = put
	if len(put.folders) == 1 {
		t.Workspace = put.folders[0]
	}
	return t
}

// errNoKeys is of a way that cannot press a key.
var errNoKeys = errors.New("the line is in the chat's input already; only a way that presses keys can submit it")

func (i extensionInjector) announced() ([]rendezvous.Announcement, error) {
	if i.err != nil {
		return nil, i.err
	}
	all, err := rendezvous.Announced(i.folder)
	if len(all) > 0 {
		return all, nil
	}
	if err == nil {
		err = errors.New("no window of the editor runs our extension")
	}
	return nil, hint.Add(err, "install the cursor-ralph extension in the editor and reload its window")
}

type candidate struct {
	window *rendezvous.Window
	found  rendezvous.Found
}

// find connects to the window that is to show the chat: the one that shows it,
// else the only one that has the workspace open.
func (i extensionInjector) find(ctx context.Context, t Target) (*rendezvous.Window, rendezvous.Found, error) {
	all, err := i.announced()
	if err != nil {
		return nil, rendezvous.Found{}, err
	}
	able, problems := askAll(ctx, all, t)
	chosen, err := choose(able, t.Workspace, i.os)
	for n, c := range able {
		if n != chosen {
			_ = c.window.Close() // not used
		}
	}
	if err != nil {
		return nil, rendezvous.Found{}, errors.Join(problems, err)
	}
	return able[chosen].window, able[chosen].found, nil
}

// askAll asks all windows at once: one may hang.
func askAll(ctx context.Context, all []rendezvous.Announcement, t Target) (able []candidate, problems error) {
	answers, errs := make([]candidate, len(all)), make([]error, len(all))
	var asked sync.WaitGroup
	for n, a := range all {
		asked.Go(func() { answers[n], errs[n] = ask(ctx, a, t) })
	}
	asked.Wait()
	for n, c := range answers {
		if errs[n] == nil {
			able = append(able, c)
		}
	}
	return able, errors.Join(errs...)
}

// ask finds out where a window has the chat. One that cannot tell may create another.
func ask(ctx context.Context, a rendezvous.Announcement, t Target) (candidate, error) {
	w, err := rendezvous.Dial(ctx, a)
	if err != nil {
		return candidate{}, err
	}
	found, err := w.Find(ctx, t.Conversation)
	if creates := t.NewChat && found.Creates && errors.As(err, new(*rendezvous.RefusedError)); err != nil && !creates {
		return candidate{}, errors.Join(err, w.Close())
	}
	return candidate{w, found}, nil
}

func choose(all []candidate, workspace, goos string) (int, error) {
	var shows, has []int
	for n, c := range all {
		if c.found.Place == rendezvous.Front || c.found.Place == rendezvous.Shown {
			shows = append(shows, n)
		}
		if slices.ContainsFunc(c.found.Folders, func(f string) bool { return workspace != "" && platform.SameFolder(goos, f, workspace) }) {
			has = append(has, n)
		}
	}
	for _, of := range [][]int{shows, has} {
		switch len(of) {
		case 0:
		case 1:
			return of[0], nil
		default:
			return -1, fmt.Errorf("%d windows may have the chat, so it is not clear which is meant", len(of))
		}
	}
	return -1, fmt.Errorf("none of %d windows shows the chat or has its workspace open", len(all))
}
