package onevent

import (
	"bytes"
	"io"
	"os"
)

// transcriptHead is more than the first message of a chat has, in bytes.
const transcriptHead = 64 << 10

// isNewChat reports whether nothing shows that this chat had a loop, or an answer of
// its agent, before.
func (h *handler) isNewChat() bool {
	if h.hasAny(h.in.ConversationID) || h.store.HasHad(h.in.ConversationID) {
		return false
	}
	head := transcript(h.in.TranscriptPath)
	return !bytes.Contains(head, []byte(`"role":"assistant"`)) && !bytes.Contains(head, []byte(`"role": "assistant"`))
}

// transcript returns the beginning of a transcript; without one nothing.
func transcript(path string) []byte {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(path) // #nosec G304 -- Cursor names it
	if err != nil {
		return nil
	}
	defer f.Close()
	head, _ := io.ReadAll(io.LimitReader(f, transcriptHead))
	return head
}
