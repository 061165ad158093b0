package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/cursor-ralph/cursor-ralph/internal/config"
	"github.com/cursor-ralph/cursor-ralph/internal/handoff"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/onevent"
)

// event handles an event of the editor for the hook, with the user's settings. Its standard input is one line, and then stays
// open until the hook is gone.
func event(_ context.Context, e *env, _ []string) error {
	in := bufio.NewReader(io.LimitReader(e.Stdin, mostEvent))
	line, err := in.ReadBytes('\n')
	if err != nil {
		return hint.Misuse("standard input has no event: "+err.Error(), "the hook runs this")
	}
	var handed handoff.Event
	if err := json.Unmarshal(line, &handed); err != nil {
		return hint.Misuse("standard input has no event: "+err.Error(), "the hook runs this")
	}
	if ours := onevent.Version(release); handed.Version != ours {
		return hint.New(fmt.Sprintf("the hook is %s, and this is %s", handed.Version, ours), "install both again")
	}
	gone, served := make(chan struct{}), make(chan error, 1)
	go func() {
		_, _ = io.Copy(io.Discard, in) // an error is the end too
		close(gone)
	}()
	go func() { served <- e.serve(handed) }()
	select {
	case err := <-served:
		return err
	case <-gone: // what was started for the event ends with us: each has one of our pipes
		return errors.New("the hook is gone")
	}
}

func (e *env) serve(handed handoff.Event) error {
	c, err := e.Config()
	s := eventSettings(c)
	if err != nil {
		s.Problem = err.Error()
	}
	reply, after, err := onevent.Serve(handed, s, e.Getenv)
	if err != nil {
		return err
	}
	if err := json.NewEncoder(e.Stdout).Encode(reply); err != nil {
		return err
	}
	if c, ok := e.Stdout.(io.Closer); ok {
		_ = c.Close() // the hook need not wait for what follows
	}
	after()
	return nil
}

// eventSettings returns the settings as far as an event needs them. Those that nobody has set are the hook's own.
func eventSettings(c config.Config) onevent.Settings {
	s := onevent.Settings{Defaults: c.Loop()}
	switch limit := c.Get("hook.session-limit").Text; limit {
	case "none":
		s.SessionLimit = onevent.NoLimit
	default:
		s.SessionLimit, _ = strconv.Atoi(limit) // 0 for auto
	}
	return s
}

// mostEvent is more than the hook reads of an event, with what it adds.
const mostEvent = 2 * 64 << 20
