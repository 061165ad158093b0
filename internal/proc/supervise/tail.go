package supervise

import (
	"bytes"
	"cmp"
	"strings"
	"sync"

	"github.com/charmbracelet/x/ansi"

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
	line     []byte     // the incomplete line
	returned bool       // it ended with \r: the next byte overwrites it
}

// Write appends output. It never fails.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, b := range p {
		switch b {
		case '\n':
			t.end()
		case '\r':
			t.returned = true
		default:
			t.add(b)
		}
	}
	return len(p), nil
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
	t.lines = append(t.lines, t.plain())
	t.size += len(t.lines[len(t.lines)-1]) + 1
	for len(t.lines) > t.limit() || len(t.lines) > 1 && t.size-len(t.lines[0])-1 >= t.bytes() {
		t.size -= len(t.lines[0]) + 1
		t.lines = t.lines[1:]
	}
	t.line, t.returned = t.line[:0], false
}

// plain returns the incomplete line as text.
func (t *Tail) plain() string {
	return text.Tail(text.WithoutControls(ansi.Strip(strings.ToValidUTF8(string(t.line), "\uFFFD"))), t.bytes())
}

// String returns the kept text, without trailing newlines.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := t.lines
	if len(bytes.TrimSpace(t.line)) > 0 {
		lines = append(lines[:len(lines):len(lines)], t.plain())
		lines = lines[max(0, len(lines)-t.limit()):]
	}
	return strings.TrimRight(text.Tail(strings.Join(lines, "\n"), t.bytes()), "\n")
}
