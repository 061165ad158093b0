package acp

import (
	"sync"
	"unicode/utf8"
)

// tail keeps the last bytes that are written to it.
type tail struct {
	limit int

	mu   sync.Mutex
	kept []byte
	cut  bool
}

// Write takes everything.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(p)
	if n > t.limit {
		p, t.cut = p[n-t.limit:], true
	}
	t.kept = append(t.kept, p...)
	if len(t.kept) > 2*t.limit {
		t.kept, t.cut = append([]byte(nil), t.kept[len(t.kept)-t.limit:]...), true
	}
	return n, nil
}

// text gives the last bytes, from the beginning of a character, and whether
// there were more.
func (t *tail) text() (string, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	kept, cut := t.kept, t.cut
	if len(kept) > t.limit {
		kept, cut = kept[len(kept)-t.limit:], true
	}
	for cut && len(kept) > 0 && !utf8.RuneStart(kept[0]) {
		kept = kept[1:]
	}
	return string(kept), cut
}
