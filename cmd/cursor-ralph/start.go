package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/worktree"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/pending"
	"github.com/cursor-ralph/cursor-ralph/platform"
)

// startFlags offers the options of a loop, from the list that the slash
// command has too.
func startFlags(f *pflag.FlagSet) {
	for _, o := range loop.Options() {
		addOption(f, o, o.Usage)
	}
}

func addOption(f *pflag.FlagSet, o loop.Option, usage string) {
	if o.Arg == "" {
		f.Bool(o.Name, false, usage)
		return
	}
	f.Var(&given{}, o.Name, usage)
}

// given keeps what the user wrote; package loop checks it.
type given struct{ value string }

func (g *given) String() string     { return g.value }
func (g *given) Set(v string) error { g.value = v; return nil }
func (g *given) Type() string       { return "text" }

// request reads the options of a new loop: those of the flags, and the user's
// defaults for the others.
func (e *env) request() (loop.Request, error) {
	r, err := e.asked()
	if err != nil {
		return r, err
	}
	c, err := e.config()
	if err != nil {
		return r, err
	}
	return r.Fill(c.Loop())
}

// asked reads the options of a loop from the flags alone.
func (e *env) asked() (loop.Request, error) {
	r := loop.NewRequest()
	for _, o := range loop.Options() {
		f := e.flags.Lookup(o.Name)
		if f == nil || !f.Changed {
			continue
		}
		if err := o.Set(&r, f.Value.String()); err != nil {
			return r, misuse(err.Error(), "`cursor-ralph help "+e.flags.Name()+"` shows the options")
		}
	}
	return r, nil
}

func start(ctx context.Context, e *env, args []string) error {
	r, err := e.request()
	if err != nil {
		return err
	}
	if !utf8.ValidString(strings.Join(args, " ")) {
		return misuse("the task is not valid UTF-8 text", "nothing was started")
	}
	if err := r.Check(); err != nil {
		return misuse(err.Error(), "nothing was started")
	}
	r.State.Prompt = strings.TrimSpace(strings.Join(args, " "))
	if r.State.Prompt == "" {
		return misuse("the task is empty", `cursor-ralph start "<task>"`)
	}
	return e.begin(ctx, r, e.getenv("CURSOR_AGENT") != "", nil)
}

// begin starts the loop that is asked for, or confirms that the prompt hook
// has armed it already. With binding, a hook sees our output and can tell from
// a token in it whose loop this is. What is wrong with the user's defaults, unset,
// keeps a new one from starting.
func (e *env) begin(ctx context.Context, r loop.Request, binding bool, unset error) error {
	l, err := e.placed(ctx, r)
	if err == nil {
		err = cmp.Or(e.checkVerify(l), checkTemplate(ctx, l))
	}
	if err != nil {
		return err
	}
	if binding { // a user at a terminal wants a loop of his own
		if done, err := e.confirm(ctx, l); done || err != nil {
			return err
		}
	}
	if unset != nil {
		return unset
	}
	secret := ""
	if l.ConversationID == "" && binding {
		secret = newSecret()
	}
	name, token, err := e.put(ctx, l, secret)
	if err != nil {
		return err
	}
	if !binding {
		e.hintPlanGuard(l)
	}
	return e.begun(l, name, token, binding)
}

// put writes the loop into the pending folder. In a known conversation that is
// one step with looking at the loop that runs there.
func (e *env) put(ctx context.Context, l loop.State, secret string) (name, token string, err error) {
	if l.ConversationID == "" {
		path, token, err := e.box.Put(ctx, l, secret)
		return strings.TrimSuffix(filepath.Base(path), ".json"), token, err
	}
	return l.ConversationID, "", hintFor(e.store.Ask(ctx, l.ConversationID, func(running *loop.State) (replace bool, err error) {
		if running != nil && !l.Replace {
			return false, problem(fmt.Sprintf("a loop runs in this conversation already (iteration %d of %d)", running.Iterations, running.MaxIterations),
				"go on with its task, or add --replace to begin a new one in its place")
		}
		path, _, err := e.box.Put(ctx, l, "")
		if errors.Is(err, fs.ErrExist) {
			return false, problem("a loop is pending in this conversation already: "+path, "cursor-ralph cancel "+l.ConversationID)
		}
		return true, err
	}))
}

// placed says whose loop it is, and what its workspace looks like before it.
func (e *env) placed(ctx context.Context, r loop.Request) (loop.State, error) {
	l := r.State
	l.ArmedBy, l.Confirmed, l.Replace, l.Program = "cli", true, r.Replace, called()
	var err error
	if l.ConversationID, err = e.conversation(); err != nil {
		return l, err
	}
	if l.Cwd, err = os.Getwd(); err != nil {
		return l, err
	}
	if l.Workspace, err = e.workspace(); err != nil {
		return l, err
	}
	l.PromptTemplate = templateFile(l.PromptTemplate, l.Cwd)
	l.Tree, _ = worktree.Look(ctx, l.Workspace, nil, os.Environ()) // without it the first iteration has nothing to be compared with
	l.VerifyFiles = worktree.Recipe(l.Verify, l.Workspace)
	return l, nil
}

