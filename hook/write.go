package hook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Write writes an answer to w: exactly one JSON object and a newline, in one
// write. A nil answer becomes {}, which changes nothing. So does an answer that
// cannot be encoded as an object, and Write returns an error. Angle brackets are
// not escaped, so that markers stay readable in logs.
func Write(w io.Writer, answer any) error {
	line, err := encode(answer)
	if err != nil {
		err = fmt.Errorf("encode hook answer: %w", err)
		line = []byte(nothing)
	}
	if _, failed := w.Write(line); failed != nil {
		err = errors.Join(err, fmt.Errorf("write hook answer: %w", failed))
	}
	return err
}

func encode(answer any) ([]byte, error) {
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(answer); err != nil {
		return nil, err
	}
	switch {
	case line.String() == "null\n":
		return []byte(nothing), nil
	case line.Bytes()[0] != '{':
		return nil, errors.New("not a JSON object")
	}
	return line.Bytes(), nil
}
