package simcursor

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
)

var (
	lineComment  = regexp.MustCompile(`//.*`)
	blockComment = regexp.MustCompile(`(?s)/\*.*?\*/`)
)

// stripComments removes comments as Cursor does, even inside strings, so that a URL
// in a command breaks the file. Which kind Cursor removes first is unknown, so both
// orders must have the same result.
func stripComments(data []byte) ([]byte, error) {
	a := blockComment.ReplaceAll(lineComment.ReplaceAll(data, nil), nil)
	b := lineComment.ReplaceAll(blockComment.ReplaceAll(data, nil), nil)
	errA, errB := syntax(a), syntax(b)
	switch {
	case errA != nil && json.Valid(data):
		return nil, errors.New("a string contains // or /*, which Cursor takes for a comment")
	case errA != nil:
		return nil, fmt.Errorf("not JSON: %w", errA)
	case errB != nil || !bytes.Equal(compact(a), compact(b)):
		return nil, errors.New("comment signs inside comments")
	}
	return a, nil
}

func syntax(data []byte) error {
	var v any
	return json.Unmarshal(data, &v)
}

func compact(data []byte) []byte {
	var b bytes.Buffer
	if err := json.Compact(&b, data); err != nil {
		return nil
	}
	return b.Bytes()
}
