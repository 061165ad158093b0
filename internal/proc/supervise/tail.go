package supervise

import (
	"bytes"
	"cmp"
	"strings"
	"sync"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

const (
	maxLines = 60
	maxBytes = 8 << 10
)

// Tail keeps the end of what is written to it, as plain text: without terminal
// sequences, and of a line that was overwritten (a progress bar) the last version. Its
// size is bounded, however much is written.
type Tail struct {
	Lines int // to keep; 0 is 60
	Bytes int // to keep; 0 is 8 KiB

	mu       sync.Mutex // a reader that was given up may still write
	lines    []string   // the last complete lines
	size     int        // of these, with their newlines
	line     []byte     // the incomplete line, without sequences
	returned bool       // it ended with \r: the next character overwrites it
	in       sequence
}

// sequence is the state within a terminal sequence. It is kept from byte to byte, since a
// sequence may be longer than what is kept of a line, and may contain \r.
type sequence int

const (
	plain   sequence = iota
	escaped          // after ESC
	control          // in a CSI sequence, which a letter or the like ends
	command          // in an OSC sequence or the like, which BEL or ESC \ ends
)

// Write appends output. It never fails.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, b := range p {
		switch {
		case b == '\n': // also ends an incomplete sequence
			t.end()
		case t.in != plain || b == 0x1b:
			t.in = t.in.next(b)
		case b == '\r':
			t.returned = true
		case b == '\t' || b >= ' ' && b != 0x7f:
			t.add(b)
		}
	}
	return len(p), nil
}

func (s sequence) next(b byte) sequence {
	switch {
	case b == 0x1b:
		return escaped
	case s == escaped && b == '[':
		return control
	case s == escaped && strings.IndexByte("]PX^_", b) >= 0:
		return command
	case s == escaped && b >= ' ' && b <= '/': // selects a character set: one more byte follows
		return escaped
	case s == control && (b < '@' || b > '~'):
		return control
	case s == command && b != '\a':
		return command
	}
	return plain
}

func (t *Tail) limit() int { return cmp.Or(t.Lines, maxLines) }

func (t *Tail) bytes() int { return cmp.Or(t.Bytes, maxBytes) }

func (t *Tail) add(b byte) {
	switch {
	case t.returned:
		t.line, t.returned = t.line[:0], false
	case len(t.line) >= 2*t.bytes():
		t.line = append(t.line[:0], text.Tail(t.line, t.bytes())...)
	}
	t.line = append(t.line, b)
}

func (t *Tail) end() {
	t.lines = append(t.lines, t.text())
	t.size += len(t.lines[len(t.lines)-1]) + 1
	for len(t.lines) > t.limit() || len(t.lines) > 1 && t.size-len(t.lines[0])-1 >= t.bytes() {
		t.size -= len(t.lines[0]) + 1
		t.lines = t.lines[1:]
	}
	t.line, t.returned, t.in = t.line[:0], false, plain
}

func (t *Tail) text() string { return text.WithoutControls(string(text.Tail(t.line, t.bytes()))) }

// String returns the kept text, without trailing newlines.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := t.lines
	if len(bytes.TrimSpace(t.line)) > 0 {
		lines = append(lines[:len(lines):len(lines)], t.text())
		lines = lines[max(0, len(lines)-t.limit()):]
	}
	return strings.TrimRight(text.Tail(strings.Join(lines, "\n"), t.bytes()), "\n")
}
