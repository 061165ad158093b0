package acp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/cursor-ralph/cursor-ralph/internal/tend"
)

const (
	manyTerminals = 64              // that an agent may have at once
	keptOutput    = 1 << 20         // bytes of a terminal's output, if the agent does not say
	mostOutput    = 4 << 20         // and if it says more
	shutting      = 2 * time.Second // for a command to end that is killed
)

// terminals are the commands that an agent has us run. Of one that was released
// nothing runs any more.
type terminals struct {
	mu   sync.Mutex
	made int
	open map[string]*terminal // nil for one that is being started
}

// terminal is a command and its output.
type terminal struct {
	*tend.Process
	output *tail
}

// close kills all commands.
func (ts *terminals) close() {
	ts.mu.Lock()
	all := ts.open
	ts.open = nil
	ts.mu.Unlock()
	var ended sync.WaitGroup
	for _, t := range all {
		if t != nil {
			ended.Go(func() { t.Stop(0) })
		}
	}
	ended.Wait()
}

// reserve gives the name of a terminal that will be started.
func (ts *terminals) reserve() (string, error) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if len(ts.open) >= manyTerminals {
		return "", fmt.Errorf("there are %d terminals: release some", manyTerminals)
	}
	if ts.open == nil {
		ts.open = map[string]*terminal{}
	}
	ts.made++
	id := "terminal-" + strconv.Itoa(ts.made)
	ts.open[id] = nil
	return id, nil
}

// keep puts a terminal that was started in its place, if that is still there: all
// may have been closed meanwhile.
func (ts *terminals) keep(id string, t *terminal) bool {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if _, reserved := ts.open[id]; !reserved {
		return false
	}
	ts.open[id] = t
	return true
}

func (ts *terminals) drop(id string) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	delete(ts.open, id)
}

func (ts *terminals) find(id string) (*terminal, error) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if t := ts.open[id]; t != nil {
		return t, nil
	}
	return nil, fmt.Errorf("there is no terminal %q", id)
}

func (t *turn) createTerminal(ctx context.Context, p sdk.CreateTerminalRequest) (any, error) {
	r, err := t.execution(p)
	if err != nil {
		return nil, err
	}
	if !t.used("execute "+r.Command) && !t.allowed(ctx, r) {
		return nil, fmt.Errorf("run %s: %w", clip(line(r.Command)), errDenied)
	}
	id, err := t.a.terminals.reserve()
	if err != nil {
		return nil, err
	}
	started, err := t.start(ctx, p, r)
	if err != nil {
		t.a.terminals.drop(id)
		return nil, err
	}
	if !t.a.terminals.keep(id, started) {
		started.Stop(0)
		return nil, context.Canceled
	}
	return sdk.CreateTerminalResponse{TerminalId: id}, nil
}

// execution is the request for permission that a terminal needs.
func (t *turn) execution(p sdk.CreateTerminalRequest) (Request, error) {
	if p.Command == "" {
		return Request{}, errors.New("there is no command")
	}
	dir := cmp.Or(deref(p.Cwd), t.a.Dir)
	if !t.a.ws.holds(dir, false) {
		return Request{}, fmt.Errorf("run in %s: %w", dir, errOutside)
	}
	command := commandLine(slices.Concat([]string{p.Command}, p.Args))
	for _, v := range slices.Backward(p.Env) { // they decide what is run, too
		command = v.Name + "=" + v.Value + " " + command
	}
	return Request{Kind: "execute", Title: "run " + line(command), Command: command, Paths: []string{t.a.ws.absolute(dir)}}, nil
}

func (t *turn) start(ctx context.Context, p sdk.CreateTerminalRequest, r Request) (*terminal, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	more, err := variables(p.Env)
	if err != nil {
		return nil, err
	}
	limit := keptOutput
	if p.OutputByteLimit != nil {
		limit = min(max(*p.OutputByteLimit, 0), mostOutput)
	}
	process, err := tend.Start(tend.Command{Argv: shell(runtime.GOOS, p), Dir: r.Paths[0], Env: environment(r.Paths[0], t.a.Env, more), Self: t.a.Self})
	if err != nil {
		return nil, err
	}
	_ = process.Stdin.Close() // nobody types
	out := &tail{limit: limit}
	go func() { _, _ = io.Copy(out, process.Stdout) }() // its end is that of the process
	return &terminal{process, out}, nil
}

