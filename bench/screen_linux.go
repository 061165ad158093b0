package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// firstScreen starts the panel in a terminal of its own, and waits until it
// shows the table of loops, at most for as long as patience. Then it does something
// else, if that is not nil, and ends the panel.
func firstScreen(ctx context.Context, program string, s scene, do func() error) (took sample, err error) {
	ours, theirs, err := terminal()
	if err != nil {
		return took, err
	}
	defer func() { err = errors.Join(err, ours.Close()) }()
	cmd := exec.CommandContext(ctx, program, "watch")
	cmd.Dir, cmd.Env = s.workspace, append(s.env, "TERM=xterm-256color")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, theirs
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	began := time.Now()
	err = errors.Join(cmd.Start(), theirs.Close())
	if err != nil {
		return took, err
	}
	err = shows(ours, "ITERATION")
	took.wall = time.Since(began)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		took.wall, err = patience, nil
	}
	if err == nil && do != nil {
		_ = ours.SetReadDeadline(time.Time{})            // a terminal has deadlines
		go func() { _, _ = io.Copy(io.Discard, ours) }() // its end is an error
		err = do()
	}
	_ = cmd.Process.Kill() // it may have ended, which shows in its output
	_ = cmd.Wait()         // it was killed
	took.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return took, err
}

// terminal makes one of 120 columns and 40 lines.
func terminal() (ours, theirs *os.File, err error) {
	if ours, err = os.OpenFile("/dev/ptmx", os.O_RDWR, 0); err != nil {
		return nil, nil, err
	}
	raw, err := ours.SyscallConn() // Fd would take the deadline away
	if err != nil {
		return nil, nil, errors.Join(err, ours.Close())
	}
	var number uint32
	var inner error
	err = raw.Control(func(fd uintptr) { number, inner = unlock(int(fd)) })
	if err = errors.Join(err, inner); err == nil {
		theirs, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		err = errors.Join(err, ours.Close())
	}
	return ours, theirs, err
}

func unlock(fd int) (uint32, error) {
	number, err := unix.IoctlGetUint32(fd, unix.TIOCGPTN)
	return number, errors.Join(err, unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0),
		unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: 120}))
}

// shows reads what is drawn until the words are there.
func shows(screen *os.File, words string) error {
	if err := screen.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	var drawn []byte
	piece := make([]byte, 1<<16)
	for {
		n, err := screen.Read(piece)
		drawn = append(drawn, piece[:n]...)
		if bytes.Contains(drawn, []byte(words)) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("the panel did not show %q but %q: %w", words, drawn, err)
		}
	}
}
