package desk_test

import (
	"testing"

	"github.com/cursor-ralph/cursor-ralph/keystroke"
	"github.com/cursor-ralph/cursor-ralph/test/testdesk"
)

func way(t *testing.T, name string, m keystroke.Machine) keystroke.Injector {
	t.Helper()
	list, err := keystroke.Injectors(m, []string{name})
	testdesk.Must(t, err)
	return list[0]
}
