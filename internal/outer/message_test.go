package outer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/internal/outer"
	"github.com/cursor-ralph/cursor-ralph/loop"
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
