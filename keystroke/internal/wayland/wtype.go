package wayland

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/key"
)

// OpenWtype types the line's characters. They are exact whatever the layout, for
// wtype brings a keymap of its own, with its own Shift and Caps Lock.
func OpenWtype(ctx context.Context, m desk.Machine, r desk.Request) (desk.Session, error) {
	if name := inputMethod(m); name != "" {
		return desk.Session{}, fmt.Errorf("the input method %s may change what is typed character by character; wl-copy works with it", name)
	}
	d, k, _, err := wtypeDesk(ctx, m, r)
	if err != nil {
		return desk.Session{}, err
	}
	return desk.Session{Desk: typedDesk{d}, Keyboard: typedLine{k, r.Line}}, nil
}

// OpenWlCopy pastes the line: wl-copy puts it on the clipboard, wtype presses
// Shift+Insert and the submit key.
func OpenWlCopy(ctx context.Context, m desk.Machine, r desk.Request) (desk.Session, error) {
	d, k, g, err := wtypeDesk(ctx, m, r)
	if err != nil {
		return desk.Session{}, err
	}
	if d.clipboard, err = clipboardOf(m, g); err != nil {
		return desk.Session{}, err
	}
	return desk.Session{Desk: d, Keyboard: k}, nil
}

func inputMethod(m desk.Machine) string {
	for _, name := range []string{"GTK_IM_MODULE", "QT_IM_MODULE", "XMODIFIERS"} {
		value := strings.TrimPrefix(m.Getenv(name), "@im=")
		if !slices.Contains([]string{"", "none", "simple", "compose", "gtk-im-context-simple", "local"}, value) {
			return value
		}
	}
	return ""
}

func wtypeDesk(ctx context.Context, m desk.Machine, r desk.Request) (d waylandDesk, k wtypeKeys, g globals, err error) {
	if g, err = globalsOf(ctx, m); err != nil {
		return d, k, g, err
	}
	path, err := m.Look("wtype")
	if err != nil {
		return d, k, g, err
	}
	if err := takesKeys(m, g); err != nil {
		return d, k, g, err
	}
	d.compositor, err = compositorOf(m, r)
	return d, wtypeKeys{m, path, r.Permit, d.compositor}, g, err
}

type typedDesk struct{ waylandDesk }

// Put does nothing: the line is typed.
func (typedDesk) Put(context.Context, desk.Window, string) (desk.Clip, error) { return unused{}, nil }

// typedLine types the line where others paste it.
type typedLine struct {
	keys wtypeKeys
	line string
}

// Press types the line for a paste, and presses any other chord.
func (k typedLine) Press(ctx context.Context, w desk.Window, c key.Chord) error {
	if c != key.Paste {
		return k.keys.Press(ctx, w, c)
	}
	for n, part := range wtypeParts(k.line) {
		err := k.keys.gated(ctx, w, wtypeLine(part))
		if err != nil && n > 0 {
			return fmt.Errorf("the line was typed in part: %v", err) // not %w: the line must not be begun again
		}
		if err != nil {
			return err
		}
	}
	return nil
}

type unused struct{}

func (unused) Fetched(context.Context) error           { return nil }
func (unused) Restore(context.Context) (string, error) { return "", nil }

type wtypeKeys struct {
	m      desk.Machine
	path   string
	permit func(context.Context) error
	c      compositor
}

func (k wtypeKeys) Press(ctx context.Context, w desk.Window, c key.Chord) error {
	keys, err := wtypeChord(c)
	if err != nil {
		return desk.NotPressed(err)
	}
	return k.gated(ctx, w, keys)
}

// wtypeArgs are arguments of wtype before and after its gate.
type wtypeArgs struct {
	before, after []string
	long          bool // takes so long that the focus is watched meanwhile
}

// wtypeLead is how long wtype's keyboard has to be there before its first key:
// without it 29 of 50 lines lost their first character in Chromium.
const wtypeLead = "100"

// keyWait is more than wtype takes for a key, which is 4 ms and two answers of
// the compositor.
const keyWait = 50 * time.Millisecond

// wtypeChord returns the arguments that press a chord.
//
// wtype numbers its keys in the order in which they are named, from 1 on, which
// is the code of Escape; and VS Code goes by the code of a key, not by what is
// on it, so it would take Return for Escape. So as many keys that mean nothing
// are named before that the key has the code it has on a keyboard. To name them
// they are released, though they were not pressed: that does nothing.
// Sources: wtype's main.c, get_key_code_by_xkb; VS Code's
// macLinuxKeyboardMapper.ts, resolveKeyboardEvent.
func wtypeChord(c key.Chord) (wtypeArgs, error) {
	k, err := key.Of(c)
	if err != nil {
		return wtypeArgs{}, err
	}
	var a wtypeArgs
	for n := 1; n < k.Code; n++ {
		a.before = append(a.before, "-p", placeholder(n))
	}
	var mods, release []string
	for _, m := range key.Held(c) {
		mods, release = append(mods, "-M", m.Wtype), append(release, "-m", m.Wtype)
	}
	a.after = slices.Concat(mods, []string{"-k", c.Key}, release)
	return a, nil
}

