package simcursor

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"time"
)

// Shell runs a command of the agent with sh in the workspace, and gives its
// output, stdout and stderr together, and exit code. The exit code is -1 when
// it was denied or did not run to its end; the output then says why.
func (t *Turn) Shell(command string) (output string, exit int) {
	cfg := t.Chat.cursor.cfg
	c, err := t.begin("Shell", command, map[string]any{"command": command, "cwd": cfg.Workspace})
	if err == nil {
		err = c.ask("beforeShellExecution", commandFields(command, cfg.Workspace))
	}
	if err != nil {
		return err.Error(), -1
	}
	output, exit, err = t.execute(command)
	switch {
	case t.ctx.Err() != nil:
		err = c.fail("error", "interrupted by the user", true)
	case errors.Is(err, context.DeadlineExceeded):
		err = c.fail("timeout", "timed out", false)
	case err != nil:
		err = c.fail("error", err.Error(), false)
	default:
		c.ran(output, exit)
		return output, exit
	}
	return err.Error(), -1
}

// ran reports a command that ran, whatever its exit code.
func (c *call) ran(output string, exit int) {
	c.record(output, exit)
	c.t.Chat.fire(c.t.send, "afterShellExecution", ranFields(c.text, output, c.milliseconds()))
	if !c.t.Chat.cursor.cfg.Options.PlainToolOutput {
		output = shellOutput(output, exit)
	}
	c.done(output)
}

// execute gives an error when the command did not run to its end.
func (t *Turn) execute(command string) (output string, exit int, err error) {
	ctx, cancel := context.WithTimeout(t.ctx, t.Chat.cursor.cfg.ShellTimeout)
	defer cancel()
	var b bytes.Buffer
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	cmd.Dir, cmd.Env = t.Chat.cursor.cfg.Workspace, t.shellEnv()
	cmd.Stdout, cmd.Stderr = &b, &b
	cmd.WaitDelay = time.Second // for what the command left in the background
	ownGroup(cmd)
	cmd.Cancel = func() error { return killGroup(cmd.Process) }
	err = cmd.Run()
	if ctx.Err() != nil {
		return b.String(), -1, ctx.Err()
	}
	var exited *exec.ExitError
	if err != nil && !errors.As(err, &exited) && !errors.Is(err, exec.ErrWaitDelay) {
		return b.String(), -1, err
	}
	return b.String(), cmd.ProcessState.ExitCode(), nil
}

func (t *Turn) shellEnv() []string {
	env := append(t.Chat.cursor.baseEnv(), "CURSOR_AGENT=1")
	if t.Chat.cursor.cfg.Options.AgentSeesID {
		env = append(env, "CURSOR_CONVERSATION_ID="+t.Chat.ID)
	}
	return env
}
