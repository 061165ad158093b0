package desk

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
	"syscall"
	"time"
	"unicode/utf16"

	"github.com/cursor-ralph/cursor-ralph/internal/proc"
)

// sendKeysScript defines the requests of a session.
//
//go:embed sendkeys.ps1
var sendKeysScript string

// SendKeys works Windows by Windows PowerShell, also from WSL.
func SendKeys(ctx context.Context, m Machine) (Desk, error) {
	path, err := findPowerShell(m)
	if err != nil {
		return Desk{}, err
	}
	s, err := startPowerShell(ctx, m, path)
	if errors.Is(err, syscall.ENOEXEC) {
		return Desk{}, errors.New("this WSL cannot start Windows programs: set enabled = true under [interop] in /etc/wsl.conf, then run wsl --shutdown on Windows")
	}
	if err != nil {
		return Desk{}, err
	}
	return Desk{
		Probe: s.probe, Windows: s.windows, Front: s.front, Raise: s.raise, Press: s.press, Idle: s.idle, Close: s.close,
		Boards: []Board{{"clipboard", s.content, s.copy}},
	}, nil
}

// findPowerShell looks where Windows's own disk is mounted too, for the PATH of WSL
// may lack Windows's folders: appendWindowsPath in /etc/wsl.conf. Source:
// Microsoft, "Advanced settings configuration in WSL".
func findPowerShell(m Machine) (string, error) {
	if m.OS != "windows" && m.Desktop.WSL == 0 {
		return "", errors.New("this works on Windows and WSL only")
	}
	if path, err := m.LookPath("powershell.exe"); err == nil {
		return path, nil
	}
	const folder = "System32/WindowsPowerShell/v1.0/powershell.exe"
	folders := []string{"/mnt/c/Windows", "/c/Windows"}
	if m.OS == "windows" {
		folders = []string{m.Getenv("SystemRoot")}
	}
	for _, f := range folders {
		if path, err := exec.LookPath(filepath.Join(f, filepath.FromSlash(folder))); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("powershell.exe is neither on the PATH nor in %s", strings.Join(folders, " or "))
}

// The patience with PowerShell.
const (
	loadWait    = 15 * time.Second // it compiles the calls of user32 when asked first
	answerLimit = 8 << 20          // bytes that one session may say
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
	loaded  bool
}

func powerShellCommand(m Machine, path string) *exec.Cmd {
	cmd := exec.Command(path, "-NoLogo", "-NoProfile", "-NonInteractive", "-Sta", "-Command", "-")
	cmd.Env, cmd.WaitDelay = m.Env, 100*time.Millisecond
	cmd.SysProcAttr = proc.Hidden()
	return cmd
}

func startPowerShell(ctx context.Context, m Machine, path string) (*powerShell, error) {
	cmd := powerShellCommand(m, path)
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
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

// begin makes sure that scripts may do what this one does, before sending it.
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

// probe only asks for the editor's processes: compiling the calls of user32, which
// finding windows needs, takes too long.
func (s *powerShell) probe(ctx context.Context, editors []string) (bool, error) {
	answer, err := s.ask(ctx, "Editors", utf16Base64(strings.Join(editors, ",")))
	return answer != "0", err
}

func (s *powerShell) windows(ctx context.Context, editors []string) (found []Window, err error) {
	answer, err := s.ask(ctx, "Windows", utf16Base64(strings.Join(editors, ",")))
	for line := range strings.FieldsFuncSeq(answer, func(r rune) bool { return r == ';' }) {
		w, err := psWindow(line)
		if err != nil {
			return nil, err
		}
		found = append(found, w)
	}
	return found, err
}

// psWindow reads "window process program title".
func psWindow(line string) (Window, error) {
	parts := strings.Split(line, " ")
	if len(parts) != 4 {
		return Window{}, fmt.Errorf("%.100q is no window", line)
	}
	_, err1 := strconv.ParseInt(parts[0], 10, 64)
	pid, err2 := strconv.Atoi(parts[1])
	program, err3 := fromUTF16Base64(parts[2])
	title, err4 := fromUTF16Base64(parts[3])
	return Window{ID: parts[0], Title: title, PID: pid, Programs: []string{program}}, errors.Join(err1, err2, err3, err4)
}

func (s *powerShell) front(ctx context.Context) (Window, error) {
	answer, err := s.ask(ctx, "Front")
	if err != nil {
		return Window{}, err
	}
	if answer == "none" {
		return Window{}, ErrNoFront
	}
	return psWindow(answer)
}

func (s *powerShell) raise(ctx context.Context, w Window) error {
	_, err := s.ask(ctx, "Raise", w.ID)
	return err
}

// psKeys are SendKeys's own words, which are the same on every layout.
var psKeys = map[Key]string{Paste: "+{INSERT}", Return: "{ENTER}", CtrlEnter: "^{ENTER}"}

// press has the script look at the focus once more, in one request with the keys.
func (s *powerShell) press(ctx context.Context, w Window, k Key, ready func() error) error {
	keys, ok := psKeys[k]
	if !ok {
		return errors.Join(ErrLostFocus, errNoKey)
	}
	if err := ready(); err != nil {
		return err
	}
	answer, err := s.ask(ctx, "Press", w.ID, strconv.Itoa(w.PID), keys)
	switch {
	case err != nil:
		return err
	case answer == "held":
		return fmt.Errorf("a modifier key is held down, %w", ErrLostFocus)
	case answer != "pressed":
		return ErrLostFocus
	}
	return nil
}

func (s *powerShell) idle(ctx context.Context) (time.Duration, error) {
	answer, err := s.ask(ctx, "Idle")
	if err != nil {
		return 0, err
	}
	ms, err := strconv.ParseUint(answer, 10, 32)
	return time.Duration(ms) * time.Millisecond, err
}

func (s *powerShell) content(ctx context.Context) (Content, error) {
	answer, err := s.ask(ctx, "Get")
	if err != nil {
		return Content{}, err
	}
	first, second, _ := strings.Cut(answer, ";")
	types, err1 := fromUTF16Base64(first)
	text, err2 := fromUTF16Base64(second)
	return Content{text, strings.FieldsFunc(types, func(r rune) bool { return r == '\n' })}, errors.Join(err1, err2)
}

func (s *powerShell) copy(ctx context.Context, text string) error {
	_, err := s.ask(ctx, "Set", utf16Base64(text))
	return err
}

// ask asks for a request of the script. The calls of user32 are made before the
// first one that needs them.
func (s *powerShell) ask(ctx context.Context, request string, words ...string) (string, error) {
	if !s.loaded && request != "Editors" {
		if _, err := s.request(ctx, loadWait, "Load"); err != nil {
			return "", fmt.Errorf("PowerShell cannot make the calls of user32: %w", err)
		}
		s.loaded = true
	}
	return s.request(ctx, programWait, request, words...)
}

func (s *powerShell) request(ctx context.Context, wait time.Duration, request string, words ...string) (string, error) {
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
	lines.Buffer(nil, answerLimit)
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