// placeholder is a key without a meaning: a character for private use.
func placeholder(code int) string { return fmt.Sprintf("U%04X", 0xE000+code) }

// wtypeLine returns the arguments that type a part of a line, each character on
// its key of a us keyboard.
func wtypeLine(part string) wtypeArgs {
	on := map[int]byte{}
	last := 0
	for _, char := range []byte(part) {
		on[codeOf(char)] = char
		last = max(last, codeOf(char))
	}
	a := wtypeArgs{long: true}
	for code := 1; code <= last; code++ {
		name := placeholder(code)
		if char, ok := on[code]; ok {
			name = symOf(char)
		}
		a.before = append(a.before, "-p", name)
	}
	for _, char := range []byte(part) {
		a.after = append(a.after, "-k", symOf(char))
	}
	return a
}

func codeOf(char byte) int {
	k, _ := key.Types(char) // code 0 for a character that no line has
	return k.Code
}

// symOf names a printable ASCII character.
func symOf(char byte) string { return fmt.Sprintf("U%04X", char) }

// wtypeParts cuts a line so that no part has two characters of one key: a key
// of wtype has one. A line without capitals is one part.
func wtypeParts(line string) []string {
	var parts []string
	for from, on := 0, map[int]byte{}; from < len(line); on = map[int]byte{} {
		to := from
		for ; to < len(line); to++ {
			if char, ok := on[codeOf(line[to])]; ok && char != line[to] {
				break
			}
			on[codeOf(line[to])] = line[to]
		}
		parts, from = append(parts, line[from:to]), to
	}
	return parts
}

// gated lets wtype get ready, asks once more, and only then lets it press: the
// focus is checked right before the key, not before wtype's start and lead.
//
// The gate is wtype's own "-", where it reads a text to type from its stdin
// until that is closed. What it is sent are zeros, which it passes over, and
// more of them than a pipe holds: once all are sent, it is at the gate. The
// gate opens as well if this process is killed; so wtype dies with it, for
// which it waits a moment.
func (k wtypeKeys) gated(ctx context.Context, w desk.Window, a wtypeArgs) error {
	ctx, cancel := context.WithTimeout(ctx, desk.ProgramWait+time.Duration(len(a.after))*keyWait)
	defer cancel()
	cmd := exec.CommandContext(ctx, k.path, slices.Concat([]string{"-s", wtypeLead}, a.before, []string{"-", "-s", "1"}, a.after)...)
	diesWithUs(cmd)
	// Where char is unsigned wtype 0.4 does not know the end of its stdin, and
	// stops at invalid UTF-8 instead.
	cmd.Env = append(slices.Clone(k.m.Env), "LC_ALL=C.UTF-8")
	var complaint strings.Builder
	cmd.Stderr = &complaint
	gate, err := cmd.StdinPipe()
	if err != nil {
		return desk.NotPressed(err)
	}
	if err := cmd.Start(); err != nil {
		return desk.NotPressed(fmt.Errorf("wtype: %w", err))
	}
	if _, err = gate.Write(moreThanAPipe(os.Getpagesize())); err == nil {
		err = k.ask(ctx, w)
	}
	if err != nil {
		cancel() // kills it: its keys are behind the gate
		status := cmd.Wait()
		if text := strings.TrimSpace(complaint.String()); text != "" {
			err = fmt.Errorf("wtype: %w: %.200s", status, text)
		}
		return desk.NotPressed(err)
	}
	if err := gate.Close(); err != nil {
		return err
	}
	if !a.long {
		return ended(cmd.Wait())
	}
	return k.watch(ctx, cancel, w, cmd)
}

// moreThanAPipe is what cannot all be written before somebody reads: a pipe
// holds 16 pages, and a page has 4 KB or more. Source: pipe(7).
func moreThanAPipe(page int) []byte { return make([]byte, 16*page+1) }

func (k wtypeKeys) ask(ctx context.Context, w desk.Window) error {
	if err := k.permit(ctx); err != nil {
		return err
	}
	ok, err := k.c.Focused(ctx, w)
	if err == nil && !ok {
		return desk.ErrLostFocus
	}
	return err
}

func ended(err error) error {
	if err != nil {
		return fmt.Errorf("wtype: %w", err)
	}
	return nil
}

// watch waits for wtype's end, and kills it when the window loses the focus:
// then the rest of a line goes nowhere. A key that was down is released by the
// compositor.
func (k wtypeKeys) watch(ctx context.Context, kill func(), w desk.Window, cmd *exec.Cmd) error {
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	for {
		select {
		case err := <-done:
			return ended(err)
		case <-time.After(2 * time.Millisecond):
		}
		if ok, err := k.c.Focused(ctx, w); err != nil || !ok {
			kill()
			<-done
			return errors.Join(err, errors.New("the window of Cursor lost the focus while keys were pressed"))
		}
	}
}
