package outer_test

import (
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/outer"
)

func TestAMessageKeepsItsEnd(t *testing.T) {
	var m outer.Message
	var all strings.Builder
	for i := range 8000 {
		piece := fmt.Sprintf("%0500d", i)
		m.Add(piece)
		all.WriteString(piece)
	}
	want := all.String()[all.Len()-1<<20:]
	if got := m.End(); got.Kind != loop.RecordText || got.Text != want {
		t.Errorf("got %d bytes that end in %.20q, want the last MiB", len(got.Text), got.Text[max(0, len(got.Text)-20):])
	}
	m.Add(" \n")
	if got := m.End(); got.Kind != "" {
		t.Errorf("got %+v of white space, want no record", got)
	}
}

func TestAStartErrorNamesTheAgentOnce(t *testing.T) {
	missing := &os.PathError{Op: "start", Path: "./nix", Err: fs.ErrNotExist}
	for _, err := range []error{missing, fs.ErrNotExist} {
		e := outer.StartError{Agent: "./nix", Err: err}
		if want := "start ./nix: file does not exist"; e.Error() != want {
			t.Errorf("got %q, want %q", e.Error(), want)
		}
	}
}
