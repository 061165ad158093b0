package keystroke

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
)

// sendKeysScript defines what a session is asked.
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
	end     chan struct{} // the session's output has ended, or nobody listens any more
	once    sync.Once
	asked   int
}

func powerShellArgs() []string {
	return []string{"-NoLogo", "-NoProfile", "-NonInteractive", "-Sta", "-Command", "-"}
}

func powerShellCommand(m Machine, path string) *exec.Cmd {
	cmd := exec.Command(path, powerShellArgs()...)
	cmd.Env, cmd.WaitDelay = m.Env, 100*time.Millisecond
	hide(cmd)
	return cmd
}

// startPowerShell starts a session and gives it the script.
func startPowerShell(ctx context.Context, m Machine, path string) (*powerShell, error) {
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
	mode, err := s.line(ctx, programWait, `"ralph 0 ok $($ExecutionContext.SessionState.LanguageMode)"`)
	if err != nil {
		return err
	}
	if mode != "FullLanguage" {
		return fmt.Errorf("this computer's policy allows scripts only the language mode %s", mode)
	}
	ctx, cancel := context.WithTimeout(ctx, programWait)
	defer cancel()
	return s.send(ctx, fmt.Sprintf(". ([ScriptBlock]::Create([Text.Encoding]::Unicode.GetString([Convert]::FromBase64String('%s'))))", utf16Base64(sendKeysScript)))
}

// ask sends a request, its words in quotes, and gives the answer.
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
// request. Whatever else is said is passed over.
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

// answer tells whether what was said answers the last request, and how. A
// prompt may stand before it.
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
		_ = s.cmd.Wait()         // how a killed program ends says nothing
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
	focus   Chord // the target's FocusKeys
	leave   Chord // pressed before focus; none if its key is empty
}

func (d psDesk) windows(ctx context.Context, t Target) ([]window, error) {
	answer, err := d.session.ask(ctx, programWait, "Windows", utf16Base64(strings.Join(t.Editors, ",")))
	if err != nil {
		return nil, err
	}
	var found []window
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
func parsePSWindow(line string) (window, error) {
	parts := strings.Split(line, " ")
	if len(parts) != 3 {
		return window{}, fmt.Errorf("%.100q is no window", line)
	}
	_, notWindow := strconv.ParseInt(parts[0], 10, 64)
	pid, notPID := strconv.Atoi(parts[1])
	title, notTitle := fromUTF16Base64(parts[2])
	return window{id: parts[0], title: title, pid: pid}, errors.Join(notWindow, notPID, notTitle)
}

func (d psDesk) front(ctx context.Context) (window, error) {
	answer, err := d.session.ask(ctx, programWait, "Front")
	if err != nil {
		return window{}, err
	}
	return parsePSWindow(answer)
}

func (d psDesk) focused(ctx context.Context, w window) (bool, error) {
	answer, err := d.session.ask(ctx, programWait, "Focused", w.id, strconv.Itoa(w.pid))
	return answer == "True", err
}

func (d psDesk) activate(ctx context.Context, w window) error {
	_, err := d.session.ask(ctx, programWait, "Activate", w.id)
	return err
}

func (d psDesk) idle(ctx context.Context) (time.Duration, error) {
	answer, err := d.session.ask(ctx, programWait, "Idle")
	if err != nil {
		return 0, err
	}
	ms, err := strconv.ParseUint(answer, 10, 32)
	return time.Duration(ms) * time.Millisecond, err
}

func (d psDesk) put(ctx context.Context, _ window, line string) (clip, error) {
	answer, err := d.session.ask(ctx, programWait, "Put", utf16Base64(line))
	switch {
	case err != nil:
		return nil, err
	case answer == "text":
		return psClip{d.session, "of what had been copied only the text was put back"}, nil
	case answer == "secret":
		return psClip{d.session, passwordLost}, nil
	case answer == "nothing":
		return psClip{d.session, "what had been copied was no text and could not be put back"}, nil
	}
	return psClip{d.session, ""}, nil
}

// press asks for check and keys in one request. From the second request on keys
// were pressed, whatever the answer: it must not be taken for one after which
// to begin again.
func (d psDesk) press(ctx context.Context, w window, c Chord) error {
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

func (d psDesk) request(ctx context.Context, w window, r psRequest) error {
	answer, err := d.session.ask(ctx, programWait, r.name, w.id, strconv.Itoa(w.pid), r.keys)
	switch {
	case err != nil:
		return err
	case answer == "held":
		return fmt.Errorf("a modifier key is held down, %w", errLostFocus)
	case answer != "pressed":
		return errLostFocus
	}
	return nil
}

type psRequest struct{ name, keys string }

// requests gives what is asked for a chord. The two that matter are SendKeys's
// own words, which are the same on every layout.
func (d psDesk) requests(c Chord) []psRequest {
	switch {
	case c == pasteChord:
		return []psRequest{{"Type", "+{INSERT}"}}
	case c == returnChord:
		return []psRequest{{"Type", "{ENTER}"}}
	case c == d.focus && d.leave.Key != "":
		return []psRequest{{"Press", d.leave.virtualCodes()}, {"Press", c.virtualCodes()}}
	}
	return []psRequest{{"Press", c.virtualCodes()}}
}

// virtualCodes writes a chord as its virtual keys. A key that there is not is 0, which
// Windows ignores; ParseChord lets none through.
func (c Chord) virtualCodes() string {
	var b strings.Builder
	for _, vk := range c.modifiers() {
		fmt.Fprintf(&b, "%d,", vk)
	}
	key, _ := virtualKey(c.Key)
	return b.String() + strconv.Itoa(int(key))
}

// psClip is the clipboard through a session.
type psClip struct {
	session *powerShell
	lost    string
}

// fetched waits as long as reading takes: nobody tells.
func (psClip) fetched(ctx context.Context) error { return sleep(ctx, pasteWait) }

func (c psClip) restore(ctx context.Context) (lost string, err error) {
	answer, err := c.session.ask(ctx, programWait, "Restore")
	if answer == "kept" {
		return "", err
	}
	return c.lost, err
}
