// Package testdesk is a real desktop for tests and the lab: an X server, a
// window manager, Chromium showing a chat page as the editor, and another
// program's window. It is not part of any program that people get.
package testdesk

import (
	"context"
	_ "embed"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"
)

//go:embed page.html
var pageHTML []byte

// Page is a chat page for one browser window. It reports what is typed into it.
type Page struct {
	server   *http.Server
	url      string
	commands chan command

	mu       sync.Mutex
	changed  chan struct{} // closed at every report
	loaded   bool
	messages []string
	read     int // how many messages Message has given
	files    []string
	keys     []Key
	replies  map[int]State
	asked    int
}

// Key is a keydown that the page has seen.
type Key struct {
	Key, Code              string // as in a KeyboardEvent
	Ctrl, Shift, Alt, Meta bool
	Element                string // input, file or none
}

// State is what the page holds.
type State struct {
	Draft  string // in the chat input
	Row    string // of the slash menu, that Enter picks; empty while the menu is closed
	File   string // in the source file
	Focus  string // input, file or none
	Active bool   // the window has the focus
}

// NewPage serves a chat page on loopback. Its chat input is a text area.
func NewPage() (*Page, error) {
	script, err := inputs.ReadFile("inputs/textarea.js")
	if err != nil {
		return nil, err
	}
	return serve(script)
}

// URL is where the page is.
func (p *Page) URL() string { return p.url }

// Close stops the server.
func (p *Page) Close() error { return p.server.Close() }

// Loaded waits until a browser shows the page.
func (p *Page) Loaded(ctx context.Context) error {
	return p.wait(ctx, "loading of the page", func() bool { return p.loaded })
}

// Message waits for the next message that was sent. It is empty when Return
// was pressed in an empty chat input.
func (p *Page) Message(ctx context.Context) (text string, err error) {
	err = p.wait(ctx, "message", func() bool {
		if p.read == len(p.messages) {
			return false
		}
		text = p.messages[p.read]
		p.read++
		return true
	})
	return text, err
}

// Clock waits for the next message from now on. Arrived waits for the result, for a target, which asks late: after the
// clipboard was restored. Stop ends the wait and returns how long the message took.
func (p *Page) Clock(ctx context.Context) (arrived func(context.Context) error, stop func() time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	began, news, done := time.Now(), make(chan error, 1), make(chan struct{})
	var took time.Duration
	go func() {
		defer close(done)
		_, err := p.Message(ctx)
		took = time.Since(began)
		news <- err
	}()
	arrived = func(ctx context.Context) error {
		select {
		case err := <-news:
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return arrived, func() time.Duration {
		cancel()
		<-done
		return took
	}
}

// Messages returns all messages since the last Reset.
func (p *Page) Messages() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.messages)
}

// Keys returns all keydowns since the last Reset.
func (p *Page) Keys() []Key {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.keys)
}

// State asks the page what it holds. All that was typed before has been reported then.
func (p *Page) State(ctx context.Context) (State, error) {
	return p.ask(ctx, command{Do: "state"})
}

// Active waits until the browser knows that its window has the focus: some
// time after the desktop does. Keys before that are lost.
func (p *Page) Active(ctx context.Context) error {
	return until(ctx, "focus of the page", func() (bool, error) {
		s, err := p.State(ctx)
		return s.Active, err
	})
}

// FocusInput puts the cursor into the chat input.
func (p *Page) FocusInput(ctx context.Context) error { return p.tell(ctx, command{Do: "focus input"}) }

// SendByCtrlEnter makes the chat input send at Ctrl+Enter alone, until the next
// Reset. Return is a new line then, as with that setting of Cursor's.
func (p *Page) SendByCtrlEnter(ctx context.Context) error {
	return p.tell(ctx, command{Do: "ctrl sends", N: 1})
}

// Reset empties the page, puts the cursor into the chat input, and forgets
// earlier reports.
func (p *Page) Reset(ctx context.Context) error {
	if err := p.tell(ctx, command{Do: "clear"}); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.messages, p.files, p.keys, p.read = nil, nil, nil, 0
	return nil
}

func (p *Page) tell(ctx context.Context, c command) error {
	_, err := p.ask(ctx, c)
	return err
}

func (p *Page) ask(ctx context.Context, c command) (s State, err error) {
	p.mu.Lock()
	p.asked++
	c.ID = p.asked
	p.mu.Unlock()
	select {
	case p.commands <- c:
	case <-ctx.Done():
		return State{}, ctx.Err()
	}
	err = p.wait(ctx, "answer to "+c.Do, func() bool {
		var ok bool
		s, ok = p.replies[c.ID]
		delete(p.replies, c.ID)
		return ok
	})
	return s, err
}

// wait waits until ok returns true after a report of the page.
func (p *Page) wait(ctx context.Context, what string, ok func() bool) error {
	for {
		p.mu.Lock()
		done, changed := ok(), p.changed
		p.mu.Unlock()
		if done {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("no %s: %w", what, ctx.Err())
		}
	}
}
