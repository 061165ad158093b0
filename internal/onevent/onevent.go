// Package onevent handles one event of the editor's agent, top to bottom. The hook does it with the built-in settings;
// where the user has a config.toml, it hands what depends on settings to cursor-ralph, which does it here with these.
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
	"time"

	"github.com/cursor-ralph/cursor-ralph/hook"
	"github.com/cursor-ralph/cursor-ralph/internal/handoff"
	"github.com/cursor-ralph/cursor-ralph/internal/hooklog"
	"github.com/cursor-ralph/cursor-ralph/internal/host"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/pending"
	"github.com/cursor-ralph/cursor-ralph/platform"
	"github.com/cursor-ralph/cursor-ralph/state"
)

// Main is the hook: it reads one event from standard input, answers with one JSON object and returns, whatever happens.
// release is the version of a release, and linger how long a build for tests stays after an answer; both may be empty.
func Main(release, linger string) {
	for _, name := range host.ShellVariables() { // some hosts set them for hooks too, and what we start is the user's, and no agent's call
		_ = os.Unsetenv(name) // the names are fit for it
	}
	h := &handler{now: utc, getenv: os.Getenv, pid: os.Getpid(), release: release, program: os.Args[0], stay: hook.Linger(runtime.GOOS), hands: true}
	if stay, err := time.ParseDuration(linger); err == nil {
		h.stay = stay
	}
	h.run(os.Args[1:], inTime{os.Stdin, time.Now().Add(deadline)}, output{os.Stdout, h.left})
}

// utc is the clock. A time of the machine's zone would have each hook read the file of zones.
func utc() time.Time { return time.Now().UTC() }

// deadline is how long one event may take, waiting for locks and for a text
// that is late included.
const deadline = 4500 * time.Millisecond

// longest is how long one event may take with everything, writing the answer and
// staying after it included; a verification comes on top.
const longest = 5 * time.Second

// run handles one event. Its one object on stdout is written last, so that a
// panic anywhere before still leaves the editor with an answer.
func (h *handler) run(args []string, stdin io.Reader, stdout io.Writer) {
	h.renew(deadline)
	answer := h.answer(args, stdin)
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
	in, err := h.read(args, stdin)
	for i, root := range in.WorkspaceRoots {
		in.WorkspaceRoots[i] = platform.Folder(runtime.GOOS, root)
	}
	h.in = in
	if err = errors.Join(h.open(args), err); err != nil {
		h.fail(err)
		h.noteUnread(err)
		return h.unhandled(err)
	}
	return h.handle(&h.patience)
}

// forHost makes of our answer what the host reads.
func (h *handler) forHost(answer any) any {
	if _, ready := answer.(json.RawMessage); ready || h.host == nil { // by the cursor-ralph that has handled it
		return answer
	}
	return h.host.Answer(h.in.EventName, answer)
}

// once has an event decided in one process: our hook may be installed in two places.
func (h *handler) once(ctx context.Context, decide func(context.Context) any) any {
	if !h.hands { // the hook has handed it over
		return h.forHost(decide(ctx))
	}
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

// noteUnread has the loop of an event that is too large, or did not come in time, pause
// at its next stop.
func (h *handler) noteUnread(err error) {
	id := h.in.ConversationID
	if h.store == nil || !errors.Is(err, hook.ErrTooLarge) && !errors.Is(err, errLate) || loop.CheckID(id) != nil {
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

// read makes an error of a panic, so that the plan guard answers it like any
// other event that cannot be read.
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
	called  string      // how its agent's shell calls cursor-ralph, once the event is handed over
	places  platform.Places
	store   *state.Store
	box     *pending.Box
	now     func() time.Time
	getenv  func(string) string

	isGuard  bool // the entry in hooks.json is the plan guard's
	settings Settings
	stay     time.Duration // after an answer that must not be lost
	hands    bool          // what depends on settings goes to cursor-ralph: this is the hook
	release  string
	program  string // as it was called
	pid      int    // of the hook's process, which has to be over before a line is typed

	reply    *handoff.Reply // of the cursor-ralph that has handled the event
	composer string         // the mode of Cursor's composer, as a message tells it
	patience patience       // of the editor, with this event
	end      time.Time      // of this process, at the latest
	watched  bool           // a loop goes on now: the watcher must run
	ended    bool           // a loop has ended: old records may go
	over     []loop.State   // those that have ended and have an OnEnd

	misplacedLogged bool
}

// renew starts the time of the event again.
func (h *handler) renew(limit time.Duration) {
	h.patience.renew(time.Now().Add(limit))
	h.end = time.Now().Add(longest)
}

// left is how long writing the answer may take: a host on a busy machine reads late.
func (h *handler) left() time.Duration { return max(writeWait, time.Until(h.end)) }

// linger is how long to stay after an answer, as far as there is time.
func (h *handler) linger() time.Duration {
	if h.host != nil { // which lost no answer of a fast hook
		return 0
	}
	linger := h.stay
	if h.reply != nil && h.reply.Linger != nil {
		linger = *h.reply.Linger
	}
	return max(0, min(linger, time.Until(h.end)-writeWait))
}

func (h *handler) open(args []string) error {
	places, err := platform.Find(h.getenv)
	h.places = places // with an error perhaps not all of them, but the log
	if h.host != nil {
		args = nil
	}
	for _, arg := range args {
		if arg == "--guard" {
			h.isGuard = true
			continue
		}
		h.fail(fmt.Errorf("%q has no effect in hooks.json: settings are in config.toml", arg))
	}
	h.store = state.New(places, h.now)
	h.store.Ended = func(l loop.State) { h.over = append(h.over, l) }
	h.store.Announce = h.announce
	h.store.Ignored = h.ignored
	h.box = pending.New(places, h.store, h.now)
	return err
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
		hook.EventPreToolUse, hook.EventPostToolUse, hook.EventPostToolUseFailure, hook.EventAfterShellExecution:
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
	case hook.EventPreToolUse:
		return h.guard(ctx)
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

// writeWait is how long the editor may take at least to make room for an answer.
const writeWait = 200 * time.Millisecond

var errUnread = errors.New("nobody reads standard output")

// output is standard output, of an editor that may stop reading, or be gone:
// then writing is an error in the end, and neither a signal nor a wait without one.
type output struct {
	file *os.File
	left func() time.Duration
}

// Close makes the end of the answer known.
func (o output) Close() error { return o.file.Close() }
