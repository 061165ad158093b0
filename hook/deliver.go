package hook

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"
)

// Deliver writes an answer like [Write], closes w if it is an io.Closer, and waits
// for linger unless the answer was {}. Exit right after it.
//
// Cursor reportedly uses what it has read when the hook exits, so the answer of a
// hook that exits at once can be lost. A busy parent that reads like this lost 51
// of 400 answers of a program that exited at once, and none of one that closed its
// standard output and stayed for 20 ms or more. [Linger] is a good value.
//
// The error wraps those of encoding the answer, writing and closing.
func Deliver(w io.Writer, answer any, linger time.Duration) error {
	var line bytes.Buffer
	err := Write(&line, answer)
	_, failed := w.Write(line.Bytes())
	if c, ok := w.(io.Closer); ok && failed == nil {
		failed = c.Close()
	}
	if failed != nil {
		return errors.Join(err, fmt.Errorf("write hook answer: %w", failed))
	}
	if line.String() != nothing {
		time.Sleep(linger)
	}
	return err
}

// nothing is the answer that changes nothing. Losing it does no harm: Cursor does
// the same without an answer.
const nothing = "{}\n"

// Linger returns how long a hook should stay after an answer that must not be
// lost. goos is a runtime.GOOS.
func Linger(goos string) time.Duration {
	if goos == "windows" {
		return 250 * time.Millisecond
	}
	return 100 * time.Millisecond
}
