package rendezvous

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// The patience with a window.
const (
	dialWait    = 2 * time.Second
	findWait    = 5 * time.Second  // an editor under load takes its time
	stepWait    = 25 * time.Second // more than a step of the extension may take, also one that waits for its turn and until the user pauses
	checkWait   = 2 * time.Second
	answerLimit = 64 << 10
)

// ErrSilent is of a window that does not answer in time: it is busy, or hangs.
var ErrSilent = errors.New("no answer in time")

// Window is a connection with a window. It is used by one goroutine.
type Window struct {
	conn  io.ReadWriteCloser
	in    *bufio.Reader
	token string
}

// request is the body of a request, about a conversation.
type request struct {
	Conversation string `json:"conversation"`
	Line         string `json:"line,omitempty"`
	Rested       bool   `json:"rested,omitempty"`
}

// answer is the body of every answer. The fields of all answers are here.
type answer struct {
	Code    string   `json:"code"`
	Reason  string   `json:"reason"`
	Touched bool     `json:"touched"`
	Place   Place    `json:"place"`
	Focused bool     `json:"focused"`
	Folders []string `json:"folders"`
	Creates bool     `json:"creates"`
	Active  bool     `json:"active"`
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
	Active  bool     // its user is at work, and a delivery waits
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

// Dial connects to a window, which serves only whoever knows its token. The socket is in a folder that is ours alone, so whoever
// listens there is ours.
func Dial(ctx context.Context, a Announcement) (*Window, error) {
	ctx, cancel := context.WithTimeout(ctx, dialWait)
	defer cancel()
	conn, err := dial(ctx, a.Address)
	if err != nil {
		return nil, err
	}
	return &Window{conn: conn, in: bufio.NewReader(conn), token: a.Token}, nil
}

// Close ends the connection, and with it the window's turn.
func (w *Window) Close() error { return w.conn.Close() }

// Find asks where a window has a chat. A window that cannot tell returns a
// *RefusedError, and its folders nevertheless.
func (w *Window) Find(ctx context.Context, conversation string) (Found, error) {
	got, err := w.ask(ctx, findWait, "find", request{Conversation: conversation})
	return Found{got.Place, got.Focused, got.Folders, got.Creates, got.Active}, err
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
func (w *Window) Deliver(ctx context.Context, d Delivery) error {
	return w.steps(ctx, d, "rest", "show", permit, "focus", permit, "put")
}

// Create has the window create a chat that begins with a line, in which the loop of
// the conversation goes on. Its errors are as those of Deliver.
func (w *Window) Create(ctx context.Context, d Delivery) error {
	return w.steps(ctx, d, "rest", permit, "create")
}

// permit is the step that asks whether the line is still wanted.
const permit = ""

// steps does one step after the other, until one fails.
func (w *Window) steps(ctx context.Context, d Delivery, names ...string) error {
	for _, name := range names {
		if name == permit {
			if err := d.Permit(); err != nil {
				return errors.Join(err, &RefusedError{Code: "cancelled", Reason: "the line is not wanted any more"})
			}
			continue
		}
		_, err := w.ask(ctx, stepWait, name, request{d.Conversation, d.Line, d.Rested})
		if err != nil {
			d.Step(name, err.Error())
			return err
		}
		d.Step(name, "ok")
	}
	return nil
}

// Check returns why the focus may not be in the chat any more.
func (w *Window) Check(ctx context.Context, conversation string) error {
	_, err := w.ask(ctx, checkWait, "check", request{Conversation: conversation})
	return err
}

// Ask has the window ask its user to press the submit key.
func (w *Window) Ask(ctx context.Context, conversation string) error {
	_, err := w.ask(ctx, checkWait, "ask", request{Conversation: conversation})
	return err
}

// Sent tells the window that the line has left the input of the chat.
func (w *Window) Sent(ctx context.Context, conversation string) error {
	_, err := w.ask(ctx, checkWait, "sent", request{Conversation: conversation})
	return err
}

// ask sends a request and returns its answer.
func (w *Window) ask(ctx context.Context, wait time.Duration, method string, r request) (got answer, err error) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	err = w.within(ctx, func() error {
		got, err = w.talk(method, r)
		return err
	})
	return got, err
}

func (w *Window) talk(method string, r request) (got answer, err error) {
	body, err := json.Marshal(r)
	if err != nil {
		return got, err
	}
	req, err := http.NewRequest(http.MethodPost, "http://window/"+method, bytes.NewReader(body))
	if err != nil {
		return got, err
	}
	req.Header.Set("Authorization", "Bearer "+w.token)
	if err := req.Write(w.conn); err != nil {
		return got, err
	}
	res, err := http.ReadResponse(w.in, req)
	if err != nil {
		return got, err
	}
	data, err := io.ReadAll(io.LimitReader(res.Body, answerLimit+1)) // all of it: the next answer comes after it
	if err != nil || len(data) > answerLimit {
		return got, errors.Join(fmt.Errorf("its answer is longer than %d bytes, or breaks off", answerLimit), err)
	}
	if err := json.Unmarshal(data, &got); err != nil {
		return got, fmt.Errorf("it answered no JSON: %w", err)
	}
	if res.StatusCode != http.StatusOK {
		return got, &RefusedError{got.Code, got.Reason, got.Touched}
	}
	return got, nil
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
