package testdesk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"
)

// path is where programs are found, whatever the caller's PATH is.
const path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// X is an X server without a screen, Xvfb, and perhaps a window manager.
type X struct {
	dir     string
	display string
	extra   []string // more of the environment
	server  *process
	wm      *process
	conn    *xgb.Conn
	root    xproto.Window
}

// StartX starts an X server on a free display, without a window manager. Its log
// goes into dir, which is also the HOME of its clients. The arguments go to Xvfb,
// such as -extension NAME to leave one out.
func StartX(ctx context.Context, dir string, args ...string) (*X, error) {
	xvfb, err := exec.LookPath("Xvfb")
	if err != nil {
		return nil, errors.New("the X server Xvfb is not installed")
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	args = append([]string{"-displayfd", "3", "-screen", "0", "1280x800x24", "-nolisten", "tcp", "-noreset"}, args...)
	cmd := exec.Command(xvfb, args...)
	cmd.Env, cmd.ExtraFiles = []string{"PATH=" + path, "HOME=" + dir}, []*os.File{w}
	server, err := startCommand(cmd, filepath.Join(dir, "xvfb.log"))
	w.Close()
	if err != nil {
		return nil, err
	}
	x := &X{dir: dir, server: server}
	if err := x.connect(ctx, r); err != nil {
		return nil, errors.Join(err, x.Close())
	}
	return x, nil
}

// connect reads the display's number, which the server writes when it is ready.
func (x *X) connect(ctx context.Context, r *os.File) error {
	_ = r.SetReadDeadline(time.Now().Add(20 * time.Second)) // a pipe has deadlines
	stop := context.AfterFunc(ctx, func() { r.Close() })
	defer stop()
	buf := make([]byte, 16)
	n, err := r.Read(buf)
	if err != nil {
		return fmt.Errorf("the X server Xvfb did not report a display: %w", err)
	}
	x.display = ":" + strings.TrimSpace(string(buf[:n]))
	if x.conn, err = xgb.NewConnDisplay(x.display); err != nil {
		return err
	}
	x.root = xproto.Setup(x.conn).DefaultScreen(x.conn).Root
	return xtest.Init(x.conn)
}

// Display is the server's name, such as :99.
func (x *X) Display() string { return x.display }

// Env is a small environment for programs of this display.
func (x *X) Env() []string {
	return append([]string{"DISPLAY=" + x.display, "PATH=" + path, "HOME=" + x.dir, "XDG_RUNTIME_DIR=" + x.dir, "LANG=C.UTF-8"}, x.extra...)
}

// StartWM starts openbox and waits until it manages windows.
func (x *X) StartWM(ctx context.Context) error {
	openbox, err := exec.LookPath("openbox")
	if err != nil {
		return errors.New("openbox is not installed")
	}
	if x.wm, err = start(x.Env(), filepath.Join(x.dir, "openbox.log"), openbox); err != nil {
		return err
	}
	return until(ctx, "window manager", func() (bool, error) { return x.manages(ctx) })
}

// manages opens a window and reports whether the window manager has taken it
// within a moment. One that is opened after openbox has set
// _NET_SUPPORTING_WM_CHECK, and before it is ready, is never mapped.
func (x *X) manages(ctx context.Context) (bool, error) {
	w, err := xproto.NewWindowId(x.conn)
	if err != nil {
		return false, err
	}
	err = xproto.CreateWindowChecked(x.conn, 0, w, x.root, 0, 0, 1, 1, 0, xproto.WindowClassInputOutput, 0, 0, nil).Check()
	if err != nil {
		return false, err
	}
	defer xproto.DestroyWindow(x.conn, w)
	xproto.MapWindow(x.conn, w)
	ctx, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
	defer cancel()
	err = until(ctx, "window", func() (bool, error) {
		list, err := x.property(x.root, "_NET_CLIENT_LIST")
		return slices.Contains(list, uint32(w)), err
	})
	if errors.Is(err, context.DeadlineExceeded) {
		return false, nil
	}
	return err == nil, err
}

// KillWM kills the window manager, whose properties stay on the root window.
func (x *X) KillWM() error {
	if x.wm == nil {
		return nil
	}
	err := x.wm.stop()
	x.wm = nil
	return err
}

// Stop makes the server hang until Continue.
func (x *X) Stop() error { return pause(x.server.cmd.Process) }

// Continue ends Stop.
func (x *X) Continue() error { return resume(x.server.cmd.Process) }

// Close ends window manager and server.
func (x *X) Close() error {
	err := x.KillWM()
	if x.conn != nil {
		x.conn.Close()
	}
	return errors.Join(err, x.server.stop())
}

// run runs a tool of this display and returns its output.
func (x *X) run(ctx context.Context, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = x.Env()
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", strings.Join(cmd.Args, " "), err, strings.TrimSpace(complaint.String()))
	}
	return string(out), nil
}

// until asks again and again, for at most ten seconds.
func until(ctx context.Context, what string, ok func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for {
		if done, err := ok(); done || err != nil {
			return err
		}
		select {
		case <-time.After(2 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("no %s: %w", what, ctx.Err())
		}
	}
}
