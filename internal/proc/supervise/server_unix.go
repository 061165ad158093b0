//go:build unix

package supervise

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
)

// signalGrace is the program's time to end when a signal asks the supervisor to end.
const signalGrace = 2 * time.Second

// Run is the supervisor process, `cursor-ralph supervise -- argv...`. It passes the
// three streams to the program, closes its own, and returns the program's exit code.
// The process must do nothing else.
func Run(argv []string, stdin, stdout, stderr *os.File) (int, error) {
	orders, reports, err := inherited()
	if err != nil {
		return 1, err
	}
	if len(argv) == 0 {
		return 1, errors.New("there is no command")
	}
	rename(processName) // before the start, after which only the supervisor can end the program
	s := server{reports: json.NewEncoder(reports), stops: make(chan time.Duration, 1)}
	s.signals = make(chan os.Signal, 1)
	signal.Notify(s.signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(s.signals)
	runtime.LockOSThread() // the program dies with this thread, see untilDeath
	defer runtime.UnlockOSThread()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = stdin, stdout, stderr, untilDeath()
	return s.run(cmd, orders)
}

func inherited() (orders, reports *os.File, err error) {
	orders, reports = os.NewFile(3, "orders"), os.NewFile(4, "reports")
	for _, f := range []*os.File{orders, reports} {
		if info, err := f.Stat(); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
			return nil, nil, errors.New("nobody waits for the command")
		}
		syscall.CloseOnExec(int(f.Fd())) // the program must not inherit it
	}
	return orders, reports, nil
}

type server struct {
	tree    *Tree
	reports *json.Encoder
	stops   chan time.Duration
	signals chan os.Signal
}

func (s *server) run(cmd *exec.Cmd, orders *os.File) (int, error) {
	var err error
	if s.tree, err = StartTree(cmd); err != nil {
		missing := errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist)
		return 127, s.reports.Encode(report{Error: err.Error(), Missing: missing})
	}
	defer s.tree.Close()
	_ = s.reports.Encode(report{Pid: cmd.Process.Pid}) // if nobody reads it, the orders have ended too
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

func (s *server) obey(orders *os.File) {
	for lines := bufio.NewScanner(orders); lines.Scan(); {
		word, rest, _ := strings.Cut(lines.Text(), " ")
		switch word {
		case "interrupt":
			s.tree.Interrupt()
		case "stop":
			grace, _ := time.ParseDuration(rest) // 0 if it is invalid
			select {
			case s.stops <- grace:
			default: // it is already stopping
			}
		}
	}
}

func (s *server) watch(ctx context.Context) report {
	select {
	case <-s.tree.Ended():
	case <-ctx.Done():
	case <-s.signals:
		s.tree.Stop(ctx, signalGrace)
	case grace := <-s.stops:
		s.tree.Stop(ctx, grace)
	}
	if err := s.tree.Kill(); err != nil {
		return report{Exit: -1, Error: err.Error()}
	}
	code, err := s.tree.Exit()
	if err != nil {
		return report{Exit: code, Error: err.Error()}
	}
	return report{Exit: code}
}
