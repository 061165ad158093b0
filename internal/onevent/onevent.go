// Package onevent is the hook: it handles one event of the editor's agent, top to bottom.
package onevent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/cursor-ralph/cursor-ralph/hook"
	"github.com/cursor-ralph/cursor-ralph/internal/hooklog"
	"github.com/cursor-ralph/cursor-ralph/internal/host"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/pending"
	"github.com/cursor-ralph/cursor-ralph/platform"
	"github.com/cursor-ralph/cursor-ralph/state"
)

// Main is the hook: it reads one event from standard input, answers with one JSON object and returns, whatever happens.
// linger is how long a build for tests stays after an answer; empty is the usual time.
func Main(linger string) {
	for _, name := range host.ShellVariables() { // some hosts set them for hooks too, and what we start is the user's, and no agent's call
		_ = os.Unsetenv(name) // the names are fit for it
	}
	h := &handler{now: utc, getenv: os.Getenv, pid: os.Getpid(), program: os.Args[0], stay: hook.Linger(runtime.GOOS)}
	if stay, err := time.ParseDuration(linger); err == nil {
		h.stay = stay
	}
	h.ctx = h.time.start(h.bite)
	h.run(os.Args[1:], os.Stdin, output{os.Stdout, &h.time.over})
}

// utc is the clock. A time of the machine's zone would have each hook read the file of zones.
func utc() time.Time { return time.Now().UTC() }

// run handles one event. Its one object on stdout is written last, so that a
// panic anywhere before still leaves the editor with an answer.
func (h *handler) run(args []string, stdin io.Reader, stdout io.Writer) {
	answer := h.answer(args, stdin)
	if !h.time.speaks() {
		select {} // the watchdog answers
	}
	if err := hook.Deliver(stdout, answer, h.linger()); err != nil {
		h.fail(err)
	}
	h.afterwards()
}

// answer returns the answer to an event, nil for {}.
func (h *handler) answer(args []string, stdin io.Reader) (answer any) {
	defer func() {
		if p := recover(); p != nil {
			answer = nil
			h.fail(fmt.Errorf("panic: %v", p))
		}
	}()
	unknown := h.find()
	in, err := h.read(args, stdin)
	for i, root := range in.WorkspaceRoots {
		in.WorkspaceRoots[i] = platform.Folder(runtime.GOOS, root)
	}
	h.in = in
	h.open(args)
	if err = errors.Join(unknown, err); err != nil {
		h.fail(err)
		h.noteUnread(err)
		return nil
	}
	return h.handle(h.ctx)
}

// forHost makes of our answer what the host reads.
func (h *handler) forHost(answer any) any {
	if h.host == nil {
		return answer
	}
	return h.host.Answer(h.in.EventName, answer)
}

// once has an event decided in one process: our hook may be installed in two places.
func (h *handler) once(ctx context.Context, decide func(context.Context) any) any {
	answer, err := h.store.Once(h.bytes(), h.pid, h.caller(), func() json.RawMessage {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		h.failIf(e.Encode(h.forHost(decide(ctx))))
		return bytes.TrimSpace(b.Bytes())
	})
	h.failIf(err)
	if string(answer) == "null" || len(answer) == 0 {
		return nil
	}
	return answer
}

// caller is the entry that called us. Cursor runs one of the user's and one of a project in different folders; without them, time
// tells two hooks of one event from two events.
func (h *handler) caller() state.Entry {
	if h.host != nil {
		return h.entry
	}
	folder, _ := os.Getwd()
	return state.Entry{Name: folder, Shared: true}
}

// afterwards starts what the editor does not wait for: the answer is out.
func (h *handler) afterwards() {
	h.watch()
	h.onEnd()
	h.prune()
}

// noteUnread has the loop of an event that is too large pause at its next stop.
func (h *handler) noteUnread(err error) {
	id := h.in.ConversationID
	if h.store == nil || !errors.Is(err, hook.ErrTooLarge) || loop.CheckID(id) != nil {
		return
	}
	if has, err := h.store.Has(id); has && err == nil {
		h.record(loop.Record{Kind: loop.RecordUnread})
	}
}

// read reads an event of Cursor's, or that of the host which the entry names.
func (h *handler) read(args []string, stdin io.Reader) (hook.Input, error) {
	if len(args) < 2 || args[0] != "--host" {
		return read(stdin)
	}
	named, ok := host.Named(args[1])
	if !ok {
		return hook.Input{}, fmt.Errorf("--host %q is not known", args[1])
	}
	h.host, h.entry = &named, state.Entry{Name: h.program} // for oneself it is a path, for a project the name
	in, err := read(stdin)
	if err != nil {
		return hook.Input{Common: hook.Common{ConversationID: named.Session(in.Raw())}}, err
	}
	h.payload = in.Raw()
	trust := host.Trust{Home: platform.Home(runtime.GOOS, h.getenv), Exists: exists}
	event, ok := named.Read(h.payload, h.getenv, trust)
	if !ok {
		return hook.Input{}, nil
	}
	return read(bytes.NewReader(event))
}

