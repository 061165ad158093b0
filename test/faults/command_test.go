//go:build linux

package faults_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// command is a program that is run in a world.
type command struct {
	args  []string
	env   []string
	dir   string
	stdin string
	open  bool // standard input stays open until it ends
}

func (w world) hook(event string) command {
	return command{[]string{w.programs.hook}, w.env, w.workspace, event, false}
}

func (w world) cli(args ...string) command {
	return command{append([]string{w.programs.cli}, args...), w.env, w.workspace, "", false}
}

// of is a command in the shell of the agent of a conversation.
func (c command) of(id string) command {
	c.env = append(c.env[:len(c.env):len(c.env)], "CURSOR_CONVERSATION_ID="+id)
	return c
}

// run runs a program, for as long as patience lasts.
func (c command) run() (o outcome, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.args[0], c.args[1:]...)
	var stdout, stderr bytes.Buffer
	cmd.Env, cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = c.env, c.dir, strings.NewReader(c.stdin), &stdout, &stderr
	if c.open {
		in, keep, err := c.pipe()
		if err != nil {
			return o, err
		}
		defer in.Close()
		defer keep.Close()
		cmd.Stdin = in
	}
	cmd.Cancel = func() error { o.hung = true; return cmd.Process.Kill() }
	err = cmd.Run()
	var failed *exec.ExitError
	if errors.As(err, &failed) || o.hung {
		err = nil
	}
	if err == nil {
		o.status = cmd.ProcessState.Sys().(syscall.WaitStatus)
	}
	o.stdout, o.stderr = stdout.String(), stderr.String()
	return o, err
}

// pipe is standard input that is not at its end before keep is closed.
func (c command) pipe() (in, keep *os.File, err error) {
	if in, keep, err = os.Pipe(); err == nil {
		_, err = keep.WriteString(c.stdin) // less than a pipe holds
	}
	return in, keep, err
}
