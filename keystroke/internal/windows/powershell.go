package windows

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf16"

	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/key"
)

// sendKeysScript defines the requests of a session.
//
//go:embed sendkeys.ps1
var sendKeysScript string

// The patience with PowerShell.
const (
	loadWait    = 15 * time.Second // it compiles the calls of user32 when asked first
	answerLimit = 1 << 20          // bytes that one session may say
)

// powerShell is a Windows PowerShell that reads requests from its standard
// input and answers each with a line. It is started once for a delivery:
// starting it takes half a second.
//
// "-Command -" is the documented way to read commands from the standard input,
// one statement a line; no execution policy holds for it. Source: Microsoft,
// about_PowerShell_exe.
type powerShell struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	answers chan string
	end     chan struct{} // closed when the session's output is not read any more
	once    sync.Once
	asked   int
}

func powerShellArgs() []string {
	return []string{"-NoLogo", "-NoProfile", "-NonInteractive", "-Sta", "-Command", "-"}
}

func powerShellCommand(m desk.Machine, path string) *exec.Cmd {
	cmd := exec.Command(path, powerShellArgs()...)
	cmd.Env, cmd.WaitDelay = m.Env, 100*time.Millisecond
	cmd.SysProcAttr = proc.Hidden()
	return cmd
}

// startPowerShell starts a session and loads the script.
func startPowerShell(ctx context.Context, m desk.Machine, path string) (*powerShell, error) {
	cmd := powerShellCommand(m, path)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &powerShell{cmd: cmd, in: in, answers: make(chan string), end: make(chan struct{})}
	go s.read(out)
	if err := s.begin(ctx); err != nil {
		s.close()
		return nil, fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	return s, nil
}

// begin makes sure that scripts may do what this one does, before giving it.
func (s *powerShell) begin(ctx context.Context) error {
	mode, err := s.line(ctx, desk.ProgramWait, `"ralph 0 ok $($ExecutionContext.SessionState.LanguageMode)"`)
	if err != nil {
		return err
	}
	if mode != "FullLanguage" {
		return fmt.Errorf("this computer's policy allows scripts only the language mode %s", mode)
	}
	ctx, cancel := context.WithTimeout(ctx, desk.ProgramWait)
	defer cancel()
	return s.send(ctx, fmt.Sprintf(". ([ScriptBlock]::Create([Text.Encoding]::Unicode.GetString([Convert]::FromBase64String('%s'))))", utf16Base64(sendKeysScript)))
}

// ask sends a request, its words in quotes, and returns the answer.
func (s *powerShell) ask(ctx context.Context, wait time.Duration, request string, words ...string) (string, error) {
	s.asked++
	var b strings.Builder
	fmt.Fprintf(&b, "Ralph '%d' '%s'", s.asked, request)
	for _, word := range words {
		if strings.ContainsAny(word, "'\u2018\u2019\u201a\u201b\r\n") { // each of them ends a quoted word or the line
			return "", fmt.Errorf("the word %q cannot be given to PowerShell", word)
		}
		fmt.Fprintf(&b, " '%s'", word)
	}
	return s.line(ctx, wait, b.String())
}

// line sends a line and waits for the answer with the number of the last
// request. It skips all other lines.
func (s *powerShell) line(ctx context.Context, wait time.Duration, line string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	if err := s.send(ctx, line); err != nil {
		return "", err
	}
	for {
		select {
		case <-ctx.Done():
			return "", fmt.Errorf("no answer: %w", ctx.Err())
		case said, ok := <-s.answers:
			if !ok {
				return "", errors.New("it ended, or said too much, without an answer")
			}
			if answer, err, ours := s.answer(said); ours {
				return answer, err
			}
		}
	}
}

// send waits for a reader until ctx is done. A write that hangs ends when the
// session is closed.
func (s *powerShell) send(ctx context.Context, line string) error {
	written := make(chan error, 1)
	go func() {
		_, err := io.WriteString(s.in, line+"\n")
		written <- err
	}()
	select {
	case err := <-written:
		return err
	case <-ctx.Done():
		return fmt.Errorf("it does not read: %w", ctx.Err())
	}
}

// answer reports whether a line answers the last request, and how. A prompt may
// stand before the answer.
func (s *powerShell) answer(said string) (answer string, err error, ours bool) {
	_, rest, ours := strings.Cut(said, fmt.Sprintf("ralph %d ", s.asked))
	kind, words, _ := strings.Cut(strings.TrimSpace(rest), " ")
	switch {
	case ours && kind == "ok":
		return words, nil, true
	case ours && kind == "no":
		text, err := fromUTF16Base64(words)
		if err != nil {
			return "", err, true
		}
		return "", fmt.Errorf("%.300q", text), true
	}
	return "", nil, false
}

func (s *powerShell) read(out io.Reader) {
	defer close(s.answers)
	lines := bufio.NewScanner(io.LimitReader(out, answerLimit))
	for lines.Scan() {
		select {
		case s.answers <- lines.Text():
		case <-s.end:
			return
		}
	}
}

// close ends the session. It may be called twice.
func (s *powerShell) close() {
	s.once.Do(func() {
		close(s.end)
		_ = s.in.Close()
		_ = s.cmd.Process.Kill() // it may have ended by itself
		_ = s.cmd.Wait()         // killed, so its status does not matter
	})
}

// utf16Base64 packs text for a line: PowerShell's own text is UTF-16.
func utf16Base64(text string) string {
	var data []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		data = binary.LittleEndian.AppendUint16(data, unit)
	}
	return base64.StdEncoding.EncodeToString(data)
}

func fromUTF16Base64(word string) (string, error) {
	data, err := base64.StdEncoding.DecodeString(word)
	if err != nil {
		return "", err
	}
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(data[2*i:])
	}
	return string(utf16.Decode(units)), nil
}

// psDesk is Windows's desktop and keyboard through a session of PowerShell.
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
	switch {
	case err != nil:
		return nil, err
	case answer == "text":
		return psClip{d.session, "of what had been copied only the text was put back"}, nil
	case answer == "secret":
		return psClip{d.session, desk.PasswordLost}, nil
	case answer == "nothing":
		return psClip{d.session, "what had been copied was no text and could not be put back"}, nil
	}
	return psClip{d.session, ""}, nil
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

// psClip is the clipboard through a session.
type psClip struct {
	session *powerShell
	lost    string
}

// Fetched waits as long as reading takes: that cannot be observed.
func (psClip) Fetched(ctx context.Context) error { return desk.Sleep(ctx, desk.PasteWait) }

func (c psClip) Restore(ctx context.Context) (lost string, err error) {
	answer, err := c.session.ask(ctx, desk.ProgramWait, "Restore")
	if answer == "kept" {
		return "", err
	}
	return c.lost, err
}
