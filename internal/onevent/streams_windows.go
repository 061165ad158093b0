package onevent

import "time"

// Read ends with the time of the event.
func (in inTime) Read(p []byte) (int, error) {
	return inTimeOr(errLate, time.Until(in.until), func() (int, error) { return in.file.Read(p) })
}

// Write ends where nobody reads.
func (o output) Write(p []byte) (int, error) {
	return inTimeOr(errUnread, o.left(), func() (int, error) { return o.file.Write(p) })
}

// inTimeOr waits for a read or a write. At the end of the time it leaves a goroutine
// behind, which ends with the process.
func inTimeOr(late error, wait time.Duration, do func() (int, error)) (int, error) {
	type result struct {
		n   int
		err error
	}
	done := make(chan result, 1)
	go func() {
		n, err := do()
		done <- result{n, err}
	}()
	select {
	case r := <-done:
		return r.n, r.err
	case <-time.After(wait):
		return 0, late
	}
}
