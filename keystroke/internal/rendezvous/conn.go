package rendezvous

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// The patience with a window.
const (
	helloWait   = 2 * time.Second // an editor under load takes its time
	findWait    = 5 * time.Second
	deliverWait = 25 * time.Second // more than all steps of the extension may take, after the user has paused
	checkWait   = 2 * time.Second
	lineLimit   = 64 << 10
)

// ErrSilent is of a window that does not answer in time: it is busy, or hangs.
var ErrSilent = errors.New("no answer in time")

// Window is a connection with a window. It is used by one goroutine.
type Window struct {
	conn io.ReadWriteCloser
	in   *bufio.Scanner
	ids  int
}

// message is a line of either side. The fields of all messages are here.
type message struct {
	Type         string   `json:"type"`
	Version      int      `json:"version,omitempty"`
	Token        string   `json:"token,omitempty"`
	ID           int      `json:"id,omitempty"`
	Method       string   `json:"method,omitempty"`
	Conversation string   `json:"conversation,omitempty"`
	Line         string   `json:"line,omitempty"`
	Confirm      bool     `json:"confirm,omitempty"`
	Rested       bool     `json:"rested,omitempty"`
	OK           bool     `json:"ok,omitempty"`
	Code         string   `json:"code,omitempty"`
	Reason       string   `json:"reason,omitempty"`
	Touched      bool     `json:"touched,omitempty"`
	Step         string   `json:"step,omitempty"`
	Result       string   `json:"result,omitempty"`
	Place        Place    `json:"place,omitempty"`
	Focused      bool     `json:"focused,omitempty"`
	Folders      []string `json:"folders,omitempty"`
	Creates      bool     `json:"creates,omitempty"`
}

// Place is where a window has a chat.
type Place string

// The places of a chat.
const (
	Front   Place = "front"   // it is the one that the user sees
	Shown   Place = "shown"   // it is open, behind another
	Unknown Place = "unknown" // the window does not show it
)

// Found is what a window says of a chat.
type Found struct {
	Place   Place
	Focused bool     // the window has the focus
	Folders []string // that it has open
	Creates bool     // it can create a chat
}

// RefusedError is an answer of a window that did not do what it should.
type RefusedError struct {
	Code, Reason string
	// Touched reports whether the line may be in some input already.
	Touched bool
}

// Left is the Code of a chat in whose input an earlier line may still be. The user has to
// send it, who sees the input.
const Left = "left"

// UserBusy is the Code of a window whose user is at work, such as in a box of the extension.
const UserBusy = "user-busy"

// Error returns the reason of the window, printable.
func (e *RefusedError) Error() string { return fmt.Sprintf("%.40q: %.300q", e.Code, e.Reason) }

