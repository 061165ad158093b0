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
	"strings"
	"sync"
	"time"
	"unicode/utf16"

	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
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

func powerShellCommand(m desk.Machine, path string) *exec.Cmd {
	cmd := exec.Command(path, "-NoLogo", "-NoProfile", "-NonInteractive", "-Sta", "-Command", "-")
	cmd.Env, cmd.WaitDelay = m.Env, 100*time.Millisecond
	cmd.SysProcAttr = proc.Hidden()
	return cmd
}

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
