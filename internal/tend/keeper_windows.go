package tend

import (
	"errors"
	"os"
	"os/exec"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/gate"
)

// keeper is a job object, which ends with us.
type keeper struct{ tree *gate.Tree }

func keep(c Command, stdin, stdout, stderr *os.File, _ func() string) (*keeper, error) {
	cmd := exec.Command(c.Argv[0], c.Argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Dir, c.Env, stdin, stdout, stderr
	tree, err := gate.Start(cmd)
	if err != nil {
		return nil, err
	}
	return &keeper{tree}, nil
}

func (k *keeper) wait() (exit int, err error) {
	<-k.tree.Ended()
	defer k.tree.Close()
	if !k.tree.Sweep(true) {
		return -1, errors.New("something that it started could not be killed and still runs")
	}
	code, why := k.tree.Exit()
	if why != "" {
		return code, errors.New(why)
	}
	return code, nil
}

func (k *keeper) interrupt() {} // a program without our console cannot be asked

// stop waits for the program, whose stdin has ended, and ends the job.
func (k *keeper) stop(grace time.Duration, done <-chan struct{}) {
	late := time.NewTimer(grace)
	defer late.Stop()
	select {
	case <-done:
	case <-late.C:
		k.tree.Sweep(true)
	}
}

// Supervise is for systems without job objects.
func Supervise([]string, *os.File, *os.File, *os.File) (int, error) {
	return 1, errors.New("it is not needed on Windows")
}
