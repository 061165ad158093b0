//go:build unix

package supervise

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

const (
	startLimit = 30 * time.Second // for the supervisor to report the start
	stopLimit  = 8 * time.Second  // for the supervisor after the grace; longer than patience
)

// processName makes the supervisor survive `killall -9 cursor-ralph`, so that it can
// end the program.
const processName = "ralph-supervise"

// client is our side of the supervisor process. The supervisor stops the program when
// the pipe that we hold ends: because we close it, or because we are gone.
type client struct {
	cmd     *exec.Cmd
	hold    *os.File
	reports *os.File
	decoder *json.Decoder
	program int // process id

	stopLimit time.Duration
}

// report is the supervisor's message about the start, and then about the end.
type report struct {
	Pid     int    `json:"pid,omitempty"`
	Error   string `json:"error,omitempty"`
	Missing bool   `json:"missing,omitempty"` // there is no such program
	Exit    int    `json:"exit,omitempty"`
}

func connect(c Command, stdin, stdout, stderr *os.File, tail func() string) (*client, error) {
	if c.Self == "" {
		return nil, errors.New("the path of cursor-ralph is unknown")
	}
	var e ends
	held, hold := e.pipe()
	reports, theirReports := e.pipe()
	if e.err != nil {
		return nil, errors.Join(e.err, e.close())
	}
	k := &client{hold: hold, reports: reports, decoder: json.NewDecoder(reports), stopLimit: stopLimit}
	k.cmd = exec.Command(c.Self, append([]string{"supervise", "--"}, c.Argv...)...)
	k.cmd.Args[0] = processName
	k.cmd.Dir, k.cmd.Env, k.cmd.Stdin, k.cmd.Stdout, k.cmd.Stderr = c.Dir, c.Env, stdin, stdout, stderr
	k.cmd.ExtraFiles = []*os.File{held, theirReports}
	k.cmd.SysProcAttr = apart(nil) // Ctrl-C in our terminal must not reach it
	err := k.cmd.Start()
	if err = errors.Join(err, held.Close(), theirReports.Close()); err != nil {
		return nil, errors.Join(err, hold.Close(), reports.Close())
	}
	if err := k.awaitStart(c.Argv[0], tail); err != nil {
		return nil, err
	}
	return k, nil
}

func (k *client) awaitStart(name string, tail func() string) error {
	late := time.AfterFunc(startLimit, func() { _ = k.cmd.Process.Kill() }) // an error: it has ended
	var r report
	err := k.decoder.Decode(&r)
	late.Stop()
	if err == nil && r.Error == "" {
		k.program = r.Pid
		return nil
	}
	_, _ = k.hold.Close(), k.reports.Close() // nothing is buffered
	ended := k.cmd.Wait()
	switch {
	case r.Missing && strings.Contains(name, "/"):
		return &os.PathError{Op: "start", Path: name, Err: syscall.ENOENT}
	case r.Missing:
		return &exec.Error{Name: name, Err: exec.ErrNotFound}
	case err == nil:
		return errors.New(r.Error)
	}
	if said := tail(); said != "" {
		ended = errors.Join(ended, errors.New(said))
	}
	return fmt.Errorf("its supervisor %s ended: %w", k.cmd.Path, ended)
}

// wait returns the supervisor's report of the end. Without a report the supervisor was
// killed, and wait kills the program's group.
func (k *client) wait() (exit int, err error) {
	var r report
	err = k.decoder.Decode(&r)
	if err != nil {
		_ = syscall.Kill(-k.program, syscall.SIGKILL) // an error: the group is gone
	}
	_ = k.cmd.Wait()                         // it has reported, or is dead
	_, _ = k.hold.Close(), k.reports.Close() // one may be closed already
	switch {
	case err != nil:
		return -1, errors.New("its supervisor was killed")
	case r.Error != "":
		return r.Exit, errors.New(r.Error)
	}
	return r.Exit, nil
}

// interrupt must not be called after the end: the number may be another group's.
func (k *client) interrupt() { _ = syscall.Kill(-k.program, syscall.SIGINT) }

// stop lets the supervisor end the program, and kills it if it hangs.
func (k *client) stop(done <-chan struct{}) {
	_ = k.hold.Close() // it may be closed already
	late := time.NewTimer(grace + k.stopLimit)
	defer late.Stop()
	select {
	case <-done:
	case <-late.C:
		_ = k.cmd.Process.Kill() // an error: it has ended
	}
}
