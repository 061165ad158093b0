package main

import "time"

// Read leaves a goroutine behind that still reads; it ends with the process.
func (in inTime) Read(p []byte) (int, error) {
	type result struct {
		n   int
		err error
	}
	done := make(chan result, 1)
	go func() {
		n, err := in.file.Read(p)
		done <- result{n, err}
	}()
	select {
	case r := <-done:
		return r.n, r.err
	case <-time.After(time.Until(in.until)):
		return 0, errLate
	}
}
