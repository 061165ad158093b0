//go:build linux && amd64

package main

import (
	"bytes"
	"errors"
	"io"
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
	return command{[]string{w.programs.hook, "--session-limit", "none", "--linger", "1ms"}, w.env, w.workspace, event, false}
}

func (w world) cli(args ...string) command {
	return command{append([]string{w.programs.cli}, args...), w.env, w.workspace, "", false}
}

// of is a command in the shell of the agent of a conversation.
func (c command) of(id string) command {
	c.env = append(c.env[:len(c.env):len(c.env)], "CURSOR_CONVERSATION_ID="+id)
	return c
}

// run runs a program unharmed.
func (c command) run() (o outcome, err error) {
	cmd := exec.Command(c.args[0], c.args[1:]...)
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
	err = cmd.Run()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
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

// streams are the three files of a traced process, and the other end of the first where
// that stays open.
type streams [4]*os.File

func (c command) files() (s streams, err error) {
	for i := range s[:3] {
		if s[i], err = os.CreateTemp("", "cursor-ralph-faults-"); err != nil {
			return s, errors.Join(err, s.close())
		}
		if err := os.Remove(s[i].Name()); err != nil {
			return s, errors.Join(err, s.close())
		}
	}
	if c.open {
		closed := s[0].Close()
		s[0], s[3], err = c.pipe()
		return s, errors.Join(err, closed)
	}
	if _, err = s[0].WriteString(c.stdin); err == nil {
		_, err = s[0].Seek(0, io.SeekStart)
	}
	return s, err
}

func (s streams) descriptors() []uintptr { return []uintptr{s[0].Fd(), s[1].Fd(), s[2].Fd()} }

func (s streams) close() (err error) {
	for _, f := range s {
		if f != nil {
			err = errors.Join(err, f.Close())
		}
	}
	return err
}

func (s streams) said() (stdout, stderr string, err error) {
	var out [2]string
	for i := range out {
		info, err := s[i+1].Stat()
		if err != nil {
			return "", "", err
		}
		data := make([]byte, info.Size())
		if _, err := s[i+1].ReadAt(data, 0); err != nil && err != io.EOF {
			return "", "", err
		}
		out[i] = string(data)
	}
	return out[0], out[1], nil
}
