//go:build unix

package supervise

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
	startLimit = 30 * time.Second // for the supervisor to report the start
	stopLimit  = 8 * time.Second  // for the supervisor after the grace; longer than patience
)

// processName makes the supervisor survive `killall -9 cursor-ralph`, so that it can
// end the program.
const processName = "ralph-supervise"

// client is our side of the supervisor process. When we end, so does the pipe with its
// orders, and the supervisor kills everything.
type client struct {
	cmd     *exec.Cmd
	mu      sync.Mutex // of orders
	orders  *os.File
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
	theirOrders, orders := e.pipe()
	reports, theirReports := e.pipe()
	if e.err != nil {
		return nil, errors.Join(e.err, e.close())
	}
	k := &client{orders: orders, reports: reports, decoder: json.NewDecoder(reports), stopLimit: stopLimit}
	k.cmd = exec.Command(c.Self, append([]string{"supervise", "--"}, c.Argv...)...)
	k.cmd.Args[0] = processName
	k.cmd.Dir, k.cmd.Env, k.cmd.Stdin, k.cmd.Stdout, k.cmd.Stderr = c.Dir, c.Env, stdin, stdout, stderr
	k.cmd.ExtraFiles = []*os.File{theirOrders, theirReports}
	k.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // Ctrl-C in our terminal must not reach it
	err := k.cmd.Start()
	if err = errors.Join(err, theirOrders.Close(), theirReports.Close()); err != nil {
		return nil, errors.Join(err, orders.Close(), reports.Close())
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
	k.close()
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
// killed: on Linux the program has died with it, and wait kills the rest of the
// program's group.
func (k *client) wait() (exit int, err error) {
	var r report
	err = k.decoder.Decode(&r)
	if err != nil {
		_ = syscall.Kill(-k.program, syscall.SIGKILL) // an error: the group is gone
	}
	_ = k.cmd.Wait() // it has reported, or is dead
	k.close()
	switch {
	case err != nil:
		return -1, errors.New("its supervisor was killed")
	case r.Error != "":
		return r.Exit, errors.New(r.Error)
	}
	return r.Exit, nil
}

func (k *client) interrupt() { k.order("interrupt\n") }

// stop orders the supervisor to end the program, and kills it if it does not obey.
func (k *client) stop(grace time.Duration, done <-chan struct{}) {
	k.order(fmt.Sprintf("stop %s\n", grace))
	late := time.NewTimer(grace + k.stopLimit)
	defer late.Stop()
	select {
	case <-done:
	case <-late.C:
		_ = k.cmd.Process.Kill() // an error: it has ended
	}
}

func (k *client) order(line string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	_, _ = k.orders.WriteString(line) // an error: the supervisor has ended
}

func (k *client) close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	_, _ = k.orders.Close(), k.reports.Close() // nothing is buffered
}
