package pending_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPutOfAHostileIDTouchesNothing(t *testing.T) {
	w := newWorld(t)
	before := w.files()
	for _, id := range []string{".", "..", "../x", "a/b", "/tmp/x", ".lock", "a\nb", `a"b`, "a\x00", strings.Repeat("a", 200)} {
		l := task("a")
		l.ConversationID = id
		if _, err := w.box.Put(w.context(), l); err == nil {
			t.Errorf("%q: got no error", id)
		}
	}
	if diff := cmp.Diff(before, w.files()); diff != "" {
		t.Errorf("got other files (-before +after):\n%s", diff)
	}
}
