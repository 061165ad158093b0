package cmdline

import (
	"bytes"
	"errors"
	"strings"
	"unicode/utf8"
)

// TaskOf returns the task in the bytes of a file.
func TaskOf(file []byte) (string, error) {
	task := strings.TrimSpace(string(bytes.TrimLeft(file, "\ufeff")))
	switch {
	case bytes.IndexByte(file, 0) >= 0 || !utf8.Valid(file):
		return "", errors.New("not UTF-8 text")
	case task == "":
		return "", errors.New("the task is empty")
	}
	return task, nil
}
