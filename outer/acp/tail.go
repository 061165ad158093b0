package acp

import (
	"bytes"
	"sync"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

// tail keeps the last bytes written to it, exactly as they are.
type tail struct {
	limit int

	mu   sync.Mutex
	kept []byte
	cut  bool
}

// Write never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.kept = append(t.kept, p...); len(t.kept) > 2*t.limit {
		t.kept, t.cut = bytes.Clone(text.Tail(t.kept, t.limit)), true
	}
	return len(p), nil
}

func (t *tail) text() (string, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	last := text.Tail(t.kept, t.limit)
	return string(last), t.cut || len(last) < len(t.kept)
}
