package x11_test

import (
	"errors"
	"io/fs"
	"os"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/test/short"
	"github.com/cursor-ralph/cursor-ralph/test/testdesk"
)

// editorPage is a chat page with an editor from npm as its input.
func editorPage(t *testing.T, name string) *testdesk.Page {
	t.Helper()
	cache, err := os.UserCacheDir()
	testdesk.Must(t, err)
	page, err := testdesk.NewPageWith(name, cache)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("needs editors from npm: scripts/inputs builds them")
	}
	testdesk.Must(t, err)
	return page
}

// Each way delivers into real editors with a slash menu what it delivers into
// the text area: in the lab under every condition.
func TestX11MatrixOfEditors(t *testing.T) {
	short.Skip(t)
	robotgo := buildRobotgo(t)
	for _, name := range testdesk.Editors() {
		t.Run(name, func(t *testing.T) {
			r := furnishWith(t, testdesk.NewX(t, noIdle()...), editorPage(t, name))
			r.m.Robotgo = robotgo
			for _, c := range conditions()[:tries(1, len(conditions()))] {
				c.name += ", " + name
				r.cells(t, c, tries(2, 10))
			}
		})
	}
}