// variables gives what an agent wants in a command's environment.
func variables(list []sdk.EnvVariable) (found []string, err error) {
	for _, v := range list {
		if v.Name == "" || strings.ContainsAny(v.Name, "=\x00") || strings.Contains(v.Value, "\x00") {
			return nil, fmt.Errorf("%q is no variable", v.Name)
		}
		found = append(found, v.Name+"="+v.Value)
	}
	return found, nil
}

// environment adds variables to an environment, of which nil is ours with the
// folder that it is for.
func environment(dir string, env, more []string) []string {
	if len(more) == 0 {
		return env
	}
	if env == nil {
		env = (&exec.Cmd{Dir: dir}).Environ() // what a command gets of which nothing else is said
	}
	return slices.Concat(env, more)
}

// shell gives the words to start. Some agents give a line for a shell where the
// protocol has a program and its arguments. Both outputs go one way, as on a
// terminal.
func shell(system string, p sdk.CreateTerminalRequest) []string {
	_, err := exec.LookPath(p.Command)
	program := err == nil || len(p.Args) > 0
	switch {
	case system == "windows" && program:
		return slices.Concat([]string{p.Command}, p.Args)
	case system == "windows":
		return []string{"cmd", "/d", "/c", p.Command}
	case program:
		return slices.Concat([]string{"/bin/sh", "-c", `exec "$@" 2>&1`, "sh", p.Command}, p.Args)
	}
	return []string{"/bin/sh", "-c", "exec 2>&1\n" + p.Command}
}

// text gives what a command has printed. On Windows its errors come last: there
// they go another way.
func (t *terminal) text() (string, bool) {
	text, cut := t.output.text()
	if runtime.GOOS == "windows" {
		text += t.Tail()
	}
	return text, cut
}

// status tells how a command ended, nil while it runs.
func (t *terminal) status() *sdk.TerminalExitStatus {
	select {
	case <-t.Done():
	default:
		return nil
	}
	code, err := t.Exit()
	if err != nil || code < 0 {
		signal := "killed"
		return &sdk.TerminalExitStatus{Signal: &signal}
	}
	return &sdk.TerminalExitStatus{ExitCode: &code}
}

func (t *turn) terminalOutput(_ context.Context, p sdk.TerminalOutputRequest) (any, error) {
	found, err := t.a.terminals.find(p.TerminalId)
	if err != nil {
		return nil, err
	}
	status := found.status() // before the output: it is whole then
	text, cut := found.text()
	return sdk.TerminalOutputResponse{Output: strings.ToValidUTF8(text, "\uFFFD"), Truncated: cut, ExitStatus: status}, nil
}

func (t *turn) waitForTerminal(ctx context.Context, p sdk.WaitForTerminalExitRequest) (any, error) {
	found, err := t.a.terminals.find(p.TerminalId)
	if err != nil {
		return nil, err
	}
	select {
	case <-found.Done():
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	s := found.status()
	return sdk.WaitForTerminalExitResponse{ExitCode: s.ExitCode, Signal: s.Signal}, nil
}

func (t *turn) killTerminal(_ context.Context, p sdk.KillTerminalRequest) (any, error) {
	found, err := t.a.terminals.find(p.TerminalId)
	if err != nil {
		return nil, err
	}
	found.Stop(shutting)
	return sdk.KillTerminalResponse{}, nil
}

func (t *turn) releaseTerminal(_ context.Context, p sdk.ReleaseTerminalRequest) (any, error) {
	found, err := t.a.terminals.find(p.TerminalId)
	if err != nil {
		return nil, err
	}
	t.a.terminals.drop(p.TerminalId)
	found.Stop(0)
	return sdk.ReleaseTerminalResponse{}, nil
}
