package main

import "time"

// Write leaves a goroutine behind where nobody reads; it ends with the process.
func (o output) Write(p []byte) (int, error) {
	type result struct {
		n   int
		err error
	}
	done := make(chan result, 1)
	go func() {
		n, err := o.file.Write(p)
		done <- result{n, err}
	}()
	select {
	case r := <-done:
		return r.n, r.err
	case <-time.After(writeWait):
		return 0, errUnread
	}
}
