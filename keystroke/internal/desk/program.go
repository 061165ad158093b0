package desk

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/key"
)

// Prepared is a program that is ready to press, and has not pressed yet.
type Prepared struct {
	Press func() error
	Drop  func() // ends it; called in any case, after Press or instead
}

// ProgramKeyboard presses keys by another program. On X11 that has a connection
// of its own, which our grab would block, so check and key are two steps, and a
// focus that is lost between them takes the key along. Only the editor is given
// the line, so what goes astray is a key and never a text.
type ProgramKeyboard struct {
	Desk Desk
	// Prepare starts the program and gets it ready for a chord.
	Prepare func(ctx context.Context, c key.Chord) (Prepared, error)
}

// Press presses and releases a chord.
func (k ProgramKeyboard) Press(ctx context.Context, w Window, c key.Chord) error {
	p, err := k.Prepare(ctx, c)
	if err != nil {
		return NotPressed(err)
	}
	defer p.Drop()
	focused, err := k.Desk.Focused(ctx, w)
	switch {
	case err != nil:
		return NotPressed(err)
	case !focused:
		return ErrLostFocus
	}
	return p.Press()
}

// Prepare starts a program that answers a greeting on its standard input with a
// line when it is ready, which takes much longer than a key, and that presses
// when it reads word. It is killed if all that takes longer than ProgramWait;
// the caller looks for keys that it left down.
func (m Machine) Prepare(path string, args []string, greeting, word string) (Prepared, error) {
	ctx, cancel := context.WithTimeout(context.Background(), ProgramWait)
	cmd := exec.CommandContext(ctx, path, args...)
	var complaint strings.Builder
	cmd.Env, cmd.Stderr, cmd.WaitDelay = m.Env, &complaint, 100*time.Millisecond
	cmd.SysProcAttr = proc.Hidden()
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		cancel()
		return Prepared{}, err
	}
	end := sync.OnceValue(func() error {
		defer cancel()
		_ = in.Close() // without a word it ends and presses nothing
		if err := cmd.Wait(); err != nil {
			return fmt.Errorf("%s: %w: %.200s", filepath.Base(path), errors.Join(ctx.Err(), err), text.First(complaint.String()))
		}
		return nil
	})
	_, err := io.WriteString(in, greeting)
	if _, err2 := bufio.NewReader(out).ReadString('\n'); err != nil || err2 != nil {
		return Prepared{}, errors.Join(end(), errors.New("it did not get ready"))
	}
	press := func() error {
		_, err := io.WriteString(in, word)
		return errors.Join(err, end())
	}
	return Prepared{press, func() { _ = end() }}, nil // the error of an unused program does not matter
}
