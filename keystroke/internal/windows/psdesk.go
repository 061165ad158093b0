package windows

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/key"
)

type psDesk struct {
	session *powerShell
	load    func(ctx context.Context) error // makes the session know desk.Windows and keys; waits the first time only
	focus   key.Chord                       // the target's FocusKeys
	leave   key.Chord                       // pressed before focus; may be empty
}

func (d psDesk) Windows(ctx context.Context, editors desk.Editors) ([]desk.Window, error) {
	if err := d.load(ctx); err != nil {
		return nil, err
	}
	answer, err := d.session.ask(ctx, desk.ProgramWait, "Windows", utf16Base64(strings.Join(editors, ",")))
	if err != nil {
		return nil, err
	}
	var found []desk.Window
	for _, line := range strings.FieldsFunc(answer, func(r rune) bool { return r == ';' }) {
		w, err := parsePSWindow(line)
		if err != nil {
			return nil, err
		}
		found = append(found, w)
	}
	return found, nil
}

// parsePSWindow reads "window process title".
func parsePSWindow(line string) (desk.Window, error) {
	parts := strings.Split(line, " ")
	if len(parts) != 3 {
		return desk.Window{}, fmt.Errorf("%.100q is no window", line)
	}
	_, notWindow := strconv.ParseInt(parts[0], 10, 64)
	pid, notPID := strconv.Atoi(parts[1])
	title, notTitle := fromUTF16Base64(parts[2])
	return desk.Window{ID: parts[0], Title: title, PID: pid}, errors.Join(notWindow, notPID, notTitle)
}

func (d psDesk) Front(ctx context.Context) (desk.Window, error) {
	if err := d.load(ctx); err != nil {
		return desk.Window{}, err
	}
	answer, err := d.session.ask(ctx, desk.ProgramWait, "Front")
	if err != nil {
		return desk.Window{}, err
	}
	return parsePSWindow(answer)
}

func (d psDesk) Focused(ctx context.Context, w desk.Window) (bool, error) {
	answer, err := d.session.ask(ctx, desk.ProgramWait, "Focused", w.ID, strconv.Itoa(w.PID))
	return answer == "True", err
}

func (d psDesk) Activate(ctx context.Context, w desk.Window) error {
	_, err := d.session.ask(ctx, desk.ProgramWait, "Activate", w.ID)
	return err
}

func (d psDesk) Idle(ctx context.Context) (time.Duration, error) {
	answer, err := d.session.ask(ctx, desk.ProgramWait, "Idle")
	if err != nil {
		return 0, err
	}
	ms, err := strconv.ParseUint(answer, 10, 32)
	return time.Duration(ms) * time.Millisecond, err
}

func (d psDesk) Put(ctx context.Context, _ desk.Window, line string) (desk.Clip, error) {
	answer, err := d.session.ask(ctx, desk.ProgramWait, "Put", utf16Base64(line))
	if err != nil {
		return nil, err
	}
	lost := map[string]string{"text": desk.RichTextLost, "secret": desk.PasswordLost, "nothing": desk.NoTextLost}
	return psClip{d.session, lost[answer]}, nil
}

// Press asks for check and keys in one request. From the second request on keys
// were pressed, whatever the answer: it must not be taken for one after which
// to begin again.
func (d psDesk) Press(ctx context.Context, w desk.Window, c key.Chord) error {
	for n, r := range d.requests(c) {
		err := d.request(ctx, w, r)
		if err != nil && n > 0 {
			return fmt.Errorf("the keys before it were pressed: %v", err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (d psDesk) request(ctx context.Context, w desk.Window, r psRequest) error {
	answer, err := d.session.ask(ctx, desk.ProgramWait, r.name, w.ID, strconv.Itoa(w.PID), r.keys)
	switch {
	case err != nil:
		return err
	case answer == "held":
		return fmt.Errorf("a modifier key is held down, %w", desk.ErrLostFocus)
	case answer != "pressed":
		return desk.ErrLostFocus
	}
	return nil
}

type psRequest struct{ name, keys string }

// requests returns the requests for a chord. The usual ones are in SendKeys's own
// words, which are the same on every layout.
func (d psDesk) requests(c key.Chord) []psRequest {
	switch {
	case c == key.Paste:
		return []psRequest{{"Type", "+{INSERT}"}}
	case c == key.Return:
		return []psRequest{{"Type", "{ENTER}"}}
	case c == key.Chord{Ctrl: true, Key: key.Return.Key}:
		return []psRequest{{"Type", "^{ENTER}"}}
	case c == d.focus && d.leave.Key != "":
		return []psRequest{{"Press", virtualCodes(d.leave)}, {"Press", virtualCodes(c)}}
	}
	return []psRequest{{"Press", virtualCodes(c)}}
}

// virtualCodes writes a chord as its virtual keys. An unknown key is 0, which
// Windows ignores; ParseChord lets none through.
func virtualCodes(c key.Chord) string {
	var b strings.Builder
	for _, m := range key.Held(c) {
		fmt.Fprintf(&b, "%d,", m.VK[0])
	}
	k, _ := key.Of(c)
	return b.String() + strconv.Itoa(int(k.VK))
}

type psClip struct {
	session *powerShell
	lost    string
}

// Fetched waits as long as reading takes: that cannot be observed.
func (psClip) Fetched(ctx context.Context) error { return proc.Sleep(ctx, desk.PasteWait) }

func (c psClip) Restore(ctx context.Context) (lost string, err error) {
	answer, err := c.session.ask(ctx, desk.ProgramWait, "Restore")
	if answer == "kept" {
		return "", err
	}
	return c.lost, err
}
