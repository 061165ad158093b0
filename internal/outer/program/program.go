// Package program drives any program that takes one prompt, prints text, and exits. What
// it prints is what the agent says. Nothing is known about its tools, it cannot ask for
// permission, and no two of its turns share a session.
package program

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/outer"
	"github.com/cursor-ralph/cursor-ralph/internal/proc/supervise"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// Config is a program.
type Config struct {
	// Argv is the program with its arguments. It gets the prompt in place of {prompt}, or
	// on its standard input if no argument contains {prompt}.
	Argv []string
	Dir  string        // the workspace, absolute
	Env  []string      // nil is ours
	Self string        // the path of cursor-ralph, which supervises the program
	Stop time.Duration // for an interrupted program to exit; 0 is three seconds
}

const placeholder = "{prompt}"

// What is kept of a turn's output: the promise is at its end.
const (
	keptBytes = 256 << 10
	keptLines = 20000
)

// Open returns a driver for a program. Each turn starts it. The caller closes the
// driver.
func Open(c Config) outer.Driver {
	c.Stop = cmp.Or(c.Stop, 3*time.Second)
	return &driver{Config: c}
}

type driver struct {
	Config

	mu      sync.Mutex
	process *supervise.Process // nil between turns
	closed  bool
}

// Turn implements outer.Driver.
func (d *driver) Turn(ctx context.Context, p outer.Prompt, see func(outer.Seen)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if p.Plans {
		return &outer.StartError{Agent: d.Argv[0], Err: errors.New("an unknown program cannot be kept from writing and executing"), Hint: "a plan needs an agent that asks: --agent or --acp-command"}
	}
	argv, stdin := d.arguments(p.Text)
	process, err := d.start(argv, stdin == "")
	if err != nil {
		return err
	}
	defer d.setProcess(nil)
	see(outer.Seen{Started: true}) // it may print nothing for a long time
	go feed(process.Stdin, stdin)
	turnOver := make(chan struct{})
	defer close(turnOver)
	go d.stopWith(ctx, turnOver, process)

	said := listen(process.Stdout, see)
	said = strings.TrimSpace(strings.ReplaceAll(said, strings.TrimSpace(p.Text), "")) // a program that prints its prompt has not said it
	if said != "" {
		see(outer.Seen{Record: loop.Record{Kind: loop.RecordText, Text: said}})
	}
	code, err := process.Exit()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("%s: %w%s", d.Argv[0], err, lastLines(process.Tail()))
	case code != 0:
		return fmt.Errorf("%s ended with exit code %d%s", d.Argv[0], code, lastLines(process.Tail()))
	}
	return nil
}

// arguments returns the command line, and the prompt if standard input takes it.
func (c Config) arguments(prompt string) (argv []string, stdin string) {
	argv, stdin = slices.Clone(c.Argv), prompt
	for i, arg := range argv {
		if !strings.Contains(arg, placeholder) {
			continue
		}
		text := prompt
		if strings.HasPrefix(arg, placeholder) && strings.HasPrefix(prompt, "-") {
			text = " " + prompt // it must not be taken for a flag
		}
		argv[i], stdin = strings.ReplaceAll(arg, placeholder, text), ""
	}
	return argv, stdin
}

func (d *driver) start(argv []string, promptArgument bool) (*supervise.Process, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, errors.New("the agent was closed")
	}
	if promptArgument && isBatch(runtime.GOOS, argv[0], exec.LookPath) {
		return nil, &outer.StartError{Agent: argv[0], Err: errors.New("it is a batch file, which cannot take a prompt safely"), Hint: "leave {prompt} out: then it gets the prompt on its standard input"}
	}
	process, err := supervise.Start(supervise.Command{Argv: argv, Dir: d.Dir, Env: d.Env, Self: d.Self})
	if err != nil {
		hint := ""
		if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
			hint = "is it installed and in PATH?"
		}
		return nil, &outer.StartError{Agent: argv[0], Err: err, Hint: hint}
	}
	d.process = process
	return process, nil
}

// isBatch reports whether a program is a batch file: on Windows a shell would interpret
// its arguments.
func isBatch(goos, program string, look func(string) (string, error)) bool {
	if goos != "windows" {
		return false
	}
	path, _ := look(program) // if it is missing, starting it fails
	ext := strings.ToLower(filepath.Ext(path))
	return ext == ".bat" || ext == ".cmd"
}

func (d *driver) setProcess(p *supervise.Process) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.process = p
}

// feed writes the prompt. If the program exits without reading it, its output says why.
func feed(w io.WriteCloser, prompt string) {
	_, _ = io.WriteString(w, prompt)
	_ = w.Close()
}

// listen shows what a program prints and returns the end of it, both as plain text.
func listen(from io.Reader, see func(outer.Seen)) string {
	all := supervise.Tail{Lines: keptLines, Bytes: keptBytes}
	r := bufio.NewReaderSize(from, 64<<10)
	for {
		piece, err := r.ReadSlice('\n')
		if len(piece) > 0 {
			shown := supervise.Tail{Lines: 1, Bytes: len(piece)}
			_, _ = shown.Write(piece) // a Tail never fails
			_, _ = all.Write(piece)
			see(outer.Seen{Text: shown.String() + "\n"})
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return strings.TrimSpace(all.String())
		}
	}
}

// stopWith ends the program when ctx is done: first with an interrupt, like Ctrl-C, then
// with a termination signal, then by killing it.
func (d *driver) stopWith(ctx context.Context, turnOver <-chan struct{}, process *supervise.Process) {
	select {
	case <-turnOver:
		return
	case <-ctx.Done():
	}
	process.Interrupt()
	select {
	case <-process.Done():
	case <-time.After(d.Stop):
		process.Stop()
	}
}

// Close implements outer.Driver.
func (d *driver) Close() error {
	d.mu.Lock()
	d.closed = true
	process := d.process
	d.mu.Unlock()
	if process != nil {
		process.Stop()
	}
	return nil
}

const shownLines = 5

// lastLines returns the last lines of a program's stderr, after a colon.
func lastLines(said string) string {
	var lines []string
	for line := range strings.Lines(said) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return ""
	}
	return ": " + strings.Join(lines[max(0, len(lines)-shownLines):], " | ")
}
