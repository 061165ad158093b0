package wayland_test

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

func TestWaylandTypesIntoEditors(t *testing.T) {
	short.Skip(t)
	for _, name := range testdesk.Editors() {
		t.Run(name, func(t *testing.T) {
			page := editorPage(t, name)
			w := newSwayWorld(t)
			w.show(page, "main.go - repo - Cursor")
			for _, method := range []string{"wl-copy", "wtype"} {
				for _, cell := range waylandCells[:swayTries(1, len(waylandCells))] {
					w.into(t, method, name, page, cell, swayTries(2, 10))
				}
			}
		})
	}
}
