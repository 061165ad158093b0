package onevent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/cursor-ralph/cursor-ralph/hook"
	"github.com/cursor-ralph/cursor-ralph/internal/handoff"
	"github.com/cursor-ralph/cursor-ralph/internal/host"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// Settings are the user's, as far as an event needs them. The zero Settings are the built-in ones.
type Settings struct {
	Defaults     []loop.Default // of a new loop
	SessionLimit int            // follow-ups in a row, or NoLimit; 0 for what this Cursor allows
	Problem      string         // why they cannot be used
}

// NoLimit is the session limit of a user who has none.
const NoLimit = -1

// Serve handles an event that the hook has handed over. after starts what the editor does not wait for; it is to be called when
// the reply is out.
func Serve(e handoff.Event, s Settings, getenv func(string) string) (reply handoff.Reply, after func(), err error) {
	h := &handler{now: utc, getenv: getenv, pid: e.Hook, settings: s, called: e.Called}
	if named, ok := host.Named(e.Host); ok {
		h.host = &named
	}
	h.renew(serveTime)
	answer := h.answer(nil, &oneEvent{e.Input})
	if s.Problem != "" {
		h.fail(errors.New("your settings cannot be used: " + s.Problem))
	}
	reply.Answer, err = json.Marshal(answer)
	if answer == nil {
		reply.Answer = json.RawMessage("{}")
	}
	return reply, h.afterwards, err
}

// oneEvent is the standard input of the hook.
type oneEvent struct{ rest []byte }

func (o *oneEvent) Read(p []byte) (int, error) {
	n := copy(p, o.rest)
	if o.rest = o.rest[n:]; n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

const (
	serveTime  = 3500 * time.Millisecond // of cursor-ralph for an event
	replyTime  = 4 * time.Second         // it is late after that
	gateMargin = 10 * time.Second        // beyond the limits of the gates
)

// handsOver reports whether cursor-ralph has to handle the event: the user has settings, which the hook does not read.
func (h *handler) handsOver() bool { return h.hands && h.hasSettings() }

// handOver has cursor-ralph handle the event. If it cannot, the loop pauses: the built-in settings are not the user's.
func (h *handler) handOver(ctx context.Context) any {
	wait := h.replyWait()
	limit, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	reply, err := cursorRalph().HandOver(limit, h.handed())
	h.renew(deadline)
	if err == nil {
		h.reply = &reply
		if string(reply.Answer) == "{}" {
			return nil
		}
		return reply.Answer
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("no answer in %s", wait)
	}
	h.pauseUnserved(ctx, fmt.Errorf("cursor-ralph could not handle the event, which your settings need: %w", err))
	return nil
}

func (h *handler) handed() handoff.Event {
	e := handoff.Event{Version: Version(h.release), Hook: h.pid, Input: h.in.Raw()}
	if h.host != nil {
		e.Host, e.Called = h.host.Name, h.calledInHost()
	}
	return e
}

// pauseUnserved pauses the chat's loop, and notifies the user.
func (h *handler) pauseUnserved(ctx context.Context, why error) {
	h.fail(why)
	l, action, err := h.store.Apply(ctx, h.in.ConversationID, loop.Event{Kind: loop.EventPause, Text: why.Error()})
	if errors.Is(err, fs.ErrNotExist) {
		return // the agent's call of cursor-ralph says what is wrong with a new one
	}
	h.failIf(err)
	if err == nil {
		h.logDecision(l, action)
		h.notify(l, action)
	}
}

// replyWait is how long cursor-ralph may take: longer where it may survey the work, or ask the gates.
func (h *handler) replyWait() time.Duration {
	if h.in.EventName == hook.EventBeforeSubmitPrompt {
		return replyTime + promptSurveyWait
	}
	wait := replyTime
	l, err := h.store.Read(h.in.ConversationID)
	if err == nil && l.IsSurveyed() {
		wait += handoff.SurveyLimit
	}
	if err == nil && (l.Verify != "" || l.Review != "") {
		wait += min(l.RoundLimit(), loop.VerifyRoom) + gateMargin
	}
	return wait
}
