package testdesk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"
)

// path is where programs are found, whatever the caller's environment says.
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

// Shift and the others are what a keyboard holds: X11's state bits.
const (
	Shift    = xproto.ModMaskShift
	CapsLock = xproto.ModMaskLock
	Ctrl     = xproto.ModMaskControl
	Alt      = xproto.ModMask1
)

// modifierKeys are keycodes that all layouts of a PC keyboard have in common.
// Source: xkeyboard-config, keycodes/evdev.
var modifierKeys = map[uint16]byte{Shift: 50, Ctrl: 37, Alt: 64}

// StartX starts an X server on a free display, without a window manager. What
// it writes goes into dir, which is its users' HOME too. The arguments go to
// Xvfb, such as -extension NAME to leave one out.
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

// connect reads the display's number, which the server tells when it is ready.
func (x *X) connect(ctx context.Context, r *os.File) error {
	_ = r.SetReadDeadline(time.Now().Add(20 * time.Second)) // a pipe has deadlines
	stop := context.AfterFunc(ctx, func() { r.Close() })
	defer stop()
	buf := make([]byte, 16)
	n, err := r.Read(buf)
	if err != nil {
		return fmt.Errorf("the X server Xvfb tells no display: %w", err)
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

// Pid is the server's process.
func (x *X) Pid() int { return x.server.pid() }

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

// KillWM kills the window manager, which leaves its marks behind.
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

// Layout sets the keyboard's layouts, such as de, or us,ru, in the first group.
func (x *X) Layout(ctx context.Context, layout string) error {
	layout, variant, _ := strings.Cut(layout, "/")
	if _, err := x.run(ctx, "setxkbmap", "-layout", layout, "-variant", variant); err != nil {
		return err
	}
	return x.Group(ctx, 0)
}

// Group locks one of the layouts that the keyboard has, from 0.
func (x *X) Group(ctx context.Context, n int) error {
	return x.lock(ctx, 0, 0, true, n)
}

// CapsLock turns Caps Lock on or off.
func (x *X) CapsLock(ctx context.Context, on bool) error {
	var locks byte
	if on {
		locks = CapsLock
	}
	return x.lock(ctx, CapsLock, locks, false, 0)
}

// lock sets locked modifiers or the locked group. Source: the XKB protocol,
// requests UseExtension and LatchLockState.
func (x *X) lock(ctx context.Context, affect, locks byte, setGroup bool, group int) error {
	xkb, err := xproto.QueryExtension(x.conn, 9, "XKEYBOARD").Reply()
	if err != nil {
		return err
	}
	use := x.conn.NewCookie(true, true)
	x.conn.NewRequest([]byte{xkb.MajorOpcode, 0, 2, 0, 1, 0, 0, 0}, use)
	if _, err := use.Reply(); err != nil {
		return err
	}
	const coreKeyboard = 0x100
	buf := make([]byte, 16)
	buf[0], buf[1] = xkb.MajorOpcode, 5
	xgb.Put16(buf[2:], uint16(len(buf)/4))
	xgb.Put16(buf[4:], coreKeyboard)
	buf[6], buf[7] = affect, locks
	if setGroup {
		buf[8], buf[9] = 1, byte(group)
	}
	set := x.conn.NewCookie(true, false)
	x.conn.NewRequest(buf, set)
	return set.Check()
}

// Held returns the state bits of the keyboard: modifiers held, and CapsLock if it
// is on.
func (x *X) Held() (uint16, error) {
	p, err := xproto.QueryPointer(x.conn, x.root).Reply()
	if err != nil {
		return 0, err
	}
	return p.Mask & 0xff, nil
}

// CurrentGroup returns the layout that is in use, from 0.
func (x *X) CurrentGroup() (int, error) {
	p, err := xproto.QueryPointer(x.conn, x.root).Reply()
	if err != nil {
		return 0, err
	}
	return int(p.Mask >> 13 & 3), nil // XKB puts the group into bits 13 and 14
}

// Hold presses Shift, Ctrl or Alt and keeps it down.
func (x *X) Hold(modifier uint16) error { return x.key(xproto.KeyPress, modifierKeys[modifier]) }

// LetGo releases Shift, Ctrl or Alt.
func (x *X) LetGo(modifier uint16) error { return x.key(xproto.KeyRelease, modifierKeys[modifier]) }

func (x *X) key(event, keycode byte) error {
	return xtest.FakeInputChecked(x.conn, event, keycode, 0, x.root, 0, 0, 0).Check()
}

// Down returns the keycodes of all keys that are down.
func (x *X) Down() ([]byte, error) {
	keymap, err := xproto.QueryKeymap(x.conn).Reply()
	if err != nil {
		return nil, err
	}
	var down []byte
	for code := range 256 {
		if keymap.Keys[code/8]>>(code%8)&1 != 0 {
			down = append(down, byte(code))
		}
	}
	return down, nil
}

// Copy puts a text on the clipboard by xclip, which goes on serving it.
func (x *X) Copy(ctx context.Context, text string) error { return x.Select(ctx, "clipboard", text) }

// Select makes a text that of the selection clipboard or primary, as Copy does.
func (x *X) Select(ctx context.Context, name, text string) error {
	before, err := x.owner(name)
	if err != nil {
		return err
	}
	tool, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(tool, "xclip", "-selection", name)
	cmd.Env, cmd.Stdin = x.Env(), strings.NewReader(text)
	if err := cmd.Run(); err != nil {
		return err
	}
	// It leaves a child behind, which takes the selection a moment later.
	return until(ctx, "owner of the "+name, func() (bool, error) {
		owner, err := x.owner(name)
		return owner != before && owner != xproto.WindowNone, err
	})
}

func (x *X) owner(selection string) (xproto.Window, error) {
	name, err := x.atom(strings.ToUpper(selection))
	if err != nil {
		return 0, err
	}
	reply, err := xproto.GetSelectionOwner(x.conn, name).Reply()
	if err != nil {
		return 0, err
	}
	return reply.Owner, nil
}

// Clipboard returns the text on the clipboard.
func (x *X) Clipboard(ctx context.Context) (string, error) { return x.Selection(ctx, "clipboard") }

// Selection returns the text of the selection clipboard or primary.
func (x *X) Selection(ctx context.Context, name string) (string, error) {
	return x.run(ctx, "xclip", "-selection", name, "-o")
}

// ActiveWindow is the window that the window manager takes for the active one.
func (x *X) ActiveWindow() (uint32, error) { return x.windowProperty(x.root, "_NET_ACTIVE_WINDOW") }

// Windows returns the windows of a process that the window manager manages.
func (x *X) Windows(pid int) ([]uint32, error) {
	all, err := x.property(x.root, "_NET_CLIENT_LIST")
	if err != nil {
		return nil, err
	}
	var found []uint32
	for _, w := range all {
		if owner, err := x.windowProperty(xproto.Window(w), "_NET_WM_PID"); err == nil && owner == uint32(pid) {
			found = append(found, w)
		}
	}
	return found, nil
}

// Activate asks the window manager to activate a window, and waits until it has.
func (x *X) Activate(ctx context.Context, window uint32) error {
	if err := x.AskActivation(window); err != nil {
		return err
	}
	return until(ctx, "activation", func() (bool, error) {
		active, err := x.ActiveWindow()
		return active == window, err
	})
}

// AskActivation asks the window manager to activate a window, as a taskbar does.
func (x *X) AskActivation(window uint32) error {
	atom, err := x.atom("_NET_ACTIVE_WINDOW")
	if err != nil {
		return err
	}
	const fromPager = 2
	message := xproto.ClientMessageEvent{Format: 32, Window: xproto.Window(window), Type: atom,
		Data: xproto.ClientMessageDataUnionData32New([]uint32{fromPager, 0, 0, 0, 0})}
	const mask = xproto.EventMaskSubstructureNotify | xproto.EventMaskSubstructureRedirect
	return xproto.SendEventChecked(x.conn, false, x.root, mask, string(message.Bytes())).Check()
}

// FocusWindow sets the input focus past the window manager.
func (x *X) FocusWindow(window uint32) error {
	return xproto.SetInputFocusChecked(x.conn, xproto.InputFocusParent, xproto.Window(window), xproto.TimeCurrentTime).Check()
}

// InputFocus is the window that has the input focus.
func (x *X) InputFocus() (uint32, error) {
	f, err := xproto.GetInputFocus(x.conn).Reply()
	if err != nil {
		return 0, err
	}
	return uint32(f.Focus), nil
}

// Minimize asks the window manager to minimize a window.
func (x *X) Minimize(ctx context.Context, window uint32) error {
	_, err := x.run(ctx, "xdotool", "windowminimize", "--sync", strconv.Itoa(int(window)))
	return err
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

func (x *X) atom(name string) (xproto.Atom, error) {
	a, err := xproto.InternAtom(x.conn, false, uint16(len(name)), name).Reply()
	if err != nil {
		return 0, err
	}
	return a.Atom, nil
}

// property returns a property of 32-bit values.
func (x *X) property(w xproto.Window, name string) ([]uint32, error) {
	atom, err := x.atom(name)
	if err != nil {
		return nil, err
	}
	p, err := xproto.GetProperty(x.conn, false, w, atom, xproto.GetPropertyTypeAny, 0, 1024).Reply()
	if err != nil {
		return nil, err
	}
	var values []uint32
	for b := p.Value; len(b) >= 4; b = b[4:] {
		values = append(values, xgb.Get32(b))
	}
	return values, nil
}

func (x *X) windowProperty(w xproto.Window, name string) (uint32, error) {
	values, err := x.property(w, name)
	if len(values) == 0 {
		return 0, err
	}
	return values[0], err
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
