package main

import (
	"errors"
	"os"
	"time"
)

// writeWait is how long the editor may take to make room for an answer.
const writeWait = 200 * time.Millisecond

var errUnread = errors.New("nobody reads standard output")

// output is standard output, of an editor that may stop reading, or be gone:
// then writing is an error after a moment, and neither a signal nor a wait.
type output struct {
	file *os.File
}

// Close makes the end of the answer known.
func (o output) Close() error { return o.file.Close() }
