package printmode

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/gate"
	"github.com/cursor-ralph/cursor-ralph/internal/tend"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/outer"
)

const (
	maxLine   = 16 << 20  // of a stream; a longer line is passed over
	maxText   = 256 << 10 // of what the assistant says at once: its end
	maxLines  = 20000     // of a text without a stream
	maxCalls  = 1000      // that have begun and not ended
	keptWords = 200       // of a command, and of what it said, in an error line, in characters
)

// parser takes one line of an agent's stream. What it does not know it ignores.
type parser func(t *turn, line []byte)

// turn is what one run of an agent tells.
type turn struct {
	Config
	see     func(outer.Seen)
	id      string // agents may count their calls from one again
	session string
	calls   map[string]call
	words   []byte    // of a message that goes on
	text    gate.Tail // of a program without a preset
	stray   gate.Tail // what is no part of the stream
	spoke   bool
	acted   bool // something was seen
	skipped bool // so was a line that is too long, but nobody knows what it says

	told     bool // the agent told its result
	failure  string
	status   int           // of HTTP, with the failure; 0 if it is not told
	after    time.Duration // when to try again
	lost     bool          // the session was not found
	lingered atomic.Bool   // the agent had told its result, and did not end
}

// call is a tool call.
type call struct {
	id, name, command, file string
	silent                  bool // of a subagent
}

func newTurn(c Config, see func(outer.Seen)) *turn {
	return &turn{
		Config: c, see: see, id: time.Now().UTC().Format("150405.000000"), calls: map[string]call{},
		text: gate.Tail{Lines: maxLines, Bytes: maxText},
	}
}

// read reads what the agent prints, to its end. One that has nothing more to say
// and does not end is ended.
func (t *turn) read(p *tend.Process) {
	end := time.AfterFunc(time.Hour, func() {
		t.lingered.Store(true)
		p.Stop(time.Second)
	})
	end.Stop()
	t.readLines(p.Stdout, func() { end.Reset(t.Linger) })
	end.Reset(t.Linger)
	<-p.Done()
	end.Stop()
}

// readLines calls idle when nothing more has to come.
func (t *turn) readLines(from io.Reader, idle func()) {
	r := bufio.NewReaderSize(from, 64<<10)
	for {
		line, whole, err := readLine(r)
		t.skipped = t.skipped || !whole
		if len(line) > 0 && whole {
			t.line(line)
		}
		if t.told {
			idle()
		}
		if err != nil {
			break
		}
	}
	t.flush()
	if t.Preset.parse == nil {
		t.say(t.text.String())
	}
}

func (t *turn) line(line []byte) {
	trimmed := bytes.TrimSpace(line)
	switch {
	case t.Preset.parse == nil:
		t.print(line)
	case len(trimmed) > 0 && trimmed[0] == '{':
		t.Preset.parse(t, trimmed)
	default:
		_, _ = t.stray.Write(line) // never fails
	}
}

// print takes a line of a program that prints text.
func (t *turn) print(line []byte) {
	t.acted = true
	shown := gate.Tail{Lines: 1, Bytes: maxText}
	_, _ = shown.Write(line)
	_, _ = t.text.Write(line)
	t.see(outer.Seen{Text: shown.String() + "\n"})
}

// readLine reads a line with its end. One that is too long is read and not kept;
// the last may be half of one.
func readLine(r *bufio.Reader) (line []byte, whole bool, err error) {
	whole = true
	for {
		part, err := r.ReadSlice('\n')
		if whole = whole && len(line)+len(part) <= maxLine; whole {
			line = append(line, part...)
		} else {
			line = nil
		}
		if err != bufio.ErrBufferFull {
			return line, whole, err
		}
	}
}

// name tells the session.
func (t *turn) name(session string) {
	if session == t.session || !isSession(session) {
		return
	}
	t.session = session
	t.see(outer.Seen{Session: session})
}

