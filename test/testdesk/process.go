package testdesk

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"time"
)

// process is a program in its own process group, so that everything it starts ends
// with it. On Linux it ends when this process ends, even if this one is killed.
type process struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when it has ended
}

// start runs a program with its output in a file.
func start(env []string, log, path string, args ...string) (*process, error) {
	cmd := exec.Command(path, args...)
	cmd.Env = env
	return startCommand(cmd, log)
}

func startCommand(cmd *exec.Cmd, log string) (*process, error) {
	out, err := os.OpenFile(log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out
	ownGroup(cmd)
	p := &process{cmd, make(chan struct{})}
	started := make(chan error)
	go func() {
		// The kernel takes the end of the thread that started a program for that
		// of its parent, so this thread is kept until the program has ended.
		// Source: prctl(2), PR_SET_PDEATHSIG.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer close(p.done)
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // usually killed
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

func (p *process) pid() int { return p.cmd.Process.Pid }

// stop kills the whole group and waits for the program's end.
func (p *process) stop() error {
	if err := killGroup(p.cmd.Process); err != nil {
		return err
	}
	select {
	case <-p.done:
		return nil
	case <-time.After(5 * time.Second):
		return fmt.Errorf("%s does not end", p.cmd.Path)
	}
}
