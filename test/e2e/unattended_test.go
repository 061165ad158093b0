//go:build linux

package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/cursor-ralph/cursor-ralph/test/simcursor"
)

// unattended is a chat whose agent works without a test's help, and whose
// input is a window: what is sent there is sent here.
type unattended struct {
	*world
	chat    *simcursor.Chat
	message func(context.Context) (string, error) // waits for what is sent in the input

	mu       sync.Mutex
	front    *simcursor.Chat            // the chat that the window shows, nil for that of chats
	chats    map[string]*simcursor.Chat // by the line that is for it
	done     int                        // iterations that the agent has worked
	promised int                        // the iteration in which it gives its promise
	failing  int                        // the turn that is lost, 0 for none
	pausing  int                        // the iteration in which the user pauses the loop
}

// show brings a chat to the front.
func (u *unattended) show(c *simcursor.Chat) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.front = c
}

// shown is the chat to which a line goes.
func (u *unattended) shown(line string) *simcursor.Chat {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.front == nil {
		return u.chats[line]
	}
	return u.front
}

// agent does what a slash command says, works, and returns its promise in time.
func (u *unattended) agent(t *simcursor.Turn) {
	if !t.Followup {
		command, err := handOver(t.Message)
		if err != nil {
			u.Errorf("turn %d: %v", t.Number, err)
			return
		}
		if output, exit := t.Shell(command); exit != 0 {
			t.Say("It cannot go on: " + output)
			return
		}
	}
	if err := t.Edit(fmt.Sprintf("work-%d.txt", t.Number), "work\n"); err != nil {
		u.Errorf("edit: %v", err)
	}
	u.mu.Lock()
	u.done++
	last, fail, pause := u.done >= u.promised, u.done == u.failing, u.done == u.pausing
	u.mu.Unlock()
	switch {
	case fail:
		t.Fail()
	case pause:
		u.ok(u.repo(), "pause", t.Chat.ID)
	case last:
		t.Say("All is done. " + done)
	default:
		t.Say("A part is done.")
	}
}

// begins starts a loop and lets what comes from the input into the chat in
// front, until the test ends.
func (u *unattended) begins(task string) {
	u.Helper()
	ctx, cancel := context.WithCancel(u.ctx)
	var pump sync.WaitGroup
	u.Cleanup(func() {
		u.awaitTypers()
		cancel()
		pump.Wait()
	})
	sent := make(chan error, 1)
	pump.Go(func() {
		sent <- u.chat.Send(ctx, "/ralph-loop "+task)
		for {
			text, err := u.message(ctx)
			if err != nil {
				return // the test is over
			}
			if err := u.shown(text).Send(ctx, text); err != nil && ctx.Err() == nil {
				u.Error(err)
			}
		}
	})
	select {
	case err := <-sent:
		u.must(err)
	case <-u.ctx.Done():
		u.Fatal("the loop does not get to its first session's end")
	}
}

// awaitTypers waits until every injection that the hook began is over. The
// test's own context has ended by then.
func (u *unattended) awaitTypers() {
	u.Helper()
	count := func(action string) int { return strings.Count(u.log(), " action="+action+" ") }
	for end := time.Now().Add(patience); count("inject") > count("injected")+count("not-typed"); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			u.Error("a typer has no end")
			return
		}
	}
}

// typedLine is how an injection went, in the history.
type typedLine struct {
	Outcome      string   `json:"outcome"`
	Method       string   `json:"method"`
	Milliseconds int64    `json:"milliseconds"`
	Tries        []string `json:"tries"`
}

// typed returns the injections of a loop's history.
func (u *unattended) typed() (lines []typedLine) {
	u.Helper()
	var history []struct {
		Injections []typedLine `json:"injections"`
	}
	u.must(json.Unmarshal([]byte(u.ok(u.repo(), "history", "--json", u.chat.ID)), &history))
	for _, h := range history {
		lines = append(lines, h.Injections...)
	}
	return lines
}

func (u *unattended) line() string { return "/ralph-loop --continue " + u.shortID(u.chat.ID) }

// loggedAt returns the time of the last log line with some words, the zero time
// if no line has them.
func (u *unattended) loggedAt(words string) (at time.Time) {
	u.Helper()
	for line := range strings.Lines(u.log()) {
		if strings.Contains(line, words) {
			stamp, _, _ := strings.Cut(line, " ")
			var err error
			at, err = time.Parse("2006-01-02T15:04:05.000Z", stamp)
			u.must(err)
		}
	}
	return at
}