// bytes are those of the event, by which a second hook has the same one.
func (h *handler) bytes() []byte {
	if h.host != nil {
		return host.Untimed(h.payload)
	}
	return h.in.Raw()
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// read makes an error of a panic: an event that cannot be read.
func read(stdin io.Reader) (in hook.Input, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return hook.Read(stdin)
}

// handler is one event and what is needed to handle it.
type handler struct {
	in      hook.Input
	host    *host.Host  // whose event it is; nil for Cursor's
	payload []byte      // that host's
	entry   state.Entry // that called us, in another host
	places  platform.Places
	store   *state.Store
	box     *pending.Box
	now     func() time.Time
	getenv  func(string) string

	settings *settings     // once somebody has asked for them
	stay     time.Duration // after an answer that must not be lost
	program  string        // as it was called
	pid      int           // of the hook's process, which has to be over before a line is typed
	time     watchdog
	decides  atomic.Bool     // about a stop of a loop, at this moment
	ctx      context.Context // of the event; done when its time is over

	composer string       // the mode of Cursor's composer, as a message tells it
	watched  bool         // a loop goes on now: the watcher must run
	ended    bool         // a loop has ended: old records may go
	over     []loop.State // those that have ended and have an OnEnd

	misplacedLogged bool
}

// linger is how long to stay after an answer, as far as there is time.
func (h *handler) linger() time.Duration {
	if h.host != nil { // which lost no answer of a fast hook
		return 0
	}
	return max(0, min(h.stay, time.Until(h.time.end)-writeTime))
}

// find finds our folders. After an error some may be unknown, but not the log's.
func (h *handler) find() (err error) {
	h.places, err = platform.Find(h.getenv)
	return err
}

func (h *handler) open(args []string) {
	if h.host != nil {
		args = nil
	}
	for _, arg := range args {
		h.fail(fmt.Errorf("%q has no effect in hooks.json: settings are in config.toml", arg))
	}
	h.store = state.New(h.places, h.now)
	h.store.Ended = func(l loop.State) { h.over = append(h.over, l) }
	h.store.Announce = h.announce
	h.store.Ignored = h.ignored
	h.box = pending.New(h.places, h.store, h.now)
}

// ignored logs once that a loop's file has commands which are not run.
func (h *handler) ignored(l loop.State) {
	if !h.misplacedLogged {
		h.misplacedLogged = true
		h.log(hooklog.Line{Conversation: l.ConversationID, Loop: l.ShortID(), Iteration: l.Iteration(), Max: l.MaxIterations, Action: "commands-ignored", Why: l.Misplaced})
	}
}

// handle returns the answer to an event, nil for {}.
func (h *handler) handle(ctx context.Context) any {
	if h.getenv("CURSOR_RALPH_RUN") != "" {
		return nil // the agent is one of cursor-ralph run, which drives it
	}
	switch h.in.EventName {
	case hook.EventStop, hook.EventBeforeSubmitPrompt, hook.EventAfterAgentResponse,
		hook.EventPostToolUse, hook.EventPostToolUseFailure:
	default:
		return nil
	}
	if h.in.ConversationID == loop.NoConversation {
		return nil
	}
	if err := loop.CheckID(h.in.ConversationID); err != nil {
		h.fail(err)
		return nil
	}
	switch h.in.EventName {
	case hook.EventStop:
		return h.stop(ctx)
	case hook.EventBeforeSubmitPrompt:
		return h.prompt(ctx)
	case hook.EventAfterAgentResponse:
		h.response(ctx)
	default:
		h.tool(ctx)
	}
	return nil
}

// log writes one line about a decision. A log that cannot be written must not
// keep the editor from its answer, and there is nowhere else to tell it.
func (h *handler) log(l hooklog.Line) {
	if h.places.Base == "" {
		return
	}
	l.At, l.Event = h.now(), h.in.EventName
	if l.Conversation == "" {
		l.Conversation = h.in.ConversationID
	}
	_ = hooklog.Append(h.places.Log(), l)
}

func (h *handler) fail(err error) {
	h.log(hooklog.Line{Action: "error", Why: err.Error()})
}

func (h *handler) failIf(err error) {
	if err != nil {
		h.fail(err)
	}
}

// failUnlessGone is failIf where the loop may have ended, or gone elsewhere.
func (h *handler) failUnlessGone(err error) {
	if !errors.Is(err, fs.ErrNotExist) {
		h.failIf(err)
	}
}

// logDecision logs what became of an event of a loop, and notes whether it has ended.
func (h *handler) logDecision(l loop.State, a loop.Action) {
	action := string(a.Kind)
	switch {
	case l.Status.Ended():
		action, h.ended = string(l.Status), true
	case a.Kind == loop.Rest:
		action = "rest"
	}
	h.log(hooklog.Line{Conversation: l.ConversationID, Loop: l.ShortID(), Iteration: a.Iteration, Max: l.MaxIterations, Promise: a.Promise, Action: action, Reason: a.Reason, Why: a.Why()})
	if a.Warning != "" {
		h.log(hooklog.Line{Conversation: l.ConversationID, Loop: l.ShortID(), Iteration: a.Iteration, Max: l.MaxIterations, Action: "warning", Why: a.Warning})
	}
}