// Dial connects to a window, which serves only whoever knows its token.
func Dial(ctx context.Context, a Announcement) (*Window, error) {
	ctx, cancel := context.WithTimeout(ctx, helloWait)
	defer cancel()
	conn, err := dial(ctx, a.Address)
	if err != nil {
		return nil, err
	}
	w := &Window{conn: conn, in: bufio.NewScanner(conn)}
	w.in.Buffer(nil, lineLimit)
	if err := w.within(ctx, func() error { return w.authenticate(a.Token) }); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// Close ends the connection. A request that is in progress is withdrawn.
func (w *Window) Close() error { return w.conn.Close() }

// authenticate shows the token. The socket is in a folder that is ours alone, so
// whoever listens there is ours.
func (w *Window) authenticate(token string) error {
	if err := w.write(message{Type: "hello", Version: version, Token: token}); err != nil {
		return err
	}
	answer, err := w.read()
	switch {
	case err != nil:
		return err
	case answer.Type != "hello":
		return &RefusedError{Code: answer.Code, Reason: answer.Reason}
	case answer.Version != version:
		return fmt.Errorf("the extension speaks version %d and we version %d", answer.Version, version)
	}
	return nil
}

// Find asks where a window has a chat. A window that cannot tell returns a
// *RefusedError, and its folders nevertheless.
func (w *Window) Find(ctx context.Context, conversation string) (Found, error) {
	answer, err := w.request(ctx, findWait, message{Method: "find", Conversation: conversation}, nil)
	return Found{answer.Place, answer.Focused, answer.Folders, answer.Creates}, err
}

// Delivery is what Deliver puts where.
type Delivery struct {
	Conversation, Line string
	Rested             bool                      // the user has been waited for
	Step               func(name, result string) // gets what was done
	Permit             func() error              // is asked before the focus moves and before the line is put in
}

// Deliver has the window show a chat, focus its input and put a line into it. After
// an error that is no *RefusedError the line may be in the input.
func (w *Window) Deliver(ctx context.Context, d Delivery) error { return w.put(ctx, "deliver", d) }

// Create has the window create a chat that begins with a line, in which the loop of
// the conversation goes on. Its errors are as those of Deliver.
func (w *Window) Create(ctx context.Context, d Delivery) error { return w.put(ctx, "create", d) }

func (w *Window) put(ctx context.Context, method string, d Delivery) error {
	var forbidden error
	answers := map[string]func(message) error{
		"step": func(m message) error { d.Step(m.Step, m.Result); return nil },
		"confirm": func(m message) error {
			forbidden = d.Permit()
			return w.write(message{Type: "confirm", ID: m.ID, OK: forbidden == nil})
		},
	}
	_, err := w.request(ctx, deliverWait, message{Method: method, Conversation: d.Conversation, Line: d.Line, Confirm: true, Rested: d.Rested}, answers)
	return errors.Join(forbidden, err)
}

// Check returns why the focus may not be in the chat any more.
func (w *Window) Check(ctx context.Context, conversation string) error {
	_, err := w.request(ctx, checkWait, message{Method: "check", Conversation: conversation}, nil)
	return err
}

// Ask has the window ask its user to press the submit key.
func (w *Window) Ask(ctx context.Context, conversation string) error {
	_, err := w.request(ctx, checkWait, message{Method: "ask", Conversation: conversation}, nil)
	return err
}

// Sent tells the window that the line has left the input of the chat.
func (w *Window) Sent(ctx context.Context, conversation string) error {
	_, err := w.request(ctx, checkWait, message{Method: "sent", Conversation: conversation}, nil)
	return err
}

// request sends a request and returns its result. What the window says before that
// is answered by its type.
func (w *Window) request(ctx context.Context, wait time.Duration, m message, answers map[string]func(message) error) (answer message, err error) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	w.ids++
	m.Type, m.ID = "request", w.ids
	err = w.within(ctx, func() error {
		if err := w.write(m); err != nil {
			return err
		}
		for {
			if answer, err = w.read(); err != nil {
				return err
			}
			reply := answers[answer.Type]
			if reply == nil {
				return answer.refusal(m.ID)
			}
			if err := reply(answer); err != nil {
				return err
			}
		}
	})
	return answer, err
}

// refusal returns why a message is no good answer to a request.
func (m message) refusal(id int) error {
	switch {
	case m.Type == "error":
		return &RefusedError{m.Code, m.Reason, true} // it need not be about the request
	case m.Type != "result" || m.ID != id:
		return fmt.Errorf("it answered %.20q for request %d, want a result for %d", m.Type, m.ID, id)
	case !m.OK:
		return &RefusedError{m.Code, m.Reason, m.Touched}
	}
	return nil
}

// within closes the connection when ctx is done, which ends every wait.
func (w *Window) within(ctx context.Context, talk func() error) error {
	stop := context.AfterFunc(ctx, func() { _ = w.Close() })
	err := talk()
	if !stop() && err != nil {
		return errors.Join(ErrSilent, ctx.Err())
	}
	return err
}

func (w *Window) write(m message) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = w.conn.Write(append(data, '\n'))
	return err
}

func (w *Window) read() (m message, err error) {
	if !w.in.Scan() {
		if err := w.in.Err(); err != nil {
			return m, err
		}
		return m, io.ErrUnexpectedEOF
	}
	if err := json.Unmarshal(w.in.Bytes(), &m); err != nil {
		return m, fmt.Errorf("it answered no JSON: %w", err)
	}
	return m, nil
}
