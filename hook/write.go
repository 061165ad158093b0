package hook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Write writes an answer to w: exactly one JSON object and a newline, in one
// write. A nil answer, and one that cannot be encoded as an object, is written as
// {}, which leaves Cursor to do what it would have done; the second is an error
// too. Angle brackets are not escaped, so that a marker stays readable in logs.
func Write(w io.Writer, answer any) error {
	line, err := encode(answer)
	if err != nil {
		err = fmt.Errorf("encode hook answer: %w", err)
		line = []byte("{}\n")
	}
	if _, failed := w.Write(line); failed != nil {
		err = errors.Join(err, fmt.Errorf("write hook answer: %w", failed))
	}
	return err
}

func encode(answer any) ([]byte, error) {
	var line bytes.Buffer
	enc := json.NewEncoder(&line) // unlike Marshal it can leave < and > alone
	enc.SetEscapeHTML(false)
	if err := enc.Encode(answer); err != nil {
		return nil, err
	}
	switch {
	case line.String() == "null\n":
		return []byte("{}\n"), nil
	case line.Bytes()[0] != '{':
		return nil, errors.New("not a JSON object")
	}
	return line.Bytes(), nil
}
