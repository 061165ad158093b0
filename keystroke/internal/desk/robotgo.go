package desk

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

// Robotgo presses keys by the program cursor-ralph-robotgo, and does all else as
// the desktop's other way does.
func Robotgo(ctx context.Context, m Machine) (Desk, error) {
	if m.Robotgo == "" {
		return Desk{}, errors.New("cursor-ralph-robotgo is not installed beside cursor-ralph; make install builds it where there is a C compiler")
	}
	if _, err := m.run(ctx, m.Robotgo, "version"); err != nil { // its libraries may be missing
		return Desk{}, err
	}
	var d Desk
	var err error
	switch m.OS {
	case "darwin":
		d, err = mac(m)
	case "windows":
		d, err = native()
	default:
		d, err = Xdotool(ctx, m)
	}
	d.Press = func(ctx context.Context, _ Window, k Key, ready func() error) error {
		return m.helperPress(ctx, k, ready)
	}
	return d, err
}

var helperKeys = map[Key]string{Paste: "shift+insert", Return: "return", CtrlEnter: "ctrl+return", CmdEnter: "cmd+return"}

// helperPress starts the helper, which takes much longer than a key. It says when
// it is ready, and presses only at our word. It is killed if it hangs.
func (m Machine) helperPress(ctx context.Context, k Key, ready func() error) error {
	ctx, cancel := context.WithTimeout(ctx, programWait)
	defer cancel()
	chord := helperKeys[k]
	if k == Paste && m.OS == "darwin" {
		chord = "cmd+v"
	}
	cmd := exec.CommandContext(ctx, m.Robotgo, "press", chord)
	var complaint strings.Builder
	cmd.Env, cmd.Stderr, cmd.WaitDelay = m.Env, &complaint, time.Second
	cmd.SysProcAttr = proc.Hidden()
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		return err
	}
	end := func() error {
		_ = in.Close() // without a word it ends and presses nothing
		if err := cmd.Wait(); err != nil {
			return fmt.Errorf("%s: %w: %.200s", filepath.Base(m.Robotgo), errors.Join(ctx.Err(), err), text.First(complaint.String()))
		}
		return nil
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		return errors.Join(end(), errors.New("it did not get ready"))
	}
	if err := ready(); err != nil {
		_ = end() // it has nothing to do
		return err
	}
	_, err := in.Write([]byte("go\n"))
	return errors.Join(err, end())
}
