package simcursor

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"time"
)

// Shell runs a command of the agent in the workspace, with sh, or PowerShell on
// Windows. It returns stdout and stderr together and the exit code, which is -1 if
// the command was denied or did not finish; the output then says why.
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

func (c *call) ran(output string, exit int) {
	c.record(output, exit)
	c.t.Chat.fire(c.t.send, "afterShellExecution", ranFields(c.text, output, c.milliseconds()))
	if !c.t.Chat.cursor.cfg.Options.PlainToolOutput {
		output = shellOutput(output, exit)
	}
	c.done(output)
}

const shellTimeout = 2 * time.Minute

func (t *Turn) execute(command string) (output string, exit int, err error) {
	ctx, cancel := context.WithTimeout(t.ctx, shellTimeout)
	defer cancel()
	var b bytes.Buffer
	args := agentShellArgs(command)
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir, cmd.Env = t.Chat.cursor.cfg.Workspace, t.shellEnv()
	cmd.Stdout, cmd.Stderr = &b, &b
	cmd.WaitDelay = time.Second // for background processes of the command
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
