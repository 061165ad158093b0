package main

import (
	"bytes"
	"encoding/xml"
	"io"
	"strings"
	"testing"
)

func TestRecordingIsXMLAndLeavesOutScratchFolders(t *testing.T) {
	long := "  cursor  " + strings.Repeat("<promise> ", 20)
	in := "\nTitle.\ncreate /tmp/cursor-ralph-demo-1/home/x\n" + long + "\n" + strings.Repeat("row\n", 40)
	var out, errs bytes.Buffer
	if code := run(strings.NewReader(in), &out, &errs); code != 0 {
		t.Fatalf("got %d: %s", code, errs.String())
	}
	if strings.Contains(out.String(), "cursor-ralph-demo-1") {
		t.Error("a scratch folder is in it")
	}
	texts := 0
	for dec := xml.NewDecoder(&out); ; {
		token, err := dec.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "text" {
			texts++
		}
	}
	if texts != 1+3+40 {
		t.Errorf("got %d rows, want 44: the long line takes three", texts)
	}
}

func TestWrapBreaksBetweenWords(t *testing.T) {
	for _, part := range wrap(strings.Repeat("größe ", 60)) {
		if n := len([]rune(part)); n > columns {
			t.Errorf("got %d columns: %q", n, part)
		}
	}
	if got := wrap(strings.Repeat("x", 300)); len(got) != 1 {
		t.Errorf("got %d parts of one word, want it whole", len(got))
	}
}

func TestNothingToRecordFails(t *testing.T) {
	var out, errs bytes.Buffer
	if code := run(strings.NewReader("\n"), &out, &errs); code != 1 || errs.Len() == 0 {
		t.Errorf("got %d, %q, want 1 and why", code, errs.String())
	}
}
