//go:build linux

package e2e_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/test/short"
	"github.com/cursor-ralph/cursor-ralph/test/simcursor"
)

// standIn plays Cursor's command. What is sent by it is left in a folder, from
// which the test submits it to the chat.
const standIn = `#!/bin/sh
cd 'DIR' || exit
echo "$*" >>calls
case "$2" in
ls) test -e hangs && exec sleep 60; cat chats ;;
send) cat >message.$$ && mv message.$$ sent/$(ls sent | wc -l); cat answer ;;
esac
`

// bridged is an unattended chat on a machine without a desktop, whose Cursor
// has its desktop bridge on.
type bridged struct {
	*unattended
	dir  string
	read int // messages that the chat has got
}

func newBridged(t *testing.T, v variant, settings string) *bridged {
	t.Helper()
	w := bareWorld(t, v)
	w.settings(settings)
	b := &bridged{unattended: &unattended{world: w, promised: 23}, dir: filepath.Join(w.dir, "bridge")}
	w.write(filepath.Join(b.dir, "cursor"), strings.Replace(standIn, "DIR", b.dir, 1))
	w.must(os.Chmod(filepath.Join(b.dir, "cursor"), 0o755))
	w.must(os.Mkdir(filepath.Join(b.dir, "sent"), 0o755))
	w.profileAdds("PATH='" + b.dir + "':$PATH") // which the login shell of a hook makes anew
	w.write(filepath.Join(w.home(), ".cursor", "desktop-bridge", "1.json"), `{"pid": 1}`)
	for _, args := range w.installs {
		w.ok(w.repo(), append([]string{"install"}, args...)...)
	}
	b.chat = w.cursor(w.repo()).Chat(b.agent)
	b.show(b.chat)
	b.message = b.nextSent
	b.lists(b.chat.ID)
	b.answers("submitted")
	return b
}

// five are the settings of a user whose sessions end after five turns.
const five = "[hook]\nsession-limit = 5\n"

// lists has `desktop ls` list these chats.
func (b *bridged) lists(ids ...string) {
	var chats []map[string]any
	for n, id := range ids {
		chats = append(chats, map[string]any{"id": id, "title": "a chat", "source": "local", "status": "completed", "windowId": n})
	}
	b.write(filepath.Join(b.dir, "chats"), encode(chats))
}

func (b *bridged) answers(status string) {
	b.write(filepath.Join(b.dir, "answer"), encode(map[string]any{"status": status}))
}

// sent are the messages that Cursor's command was given.
func (b *bridged) sent() (messages []string) {
	b.Helper()
	for n := 0; ; n++ {
		data, err := os.ReadFile(filepath.Join(b.dir, "sent", fmt.Sprint(n)))
		if err != nil {
			return messages
		}
		messages = append(messages, string(data))
	}
}

// nextSent waits for what is sent next.
func (b *bridged) nextSent(ctx context.Context) (string, error) {
	for {
		if sent := b.sent(); len(sent) > b.read {
			b.read++
			return sent[b.read-1], nil
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func (b *bridged) wantSent(times int) {
	b.Helper()
	if got, want := b.sent(), slices.Repeat([]string{b.line()}, times); !slices.Equal(got, want) {
		b.Errorf("Cursor's command was given %q, want %q", got, want)
	}
}

// TestBridge runs loops whose continue line Cursor itself sends.
func TestBridge(t *testing.T) {
	t.Parallel()
	for _, v := range short.First([]variant{
		usual(),
		option("expanded prompt", func(o *simcursor.Options) { o.ExpandCommands = true }),
		option("ids as in the CLI", func(o *simcursor.Options) { o.AgentIDs = true }),
	}, 1) {
		t.Run("23 iterations in 5 sessions, "+v.name, func(t *testing.T) {
			t.Parallel()
			b := newBridged(t, v, five)
			b.lists("another", strings.ToUpper(b.chat.ID), strings.ToUpper(b.chat.ID)) // in two windows
			b.begins(`"make it green" --max-iterations 30`)
			b.until("the promise", func() bool { return b.status(b.chat.ID).Status == "PROMISE_ACCEPTED" })
			b.until("the reports", func() bool { return len(b.typed()) == 4 })
			b.wantStatus(b.chat.ID, "PROMISE_ACCEPTED", 23)
			b.wantSent(4)
			for _, line := range b.typed() {
				if line.Outcome != "arrived" || line.Method != "bridge" {
					t.Errorf("got %+v, want one that arrived by the bridge", line)
				}
			}
		})
	}
	t.Run("a Cursor that lies", func(t *testing.T) {
		short.Skip(t) // it waits for half a minute
		t.Parallel()
		b := newBridged(t, usual(), five)
		lost := make(chan string, 10)
		b.message = func(ctx context.Context) (string, error) {
			text, err := b.nextSent(ctx)
			if err == nil {
				lost <- text
				<-ctx.Done()
			}
			return "", ctx.Err()
		}
		b.begins(`"make it green"`)
		if got := <-lost; got != b.line() {
			t.Errorf("Cursor's command was given %q", got)
		}
		b.until("the end of the wait", func() bool { return len(b.typed()) == 1 })
		b.wantPart("the outcome", b.typed()[0].Outcome, "submitted; nothing shows that the line arrived")
		b.wantStatus(b.chat.ID, "waiting", 5)
		b.wantSent(1)
	})
	t.Run("a Cursor that refuses", func(t *testing.T) {
		t.Parallel()
		b := newBridged(t, usual(), five)
		b.message = func(ctx context.Context) (string, error) { <-ctx.Done(); return "", ctx.Err() }
		b.answers("not-sendable")
		b.begins(`"make it green"`)
		b.until("the report", func() bool { return len(b.typed()) == 1 })
		b.wantPart("the outcome", b.typed()[0].Outcome, "bridge: cursor desktop send: not-sendable")
		b.wantStatus(b.chat.ID, "waiting", 5)
	})
	for _, tt := range short.First([]struct {
		name    string
		prepare func(b *bridged)
		log     string
	}{
		{"the chat is not listed", func(b *bridged) { b.lists("another") }, "cursor-ralph doctor tells more"},
		{"Cursor's command hangs", func(b *bridged) { b.write(filepath.Join(b.dir, "hangs"), "") }, "cursor-ralph doctor tells more"},
		{"no window has announced it", func(b *bridged) {
			b.must(os.RemoveAll(filepath.Join(b.home(), ".cursor", "desktop-bridge")))
		}, "neither WAYLAND_DISPLAY nor DISPLAY is set"},
	}, 1) {
		t.Run("by hand: "+tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBridged(t, usual(), five)
			tt.prepare(b)
			b.begins(`"make it green"`)
			b.wantPart("the log", b.log(), tt.log)
			b.wantPart("the log", b.log(), "action=hand-over")
			b.wantStatus(b.chat.ID, "running", 5) // its last turn, as far as anybody knows
			b.wantSent(0)
			if took := b.loggedAt("action=hand-over").Sub(b.loggedAt("iteration=4/20")); took > 5*time.Second {
				t.Errorf("the stop was answered after %s", took)
			}
		})
	}
}
