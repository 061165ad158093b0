package printmode

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/proc/supervise"
	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/internal/toolcall"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/outer"
)

const (
	maxLine  = 16 << 20  // bytes of a line; a longer one is skipped
	maxText  = 256 << 10 // bytes kept of plain text, and of a line that is too long
	maxLines = 20000     // lines kept of plain text
	maxCalls = 1000      // open tool calls
)

const unknownFailure = "it failed"

// parser handles one line of an agent's stream. It ignores what it does not know.
type parser func(t *turn, line []byte)

type turn struct {
	Config
	see     func(outer.Seen)
	session string
	calls   map[string]call // the open ones
	said    outer.Message   // that is being received
	plain   supervise.Tail  // of an agent without a preset
	noise   supervise.Tail  // lines that are not part of the stream
	spoke   bool
	acted   bool // the agent said or did something
	skipped bool // a line was too long: it may have been the result

	hasResult   bool // the agent reported the end of its turn
	failure     string
	status      int           // HTTP status of the failure, or 0
	retryAfter  time.Duration // 0 if unknown
	lostSession bool
	lingered    atomic.Bool // we ended the agent some time after its result

	tokens *loop.Tokens // of this run; nil is unknown
	total  *loop.Tokens // of the session, by an agent that reports that
	before *loop.Tokens // total of the run before
}

type call struct {
	id, name, command, file string
	bySubagent              bool
}

func (c call) withInput(in toolcall.Input) call {
	c.command, c.file = in.Command, in.File
	return c
}

func newTurn(c Config, see func(outer.Seen)) *turn {
	return &turn{Config: c, see: see, calls: map[string]call{}, plain: supervise.Tail{Lines: maxLines, Bytes: maxText}}
}

// read reads the agent's output and waits for its end. An agent that has reported
// its result and does not exit is ended. One that closes its output without a
// result may continue to work.
func (t *turn) read(p *supervise.Process) {
	end := time.AfterFunc(time.Hour, func() {
		t.lingered.Store(true)
		p.Stop(time.Second)
	})
	end.Stop()
	t.readLines(p.Stdout, func() { end.Reset(t.Linger) })
	if t.hasResult {
		end.Reset(t.Linger)
	}
	<-p.Done()
	end.Stop()
}

func (t *turn) readLines(from io.Reader, onResult func()) {
	r := bufio.NewReaderSize(from, 64<<10)
	for {
		line, whole, err := readLine(r)
		t.skipped = t.skipped || !whole
		if len(line) > 0 && (whole || t.Preset.parse == nil) {
			t.onLine(line)
		}
		if t.hasResult {
			onResult()
		}
		if err != nil {
			break
		}
	}
	t.said.Add(t.plain.String())
	t.endMessage()
}

func (t *turn) onLine(line []byte) {
	trimmed := bytes.TrimSpace(line)
	switch {
	case t.Preset.parse == nil:
		t.onPlainLine(line)
	case len(trimmed) > 0 && trimmed[0] == '{':
		t.Preset.parse(t, trimmed)
	default:
		_, _ = t.noise.Write(line) // never fails
	}
}

func (t *turn) onPlainLine(line []byte) {
	t.acted = true
	shown := supervise.Tail{Lines: 1, Bytes: maxText}
	_, _ = shown.Write(line) // a Tail never fails
	_, _ = t.plain.Write(line)
	t.see(outer.Seen{Text: shown.String() + "\n"})
}

// readLine reads a line with its newline. whole is false if the line was too long
// and only its end is returned.
func readLine(r *bufio.Reader) (line []byte, whole bool, err error) {
	whole = true
	for {
		part, err := r.ReadSlice('\n')
		if line = append(line, part...); len(line) > maxLine {
			line, whole = append([]byte(nil), line[len(line)-maxText:]...), false
		}
		if err != bufio.ErrBufferFull {
			return line, whole, err
		}
	}
}

func (t *turn) setSession(session string) {
	if session == t.session || !validSession.MatchString(session) {
		return
	}
	t.session = session
	t.see(outer.Seen{Session: session})
}

// validSession matches nothing that could be a flag: the session becomes an argument.
var validSession = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.:-]{0,199}$`)

// addPiece adds a part of a message. endMessage completes it.
func (t *turn) addPiece(text string) {
	if text == "" {
		return
	}
	t.acted = true
	t.see(outer.Seen{Text: text})
	t.said.Add(text)
}

func (t *turn) endMessage() {
	if r := t.said.End(); r.Kind != "" {
		t.spoke = true
		t.see(outer.Seen{Record: r})
	}
}

func (t *turn) addMessage(text string) {
	t.endMessage()
	t.addPiece(text)
	t.endMessage()
}

// beginTool shows a tool call and remembers it. With input, the call's command and
// file come from it.
func (t *turn) beginTool(c call, input []byte) call {
	t.endMessage()
	t.acted = true
	plan := ""
	if input != nil {
		in := toolcall.ReadInput(input)
		c, plan = c.withInput(in), in.Plan
	}
	if len(t.calls) < maxCalls {
		t.calls[c.id] = c
	}
	t.see(outer.Seen{Tool: strings.TrimSpace(c.name + " " + text.First(cmp.Or(c.command, c.file)))})
	if plan != "" && !c.bySubagent {
		t.see(outer.Seen{Plan: plan})
	}
	return c
}

// endTool records a finished tool call; failure is empty if it succeeded.
func (t *turn) endTool(c call, failure string) {
	t.endMessage()
	t.acted = true
	delete(t.calls, c.id)
	if c.bySubagent {
		return
	}
	r := loop.Record{Kind: loop.RecordTool, ID: c.id, Tool: cmp.Or(c.name, "tool"), Error: text.First(failure)}
	switch {
	case failure != "":
		r.Command = toolcall.Head(c.command)
	case c.file != "" && toolcall.Writes(c.name):
		r.File = filepath.Clean(c.file)
		if !filepath.IsAbs(c.file) {
			r.File = filepath.Join(t.Dir, c.file)
		}
	}
	t.see(outer.Seen{Record: r, Command: c.command})
}

// succeed ends the turn well. Earlier errors did not end it.
func (t *turn) succeed() {
	t.endMessage()
	t.hasResult, t.failure, t.status, t.retryAfter = true, "", 0, 0
}

// fail remembers an error that may turn out to be the end.
func (t *turn) fail(failure string, status int) {
	t.endMessage()
	t.failure = cmp.Or(strings.TrimSpace(errorMessage(failure)), t.failure, "unknown error")
	t.status = cmp.Or(status, t.status)
}

func errorMessage(failure string) string {
	var e struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	inner := strings.TrimSuffix(strings.TrimPrefix(failure, "[API Error: "), "]")
	if json.Unmarshal([]byte(inner), &e) == nil && e.Error.Message != "" {
		return e.Error.Message
	}
	return failure
}
