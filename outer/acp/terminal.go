package acp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/cursor-ralph/cursor-ralph/internal/proc/supervise"
	"github.com/cursor-ralph/cursor-ralph/outer"
)

const (
	maxTerminals  = 64              // at once
	keptOutput    = 1 << 20         // bytes of a terminal's output by default
	maxKeptOutput = 4 << 20         // if the agent asks for more
	killWait      = 2 * time.Second // for a killed command's end
)

type terminals struct {
	mu       sync.Mutex
	list     []*terminal // oldest first
	made     int
	starting int
	closed   int // how often
}

type terminal struct {
	*supervise.Process
	id     string
	output *tail
	copied chan struct{} // closed when the output is complete
}

// close kills all commands, also those that are just being started.
func (ts *terminals) close() {
	ts.mu.Lock()
	all := ts.list
	ts.list, ts.closed = nil, ts.closed+1
	ts.mu.Unlock()
	var ended sync.WaitGroup
	for _, t := range all {
		ended.Go(func() { t.Stop(0) })
	}
	ended.Wait()
}

// add starts a terminal, without the lock: a start may take long.
func (ts *terminals) add(start func() (*terminal, error)) (string, error) {
	closed, err := ts.reserve()
	if err != nil {
		return "", err
	}
	t, err := start()
	if !ts.keep(t, closed) {
		t.Stop(0)
		err = errors.New("the agent was stopped")
	}
	if err != nil {
		return "", err
	}
	return t.id, nil
}

// reserve makes room for one terminal more. If there are too many, the oldest one
// that has ended is released: not every agent does that itself.
func (ts *terminals) reserve() (closed int, err error) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if len(ts.list)+ts.starting >= maxTerminals {
		i := slices.IndexFunc(ts.list, (*terminal).HasEnded)
		if i < 0 {
			return 0, fmt.Errorf("%d commands are running: wait for one to end, or kill one", maxTerminals)
		}
		ts.list = slices.Delete(ts.list, i, i+1)
	}
	ts.starting++
	return ts.closed, nil
}

// keep adds a terminal that was started, if it was, and reports false if all were
// closed meanwhile.
func (ts *terminals) keep(t *terminal, closed int) bool {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.starting--
	switch {
	case t == nil:
		return true
	case ts.closed != closed:
		return false
	}
	ts.made++
	t.id = "terminal-" + strconv.Itoa(ts.made)
	ts.list = append(ts.list, t)
	return true
}

func (ts *terminals) find(id string) (*terminal, error) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	i := slices.IndexFunc(ts.list, func(t *terminal) bool { return t.id == id })
	if i < 0 {
		return nil, fmt.Errorf("there is no terminal %q", id)
	}
	return ts.list[i], nil
}

func (ts *terminals) remove(id string) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.list = slices.DeleteFunc(ts.list, func(t *terminal) bool { return t.id == id })
}

func (t *turn) createTerminal(ctx context.Context, p sdk.CreateTerminalRequest) (any, error) {
	e, err := t.execution(p)
	if err != nil {
		return nil, err
	}
	if !t.mayExecute(e) && !t.allow(ctx, Request{Kind: "execute", Execution: &e, exact: true}) {
		return nil, fmt.Errorf("run %s: %w", clip(firstLine(e.String())), errDenied)
	}
	id, err := t.a.terminals.add(func() (*terminal, error) { return t.startTerminal(ctx, e, p.OutputByteLimit) })
	if err != nil {
		return nil, err
	}
	return sdk.CreateTerminalResponse{TerminalId: id}, nil
}

func (t *turn) startTerminal(ctx context.Context, e Execution, most *int) (*terminal, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	limit := keptOutput
	if most != nil {
		limit = min(max(*most, 0), maxKeptOutput)
	}
	c := command(runtime.GOOS, e)
	c.Dir, c.Env, c.Self = e.Dir, outer.Environ(e.Dir, t.a.Env, e.Env), t.a.Self
	process, err := supervise.Start(c)
	if err != nil {
		return nil, err
	}
	_ = process.Stdin.Close() // nobody types
	started := &terminal{Process: process, output: &tail{limit: limit}, copied: make(chan struct{})}
	go func() {
		defer close(started.copied)
		_, _ = io.Copy(started.output, process.Stdout) // ends with the process
	}()
	return started, nil
}

// command returns the command to start. On Unix its errors go to its output, as in
// a terminal.
func command(system string, e Execution) supervise.Command {
	switch {
	case system == "windows" && e.Line != "":
		return supervise.Command{Argv: []string{"cmd.exe"}, WindowsLine: cmdLine(e.Line)}
	case system == "windows":
		return supervise.Command{Argv: e.Argv}
	case e.Line != "":
		return supervise.Command{Argv: []string{"/bin/sh", "-c", "exec 2>&1\n" + e.Line}}
	}
	return supervise.Command{Argv: slices.Concat([]string{"/bin/sh", "-c", `exec "$@" 2>&1`, "sh"}, e.Argv)}
}

// cmdLine returns the command line with which cmd.exe runs a line. /s removes the
// first and the last quote and nothing else; the usual quoting would change the
// line. Source: cmd /?
func cmdLine(line string) string { return `cmd.exe /d /s /c "` + line + `"` }

// text returns what a command has printed. On Windows its errors come last.
func (t *terminal) text() (string, bool) {
	text, cut := t.output.text()
	if runtime.GOOS == "windows" {
		text += t.Tail()
	}
	return text, cut
}

// status returns how a command ended, nil while it runs. It waits for the output:
// another goroutine copies it.
func (t *terminal) status() *sdk.TerminalExitStatus {
	if !t.HasEnded() {
		return nil
	}
	select {
	case <-t.copied:
	case <-time.After(killWait):
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
	status := found.status() // before the output, which is complete then
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
	found.Stop(killWait)
	return sdk.KillTerminalResponse{}, nil
}

func (t *turn) releaseTerminal(_ context.Context, p sdk.ReleaseTerminalRequest) (any, error) {
	found, err := t.a.terminals.find(p.TerminalId)
	if err != nil {
		return nil, err
	}
	t.a.terminals.remove(p.TerminalId)
	found.Stop(0)
	return sdk.ReleaseTerminalResponse{}, nil
}
