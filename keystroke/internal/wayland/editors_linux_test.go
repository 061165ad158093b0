package wayland_test

import (
	"os"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/test/short"
	"github.com/cursor-ralph/cursor-ralph/test/testdesk"
)

func TestWaylandTypesIntoEditors(t *testing.T) {
	short.Skip(t)
	for _, name := range testdesk.Editors() {
		t.Run(name, func(t *testing.T) {
			page := testdesk.EditorPage(t, name, os.UserCacheDir)
			w := newSwayWorld(t)
			w.show(page, "main.go - repo - Cursor")
			for _, method := range methods() {
				for _, cell := range waylandCells[:swayTries(1, len(waylandCells))] {
					w.into(t, method, name, page, cell, swayTries(2, 10))
				}
			}
		})
	}
}
