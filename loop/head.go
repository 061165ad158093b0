package loop

import (
	"bytes"
	"encoding/json"
)

// ParseHead is Parse without the history, which is most of a file, and without
// unknown fields. The result is for display: never write it.
func ParseHead(data []byte) (State, error) {
	s := New()
	head, ok := head(data)
	if !ok || json.Unmarshal(head, &s) != nil {
		s, err := Parse(data) // which knows what is wrong with it
		s.History = nil
		return s, err
	}
	return s.usable()
}

// head cuts off the history of a file as Encode writes it, where it is the last
// field. Text in JSON has no line breaks, so none can look like the beginning of
// the field; one further down leaves a head that does not parse.
func head(data []byte) (head []byte, ok bool) {
	before, history, found := bytes.Cut(data, []byte(",\n  \"history\": ["))
	if !found {
		return data, !bytes.Contains(data, []byte(`"history"`)) // else it is written in another way
	}
	if !bytes.HasSuffix(history, []byte("\n  ]\n}\n")) {
		return nil, false
	}
	return append(bytes.Clone(before), "\n}"...), true
}
