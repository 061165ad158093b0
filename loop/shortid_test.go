package loop

import (
	"testing"
	"time"
)

func TestShortIDIsKeptOrDerived(t *testing.T) {
	old := State{ConversationID: "3f2a", Contract: Contract{Prompt: "build"}, CreatedAt: time.Unix(1, 2)}
	derived := old.ShortID()
	if !IsShortID(derived) || old.ShortID() != derived {
		t.Fatalf("got %q, which is no short id or changes", derived)
	}
	later := old
	later.CreatedAt = time.Unix(1, 3)
	if later.ShortID() == derived {
		t.Error("two loops of one chat have one id")
	}
	old.ID = "k7f2m"
	if got := old.ShortID(); got != "k7f2m" {
		t.Errorf("got %q, want the id that is stored", got)
	}
	for _, wrong := range []string{"", "k7f2", "a7f2m", "k7f2ma", "k7-2m", "../..", "k7f2i"} {
		if IsShortID(wrong) {
			t.Errorf("%q is taken for a short id", wrong)
		}
	}
	old.ID = "../x"
	if got := old.ShortID(); got != derived {
		t.Errorf("got %q of a hostile id, want the derived one", got)
	}
}
