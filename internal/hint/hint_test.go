package hint_test

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/internal/hint"
)

func TestPrint(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want string
		code int
	}{
		{errors.New("no"), "cursor-ralph: NO\n", 1},
		{hint.New("no", ""), "cursor-ralph: NO\n", 1},
		{hint.Misuse("no such x", "try a\nor b"), "cursor-ralph: NO SUCH X\ncursor-ralph: hint: TRY A\n  OR B\n", 2},
		{fmt.Errorf("read: %w", hint.Add(fs.ErrNotExist, "make it")), "cursor-ralph: READ: FILE DOES NOT EXIST\ncursor-ralph: hint: MAKE IT\n", 1},
		{errors.Join(errors.New("a"), hint.Misuse("b", "c")), "cursor-ralph: A\nB\ncursor-ralph: hint: C\n", 2},
	} {
		var b strings.Builder
		hint.Print(&b, strings.ToUpper, tt.err)
		if got := b.String(); got != tt.want || hint.Code(tt.err) != tt.code {
			t.Errorf("%v: got %q and %d, want %q and %d", tt.err, got, hint.Code(tt.err), tt.want, tt.code)
		}
	}
	if err := hint.Add(fs.ErrNotExist, "make it"); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the cause of a hinted error is lost")
	}
}
