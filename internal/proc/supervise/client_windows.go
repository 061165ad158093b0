package supervise

import (
	"errors"
	"os"
	"os/exec"
	"time"
)

// client is a job object, which ends with us: no supervisor process is needed.
type client struct{ tree *Tree }

func connect(c Command, stdin, stdout, stderr *os.File, _ func() string) (*client, error) {
	cmd := exec.Command(c.Argv[0], c.Argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Dir, c.Env, stdin, stdout, stderr
	tree, err := StartTree(cmd)
	if err != nil {
		return nil, err
	}
	return &client{tree}, nil
}

func (k *client) wait() (exit int, err error) {
	<-k.tree.Ended()
	defer k.tree.Close()
	if err := k.tree.Kill(); err != nil {
		return -1, err
	}
	return k.tree.Exit()
}

func (k *client) interrupt() {} // impossible without a shared console

// stop waits for the program, whose stdin has ended, and ends the job.
func (k *client) stop(done <-chan struct{}) {
	late := time.NewTimer(grace)
	defer late.Stop()
	select {
	case <-done:
	case <-late.C:
		_ = k.tree.Kill() // wait tries again, and returns the error
	}
}

// Run is only for systems without job objects.
func Run([]string, *os.File, *os.File, *os.File) (int, error) {
	return 1, errors.New("not needed on Windows")
}
