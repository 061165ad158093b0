//go:build unix

package tend

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/gate"
)

// politeness is what the program gets when it is us who are asked to end.
const politeness = 2 * time.Second

// Supervise is the keeper: what `cursor-ralph tend -- argv...` does. It passes
// its own three streams to the program, and closes them. It is for a process that
// does nothing else, and gives the exit code for it.
func Supervise(argv []string, stdin, stdout, stderr *os.File) (int, error) {
	orders, reports, err := lines()
	if err != nil {
		return 1, err
	}
	if len(argv) == 0 {
		return 1, errors.New("there is no command")
	}
	s := supervisor{reports: json.NewEncoder(reports), stops: make(chan time.Duration, 1)}
	s.asked = make(chan os.Signal, 1)
	signal.Notify(s.asked, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(s.asked)
	runtime.LockOSThread() // the program dies with this thread, see untilDeath
	defer runtime.UnlockOSThread()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = stdin, stdout, stderr, untilDeath()
	return s.run(cmd, orders)
}

// lines gives the two pipes to whoever started us.
func lines() (orders, reports *os.File, err error) {
	orders, reports = os.NewFile(3, "orders"), os.NewFile(4, "reports")
	for _, f := range []*os.File{orders, reports} {
		if info, err := f.Stat(); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
			return nil, nil, errors.New("there is nobody who has to outlive it")
		}
		syscall.CloseOnExec(int(f.Fd())) // the program must not hold it open
	}
	return orders, reports, nil
}

type supervisor struct {
	tree    *gate.Tree
	reports *json.Encoder
	stops   chan time.Duration
	asked   chan os.Signal
}

func (s *supervisor) run(cmd *exec.Cmd, orders *os.File) (int, error) {
	var err error
	if s.tree, err = gate.Start(cmd); err != nil {
		missing := errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist)
		return 127, s.reports.Encode(report{Error: err.Error(), Missing: missing})
	}
	defer s.tree.Close()
	_ = s.reports.Encode(report{Pid: cmd.Process.Pid}) // nobody there: the end of the orders tells
	for _, f := range []any{cmd.Stdin, cmd.Stdout} {
		_ = f.(*os.File).Close() // so that they end when the program closes them
	}
	ctx, kill := context.WithCancel(context.Background())
	go func() {
		s.obey(orders)
		kill()
	}()
	end := s.watch(ctx)
	return max(end.Exit, 0), s.reports.Encode(end)
}

// obey takes orders, until nobody gives any.
func (s *supervisor) obey(orders *os.File) {
	for lines := bufio.NewScanner(orders); lines.Scan(); {
		word, rest, _ := strings.Cut(lines.Text(), " ")
		switch word {
		case "interrupt":
			s.tree.Interrupt()
		case "stop":
			grace, _ := time.ParseDuration(rest) // none is a time, too
			select {
			case s.stops <- grace:
			default: // it stops
			}
		}
	}
}

// watch waits until the program has ended, or has to, and ends what is left.
func (s *supervisor) watch(ctx context.Context) report {
	select {
	case <-s.tree.Ended():
	case <-ctx.Done():
	case <-s.asked:
		s.tree.Stop(ctx, politeness)
	case grace := <-s.stops:
		s.tree.Stop(ctx, grace)
	}
	if !s.tree.Sweep(true) {
		return report{Exit: -1, Error: "something that it started could not be killed and still runs"}
	}
	code, why := s.tree.Exit()
	return report{Exit: code, Error: why}
}
