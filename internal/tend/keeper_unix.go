//go:build unix

package tend

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	startLimit = 30 * time.Second // for the keeper to tell that the program runs
	patience   = 8 * time.Second  // more than it has with what it kills
)

// keeper is the process between us and the program. The end of the pipe with its
// orders, which comes when we end, tells it to kill everything.
type keeper struct {
	cmd     *exec.Cmd
	mu      sync.Mutex // of orders
	orders  *os.File
	reports *os.File
	decoder *json.Decoder
	program int // its number

	patience time.Duration // with the keeper, beyond the grace of the program
}

// report is what the keeper says, first of the start and then of the end.
type report struct {
	Pid     int    `json:"pid,omitempty"`
	Error   string `json:"error,omitempty"`
	Missing bool   `json:"missing,omitempty"` // there is no such program
	Exit    int    `json:"exit,omitempty"`
}

func keep(c Command, stdin, stdout, stderr *os.File, tail func() string) (*keeper, error) {
	if c.Self == "" {
		return nil, errors.New("it is not known where cursor-ralph is")
	}
	var e ends
	theirOrders, orders := e.pipe()
	reports, theirReports := e.pipe()
	if e.err != nil {
		return nil, errors.Join(e.err, e.close())
	}
	k := &keeper{orders: orders, reports: reports, decoder: json.NewDecoder(reports), patience: patience}
	k.cmd = exec.Command(c.Self, append([]string{"tend", "--"}, c.Argv...)...)
	k.cmd.Dir, k.cmd.Env, k.cmd.Stdin, k.cmd.Stdout, k.cmd.Stderr = c.Dir, c.Env, stdin, stdout, stderr
	k.cmd.ExtraFiles = []*os.File{theirOrders, theirReports}
	k.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // Ctrl-C in our terminal is for us
	err := k.cmd.Start()
	if err = errors.Join(err, theirOrders.Close(), theirReports.Close()); err != nil {
		return nil, errors.Join(err, orders.Close(), reports.Close())
	}
	if err := k.started(c.Argv[0], tail); err != nil {
		return nil, err
	}
	return k, nil
}

// started waits until the program runs.
func (k *keeper) started(name string, tail func() string) error {
	late := time.AfterFunc(startLimit, func() { _ = k.cmd.Process.Kill() }) // an error: it has ended
	var r report
	err := k.decoder.Decode(&r)
	late.Stop()
	if err == nil && r.Error == "" {
		k.program = r.Pid
		return nil
	}
	k.close()
	switch {
	case r.Missing && strings.Contains(name, "/"):
		return &os.PathError{Op: "start", Path: name, Err: syscall.ENOENT}
	case r.Missing:
		return &exec.Error{Name: name, Err: exec.ErrNotFound}
	case err == nil:
		return errors.New(r.Error)
	}
	return fmt.Errorf("%s, which has to watch over it, ended: %w", k.cmd.Path, errors.Join(k.cmd.Wait(), said(tail())))
}

func said(text string) error {
	if text == "" {
		return nil
	}
	return errors.New(text)
}

// wait gives the keeper's report of the end. Without one it was killed: on Linux
// the program has died with it, and here goes what is left of its group.
func (k *keeper) wait() (exit int, err error) {
	var r report
	err = k.decoder.Decode(&r)
	if err != nil {
		_ = syscall.Kill(-k.program, syscall.SIGKILL) // an error: there is nothing
	}
	_ = k.cmd.Wait() // it has told, or is dead
	k.close()
	switch {
	case err != nil:
		return -1, errors.New("the process that watches over it was killed")
	case r.Error != "":
		return r.Exit, errors.New(r.Error)
	}
	return r.Exit, nil
}

func (k *keeper) interrupt() { k.order("interrupt\n") }

// stop has the keeper end the program. A keeper that does not is killed.
func (k *keeper) stop(grace time.Duration, done <-chan struct{}) {
	k.order(fmt.Sprintf("stop %s\n", grace))
	late := time.NewTimer(grace + k.patience)
	defer late.Stop()
	select {
	case <-done:
	case <-late.C:
		_ = k.cmd.Process.Kill() // an error: it has ended
	}
}

// order tells the keeper something; it hears nothing any more when it has ended.
func (k *keeper) order(line string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	_, _ = k.orders.WriteString(line)
}

func (k *keeper) close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	_, _ = k.orders.Close(), k.reports.Close() // nothing is lost
}
