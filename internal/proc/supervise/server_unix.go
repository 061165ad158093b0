//go:build unix

package supervise

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// Run is the supervisor process, `cursor-ralph supervise -- argv...`. It passes the
// three streams to the program, closes its own, and returns the program's exit code.
// The process must do nothing else.
func Run(argv []string, stdin, stdout, stderr *os.File) (int, error) {
	held, reports, err := inherited()
	if err != nil {
		return 1, err
	}
	if len(argv) == 0 {
		return 1, errors.New("there is no command")
	}
	rename(processName) // before the start, after which only the supervisor can end the program
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, stderr
	return run(cmd, held, json.NewEncoder(reports), signals)
}

func inherited() (held, reports *os.File, err error) {
	held, reports = os.NewFile(3, "held"), os.NewFile(4, "reports")
	for _, f := range []*os.File{held, reports} {
		if info, err := f.Stat(); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
			return nil, nil, errors.New("nobody waits for the command")
		}
		syscall.CloseOnExec(int(f.Fd())) // the program must not inherit it
	}
	return held, reports, nil
}

func run(cmd *exec.Cmd, held *os.File, reports *json.Encoder, signals <-chan os.Signal) (int, error) {
	tree, err := StartTree(cmd)
	if err != nil {
		missing := errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist)
		return 127, reports.Encode(report{Error: err.Error(), Missing: missing})
	}
	defer tree.Close()
	_ = reports.Encode(report{Pid: cmd.Process.Pid}) // if nobody reads it, the pipe has ended too
	for _, f := range []any{cmd.Stdin, cmd.Stdout} {
		_ = f.(*os.File).Close() // so that they end when the program closes them
	}
	alone := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, held) // nothing is written: it ends when nobody waits for us any more
		close(alone)
	}()
	select {
	case <-tree.Ended():
	case <-alone:
		tree.Stop(grace)
	case <-signals:
		tree.Stop(grace)
	}
	if err := tree.Kill(); err != nil {
		return 1, reports.Encode(report{Exit: -1, Error: err.Error()})
	}
	code, err := tree.Exit()
	end := report{Exit: code}
	if err != nil {
		end.Error = err.Error()
	}
	return max(code, 0), reports.Encode(end)
}