// isSession keeps from a command line what could be a flag.
func isSession(s string) bool {
	if s == "" || len(s) > 200 || !alphanumeric(rune(s[0])) {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool { return !alphanumeric(r) && !strings.ContainsRune("-_.:", r) })
}

func alphanumeric(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

// piece takes a part of a message, which flush makes a whole.
func (t *turn) piece(text string) {
	if text == "" {
		return
	}
	t.acted = true
	t.see(outer.Seen{Text: text})
	t.words = append(t.words, text...)
	if len(t.words) > 2*maxText {
		t.words = append(t.words[:0], t.words[len(t.words)-maxText:]...)
	}
}

func (t *turn) flush() {
	text := string(t.words)
	t.words = nil
	t.say(text)
}

// message takes a whole message of the assistant.
func (t *turn) message(text string) {
	t.flush()
	t.piece(text)
	t.flush()
}

func (t *turn) say(text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	t.spoke = true
	text = strings.ToValidUTF8(text[max(0, len(text)-maxText):], "\uFFFD")
	t.see(outer.Seen{Record: loop.Record{Kind: loop.RecordText, Text: text}})
}

// begin tells of a tool call, and remembers it.
func (t *turn) begin(c call) {
	t.flush()
	t.acted = true
	if len(t.calls) < maxCalls {
		t.calls[c.id] = c
	}
	t.see(outer.Seen{Tool: strings.TrimSpace(c.name + " " + firstLine(cmp.Or(c.command, c.file)))})
}

// finish records a tool call that has ended, with what went wrong.
func (t *turn) finish(c call, failure string) {
	t.flush()
	t.acted = true
	delete(t.calls, c.id)
	if c.silent {
		return
	}
	r := loop.Record{Kind: loop.RecordTool, ID: t.id + " " + c.id, Tool: cmp.Or(c.name, "tool"), Error: firstLine(failure)}
	switch {
	case failure != "":
		r.Command = fmt.Sprintf("%.*s", keptWords, c.command)
	case c.file != "" && writes(c.name):
		r.File = t.absolute(c.file)
	}
	t.see(outer.Seen{Record: r, Command: c.command})
}

func (t *turn) absolute(file string) string {
	if filepath.IsAbs(file) {
		return filepath.Clean(file)
	}
	return filepath.Join(t.Dir, file)
}

// writes tells whether a tool of this name changes a file that it names.
func writes(tool string) bool {
	tool = strings.ToLower(tool)
	for _, verb := range []string{"write", "edit", "replace", "delete", "patch"} {
		if strings.Contains(tool, verb) {
			return true
		}
	}
	return false
}

// exited is the failure of a command, the same for one that fails in the same
// way.
func exited(command string, code int, output string) string {
	if code == 0 {
		return ""
	}
	output = strings.TrimSpace(output)
	last := output[strings.LastIndexByte(output, '\n')+1:]
	return fmt.Sprintf("%.*s exited with %d: %.*s", keptWords, firstLine(command), code, keptWords, last)
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(line)
}

// succeed takes the agent's word that its turn is over. An error that it told
// before was none that ended it.
func (t *turn) succeed() {
	t.flush()
	t.told, t.failure, t.status, t.after = true, "", 0, 0
}

// fail takes an error that may be the end.
func (t *turn) fail(failure string, status int) {
	t.flush()
	t.failure = cmp.Or(strings.TrimSpace(unpacked(failure)), t.failure, "it does not say what went wrong")
	t.status = cmp.Or(status, t.status)
}

// unpacked gives the words of an error that a service answered with in JSON.
func unpacked(failure string) string {
	var e struct {
		Error struct {
			Message text `json:"message"`
		} `json:"error"`
	}
	inner := strings.TrimSuffix(strings.TrimPrefix(failure, "[API Error: "), "]")
	if json.Unmarshal([]byte(inner), &e) == nil && e.Error.Message != "" {
		return string(e.Error.Message)
	}
	return failure
}
