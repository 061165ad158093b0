package bridge

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

type listedChat struct {
	ID     string `json:"id"`
	Source string `json:"source"` // local, cloud or draft
}

type chatList []listedChat

// readChats reads a list, or an object that has one in a member of any name.
func readChats(out string) (chatList, error) {
	list, ok := chatsIn([]byte(out))
	if ok {
		return list, nil
	}
	var object map[string]json.RawMessage
	_ = json.Unmarshal([]byte(out), &object) // else there are no members
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if more, isList := chatsIn(object[name]); isList {
			list, ok = append(list, more...), true
		}
	}
	if !ok {
		return nil, fmt.Errorf("it answered %.100q, which is no list of chats", strings.TrimSpace(out))
	}
	return list, nil
}

func chatsIn(data []byte) (chatList, bool) {
	var list chatList
	err := json.Unmarshal(data, &list)
	noID := func(c listedChat) bool { return c.ID == "" }
	return list, err == nil && list != nil && !slices.ContainsFunc(list, noID)
}

// chatID matches ids that a shell leaves alone and that are not options.
var chatID = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z._-]*$`)

// find returns the id of a chat as it is listed, which may be in other letter
// case. A chat that two windows list is one chat, and gets one message. Cloud
// chats run no hooks of this machine, and a draft has had no turn: neither is
// the one that a loop runs in.
func (l chatList) find(conversation string) (string, error) {
	var sources, ids []string
	for _, c := range l {
		switch {
		case !strings.EqualFold(c.ID, conversation) || !chatID.MatchString(c.ID):
		case c.Source == "cloud", c.Source == "draft":
			sources = append(sources, c.Source)
		default:
			ids = append(ids, c.ID)
		}
	}
	switch {
	case slices.Contains(ids, conversation):
		return conversation, nil
	case len(ids) > 0:
		return ids[0], nil
	case len(sources) > 0:
		return "", fmt.Errorf("cursor desktop ls lists the chat as %s, not as a local one", sources[0])
	}
	return "", fmt.Errorf("cursor desktop ls does not list the chat (it lists %d)", len(l))
}

type sendWord string

// The answers that are known.
const (
	sendSubmitted     sendWord = "submitted"
	sendQueued        sendWord = "queued"
	sendSteered       sendWord = "steered"
	sendNotSendable   sendWord = "not-sendable"
	sendUnknownThread sendWord = "unknown-thread"
	sendUnsupported   sendWord = "unsupported"
	sendError         sendWord = "error"
	sendTimeout       sendWord = "timeout"
)

// isSent reports whether the message is in the chat, isRefused whether it is
// not. After any other answer it may be.
func (w sendWord) isSent() bool {
	return w == sendSubmitted || w == sendQueued || w == sendSteered
}

func (w sendWord) isRefused() bool {
	return w == sendNotSendable || w == sendUnknownThread || w == sendUnsupported
}

// knownWord returns the answer that a text is, in whatever letter case.
func knownWord(text string) (sendWord, bool) {
	w := sendWord(strings.ReplaceAll(strings.ToLower(strings.TrimSpace(text)), "_", "-"))
	return w, w.isSent() || w.isRefused() || w == sendError || w == sendTimeout
}

// Answer is what `cursor desktop send` said, as far as it is understood.
type Answer struct {
	words  []sendWord
	reason string
	raw    string
	err    error // of the command
}

// readSendAnswer finds the known answers among the texts of an object, or of
// the objects in it. How exactly they are written is not documented.
func readSendAnswer(run cursorRun) Answer {
	a := Answer{raw: strings.TrimSpace(run.out), err: run.err}
	var value any
	if err := json.Unmarshal([]byte(run.out), &value); err != nil {
		value = a.raw // a plain word
	}
	a.read("", value)
	return a
}

func (a *Answer) read(key string, value any) {
	switch v := value.(type) {
	case string:
		if key == "reason" || key == "message" {
			a.reason = v
			return
		}
		if w, ok := knownWord(v); ok && !slices.Contains(a.words, w) {
			a.words = append(a.words, w)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			a.read(name, v[name])
		}
	}
}

// NothingSent reports whether Cursor says that it sent nothing. An answer that
// says anything else besides does not count.
func (a Answer) NothingSent() bool {
	return len(a.words) > 0 && !slices.ContainsFunc(a.words, func(w sendWord) bool { return !w.isRefused() })
}

// String is the answer in words.
func (a Answer) String() string {
	switch {
	case len(a.words) == 0 && a.err != nil:
		return a.err.Error()
	case len(a.words) == 0:
		return fmt.Sprintf("it answered %.100q, which is not understood", a.raw)
	}
	var words []string
	for _, w := range a.words {
		words = append(words, string(w))
	}
	text := strings.Join(words, ", ")
	if a.reason != "" {
		text += fmt.Sprintf(" (%.200s)", a.reason)
	}
	return text
}

// IsSent reports whether Cursor says that it sent the line, and nothing else.
func (a Answer) IsSent() bool { return len(a.words) == 1 && a.words[0].isSent() }
