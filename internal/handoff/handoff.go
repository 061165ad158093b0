// Package handoff is how the hook has cursor-ralph do what it must not link
// itself: typing, verifying, settings, notifications and the watcher.
// The arguments of each call are written and read from one list of flags here.
// What the calls do is not.
package handoff

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// Program is the path of cursor-ralph.
type Program string

// Beside finds the cursor-ralph that is installed beside a hook. Linux names the
// hook's file itself; macOS and Windows name what was started, so a link is
// followed if the program is not beside it.
func Beside(hook string) Program {
	path := sibling(hook)
	if _, err := os.Stat(path); err == nil {
		return Program(path)
	}
	if real, err := filepath.EvalSymlinks(hook); err == nil {
		path = sibling(real)
	}
	return Program(path)
}

func sibling(hook string) string {
	name := strings.Replace(filepath.Base(hook), "cursor-ralph-hook", "cursor-ralph", 1)
	return filepath.Join(filepath.Dir(hook), name)
}

// CanType returns nil if some way of typing would work here and now.
func (p Program) CanType(ctx context.Context, i Inject) error {
	i.DryRun, i.Any = true, true
	return proc.Run(ctx, string(p), i.args()...)
}

// Inject starts typing the continue line, in a process that outlives us.
func (p Program) Inject(i Inject) error { return proc.Start(string(p), i.args()...) }

// InjectNow is Inject, and waits for the outcome.
func (p Program) InjectNow(ctx context.Context, i Inject) error {
	return proc.Run(ctx, string(p), i.args()...)
}

// verifyMargin is for cursor-ralph to kill a verification and to report it.
const verifyMargin = 8 * time.Second

// Verify runs the gate round that a loop waits for. Whatever goes wrong, the promise is
// refused.
func (p Program) Verify(ctx context.Context, l loop.State, limit time.Duration) (v loop.Verification) {
	ctx, cancel := context.WithTimeout(ctx, limit+verifyMargin)
	defer cancel()
	call := Verify{Conversation: l.ConversationID, For: l.Verifying.ID, Limit: limit}
	if err := answer(&v)(proc.Ask(ctx, string(p), call.args()...)); err != nil {
		v = unrun(l, err)
	}
	v.ID = l.Verifying.ID
	return v
}

// unrun refuses a promise whose gate round could not be run.
func unrun(l loop.State, err error) loop.Verification {
	v := loop.Verification{Exit: -1, Gate: loop.GateVerify, Why: "it could not be run: " + err.Error()}
	if l.Verify == "" {
		v.Refusal = "it could not be checked: " + err.Error()
	}
	return v
}

// Problem is why the gates of a loop can never be passed.
type Problem struct {
	Words string `json:"problem"`
}

// CheckGates says why the gates of a new loop can never be passed, empty if they can.
func (p Program) CheckGates(ctx context.Context, l loop.State) (string, error) {
	var problem Problem
	asked := loop.State{Workspace: l.Workspace, Rules: l.Rules, Commands: l.Commands}
	data, err := json.Marshal(&asked)
	if err == nil {
		err = answer(&problem)(proc.Tell(ctx, data, string(p), write("verify", &Verify{Check: true})...))
	}
	return problem.Words, err
}

// SurveyLimit is how long a survey may take: the checkpoint of a big work tree takes
// longer than an event otherwise may.
const SurveyLimit = 10 * time.Second

// surveyMargin is for cursor-ralph to end what it runs, and to report it.
const surveyMargin = time.Second

// Survey surveys a loop.
func (p Program) Survey(ctx context.Context, l loop.State, begin bool) (v loop.Survey, err error) {
	ctx, cancel := context.WithTimeout(ctx, SurveyLimit+surveyMargin)
	defer cancel()
	l.History, l.Tree = nil, loop.Tree{} // not needed, and large
	data, err := json.Marshal(l)
	if err != nil {
		return v, err
	}
	err = answer(&v)(proc.Consult(ctx, data, string(p), write("survey", &Survey{Begin: begin})...))
	return v, err
}

// Event is an event of the editor that cursor-ralph handles in place of the hook, with the user's settings. It is one line on
// the standard input of `cursor-ralph event`, which stays open: at its end the hook is gone.
type Event struct {
	Version string          `json:"version"` // of the hook
	Hook    int             `json:"hook"`    // its process
	Input   json.RawMessage `json:"input"`   // as Cursor would have sent it
	Host    string          `json:"host,omitempty"`
	Called  string          `json:"called,omitempty"` // how the agent's shell of that host calls cursor-ralph
}

// Reply is what the hook answers.
type Reply struct {
	Answer json.RawMessage `json:"answer"`
}

// mostReply is more than the longest task.
const mostReply = 64 << 20

// HandOver has an event handled. Another version, or an answer that is no object, is an error.
func (p Program) HandOver(ctx context.Context, e Event) (r Reply, err error) {
	line, err := json.Marshal(e)
	if err != nil {
		return r, err
	}
	err = answer(&r)(proc.Command{Path: string(p), Args: []string{"event"}, Stdin: string(line) + "\n", HoldStdin: true, Limit: mostReply}.Output(ctx))
	if err == nil && (len(r.Answer) == 0 || r.Answer[0] != '{') {
		err = errors.New("its answer is no JSON object")
	}
	return r, err
}

// answer decodes what a program printed.
func answer(to any) func([]byte, error) error {
	return func(data []byte, err error) error {
		if err != nil {
			return err
		}
		return json.Unmarshal(data, to)
	}
}

// Notify shows a notification about a loop, in a process that outlives us.
func (p Program) Notify(conversation string, n Notify) error {
	return proc.Start(string(p), append(write("notify", &n), "--", conversation)...)
}

// Prune removes old records, in a process that outlives us.
func (p Program) Prune() error { return proc.Start(string(p), write("prune", &Prune{Auto: true})...) }

// Watch starts the user's watcher unless one holds the lock.
func (p Program) Watch(lock string) error {
	if held, err := ownfile.Held(lock); held || err != nil {
		return err
	}
	return proc.Start(string(p), "watcher")
}

// OnEnd runs the command of --on-end of a loop that has ended, in a process that
// outlives us.
func (p Program) OnEnd(l loop.State) error {
	return proc.Start(string(p), "on-end", "--", l.ConversationID, l.ShortID())
}
