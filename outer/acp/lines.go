package acp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sync/atomic"
)

const (
	longest  = 8 << 20 // of a message; the SDK gives up above 10 MiB
	atOnce   = 256     // requests of the agent that are not answered yet
	glimpsed = 512     // bytes of an overlong line that tell whether it can be missed
)

var (
	errTooLong = errors.New("the agent sent a message of more than 8 MiB")
	errTooMany = errors.New("the agent sent more than 256 requests at once")
)

// lines stands between the agent and the connection. What the agent tells of a
// turn is handed on from here, one after the other: the connection would end
// itself over a thousand that wait. What is no message is noise, as a program
// that was not written for this prints it.
type lines struct {
	from   *bufio.Reader
	to     io.Writer
	ready  chan struct{} // closed when the connection may read
	update func(params json.RawMessage)
	noise  io.Writer
	rest   []byte // of the line that is being read
	open   atomic.Int64
	failed atomic.Pointer[error]
}

// envelope is what tells messages apart.
type envelope struct {
	ID     *json.RawMessage `json:"id"`
	Method string           `json:"method"`
	Params json.RawMessage  `json:"params"`
}

// Read gives the connection what it is to handle.
func (l *lines) Read(p []byte) (int, error) {
	<-l.ready
	for len(l.rest) == 0 {
		line, err := l.line()
		if err != nil {
			l.failed.CompareAndSwap(nil, &err)
			return 0, err
		}
		l.rest = line
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// line gives the next line that is for the connection, and nil for one that is not.
func (l *lines) line() ([]byte, error) {
	line, err := l.next()
	if err != nil {
		return nil, err
	}
	var m envelope
	switch err := json.Unmarshal(line, &m); {
	case err != nil:
		_, _ = l.noise.Write(line) // a tail takes everything
		return nil, nil
	case m.ID == nil && m.Method == "session/update":
		l.update(m.Params)
		return nil, nil
	case m.ID != nil && m.Method != "" && l.open.Add(1) > atOnce:
		return nil, errTooMany
	case m.ID == nil && m.Method != "$/cancel_request":
		return nil, nil // a notification that nobody here knows
	}
	return line, nil
}

// next reads a line. One without an end is noise too: it is half a message.
func (l *lines) next() ([]byte, error) {
	var line []byte
	for {
		part, err := l.from.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case err == nil:
			return line, nil
		case len(line) > longest:
			return nil, l.skip(line[:glimpsed])
		case !errors.Is(err, bufio.ErrBufferFull):
			_, _ = l.noise.Write(line)
			return nil, err
		}
	}
}

// skip passes over the rest of a line that is too long. A part of what the agent
// tells can be missed, an answer cannot.
func (l *lines) skip(begin []byte) error {
	if !bytes.Contains(begin, []byte(`"session/update"`)) {
		return errTooLong
	}
	for {
		if _, err := l.from.ReadSlice('\n'); !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}

// Write passes on what the connection sends: each call is one message.
func (l *lines) Write(p []byte) (int, error) {
	var m envelope
	if err := json.Unmarshal(p, &m); err == nil && m.Method == "" {
		l.open.Add(-1)
	}
	return l.to.Write(p)
}
