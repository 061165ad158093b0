package x11_test

import (
	"os"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/test/short"
	"github.com/cursor-ralph/cursor-ralph/test/testdesk"
)

// Each way delivers into real editors with a slash menu what it delivers into
// the text area: in the lab under every condition.
func TestX11MatrixOfEditors(t *testing.T) {
	short.Skip(t)
	for _, name := range testdesk.Editors() {
		t.Run(name, func(t *testing.T) {
			r := furnishWith(t, testdesk.NewX(t, "-extension", "MIT-SCREEN-SAVER"), testdesk.EditorPage(t, name, os.UserCacheDir))
			r.m.Robotgo = buildRobotgo(t)
			for _, c := range conditions()[:tries(1, len(conditions()))] {
				c.name += ", " + name
				r.cells(t, c, tries(2, 10))
			}
		})
	}
}
