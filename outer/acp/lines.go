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
	maxMessage  = 8 << 20 // bytes; the SDK gives up above 10 MiB
	maxRequests = 256     // of the agent without an answer
	peeked      = 512     // bytes of an overlong line that show whether it may be skipped
)

var (
	errTooLong = errors.New("the agent sent a message of more than 8 MiB")
	errTooMany = errors.New("the agent sent more than 256 requests at once")
)

// lines filters what the agent sends before the SDK's connection reads it. Updates
// are handled here, in order: the connection would close after a thousand that
// wait. Lines that are not messages are noise, such as log output.
type lines struct {
	from     *bufio.Reader
	to       io.Writer
	ready    chan struct{} // closed when the connection may read
	onUpdate func(params json.RawMessage)
	noise    io.Writer
	rest     []byte // of the line that is being read
	open     atomic.Int64
	failed   atomic.Pointer[error]
	unread   atomic.Bool // the agent reads no more: it is about to end
}

type envelope struct {
	ID     *json.RawMessage `json:"id"`
	Method string           `json:"method"`
	Params json.RawMessage  `json:"params"`
}

// Read returns messages for the connection.
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

// line returns the next line, or nil if it is not for the connection.
func (l *lines) line() ([]byte, error) {
	line, err := l.next()
	if err != nil {
		return nil, err
	}
	var m envelope
	switch err := json.Unmarshal(line, &m); {
	case err != nil:
		_, _ = l.noise.Write(line) // a tail never fails
		return nil, nil
	case m.ID == nil && m.Method == "session/update":
		l.onUpdate(m.Params)
		return nil, nil
	case m.ID != nil && m.Method != "" && l.open.Add(1) > maxRequests:
		return nil, errTooMany
	case m.ID == nil && m.Method != "$/cancel_request":
		return nil, nil // an unknown notification
	}
	return line, nil
}

// next reads a line. A line without an end is noise.
func (l *lines) next() ([]byte, error) {
	var line []byte
	for {
		part, err := l.from.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case err == nil:
			return line, nil
		case len(line) > maxMessage:
			return nil, l.skip(line[:peeked])
		case !errors.Is(err, bufio.ErrBufferFull):
			_, _ = l.noise.Write(line) // a tail never fails
			return nil, err
		}
	}
}

// skip skips the rest of an overlong line. An update may be skipped, an answer may
// not.
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

// Write sends one message of the connection.
func (l *lines) Write(p []byte) (int, error) {
	var m envelope
	if err := json.Unmarshal(p, &m); err == nil && m.Method == "" {
		l.open.Add(-1)
	}
	n, err := l.to.Write(p)
	if err != nil {
		l.unread.Store(true)
	}
	return n, err
}