// begun tells the agent, or the user, what happens now.
func (e *env) begun(l loop.State, name, token string, forAgent bool) error {
	if !forAgent && l.ConversationID == "" {
		return e.say("The loop is pending: the next chat in %s whose agent stops takes it.%s\nTo take it back: cursor-ralph cancel %s%s",
			l.Workspace, e.beforeOthers(l, name), name, e.unheard(l.Workspace))
	}
	if token != "" {
		fmt.Fprintf(e.stdout, "%s%s\n", pending.TokenLine, token)
	}
	_, err := fmt.Fprint(e.stdout, l.StartText())
	return err
}

// beforeOthers says that a loop is taken before those that wait already.
func (e *env) beforeOthers(l loop.State, name string) string {
	items, _ := e.box.List() // it was written there just now
	for _, i := range items {
		if alive(i) && i.Name != name && i.State.ConversationID == "" && platform.SameFolder(runtime.GOOS, i.State.Workspace, l.Workspace) {
			return " It goes before " + i.Name + ", which waits there too."
		}
	}
	return ""
}

// unheard says that no hook of ours would take a loop in a workspace.
func (e *env) unheard(workspace string) string {
	for _, path := range append(e.hookFiles(), filepath.Join(workspace, ".cursor", "hooks.json"), machineHooks(runtime.GOOS)) {
		if raw, err := readSmall(path); err == nil && bytes.Contains(raw, []byte("cursor-ralph-hook")) {
			return ""
		}
	}
	return "\nBut our hook is in no hooks.json, so no chat takes it: cursor-ralph install"
}

// confirm looks for the same loop, armed by the prompt hook that saw the raw
// message. A cancelled one is not brought back by a call that comes late.
func (e *env) confirm(ctx context.Context, l loop.State) (done bool, err error) {
	live, _ := e.store.List()
	for _, other := range live {
		if e.sameLoop(l, other) {
			_, _, err := e.store.Apply(ctx, other.ConversationID, confirmation(l))
			other.Program = l.Program
			return true, errors.Join(err, e.confirmed(other))
		}
	}
	items, err := e.box.List()
	if err != nil {
		return false, err
	}
	for _, i := range items {
		if i.Err == nil && !i.State.Status.Ended() && e.sameLoop(l, i.State) {
			_, _, err := e.applyPending(ctx, i.Name, confirmation(l))
			i.State.Program = l.Program
			return true, errors.Join(err, e.confirmed(i.State))
		}
	}
	return false, e.refuseEnded(l)
}

func confirmation(l loop.State) loop.Event {
	return loop.Event{Kind: loop.EventConfirm, Text: l.Program, Tree: l.Tree, VerifyFiles: l.VerifyFiles}
}

func (e *env) confirmed(l loop.State) error {
	_, err := fmt.Fprint(e.stdout, "The loop is armed already; this call confirms it.\n\n"+l.StartText())
	return err
}

// sameLoop tells whether other is the loop that l asks for once more. Where
// the conversation is unknown it must be one of this workspace that the prompt
// hook armed and no call has confirmed. To replace a loop that was confirmed is
// to ask for another one, even with the same task.
func (e *env) sameLoop(l, other loop.State) bool {
	if !l.SameTask(other) || l.Replace && other.Confirmed {
		return false
	}
	if l.ConversationID != "" {
		return l.ConversationID == other.ConversationID
	}
	return other.ArmedBy == "prompt" && !other.Confirmed &&
		(platform.SameFolder(runtime.GOOS, l.Workspace, other.Workspace) || platform.SameFolder(runtime.GOOS, l.Cwd, other.Workspace))
}

// refuseEnded keeps a call that comes late from bringing back a loop that the
// user has just ended.
func (e *env) refuseEnded(l loop.State) error {
	ended, _ := e.store.Records()
	for _, other := range ended {
		if e.now().Sub(other.EndedAt).Abs() < lateCall && e.sameLoop(l, other) && other.ArmedBy == "prompt" && !other.Confirmed {
			return problem(fmt.Sprintf("this loop has ended already (%s)", other.Status), "do not start it; the user can send the /ralph-loop line again")
		}
	}
	return nil
}

// lateCall is how long an agent may take from the user's message to the call
// that the slash command tells it to make.
const lateCall = 10 * time.Minute

// newSecret makes a token unlike any text that happens to stand in an output.
func newSecret() string { return fmt.Sprintf("%016x", rand.Uint64()) } // #nosec G404 -- the generator is seeded by the system, and a token only tells which loop an output is about
