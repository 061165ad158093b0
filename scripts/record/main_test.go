package main

import (
	"bytes"
	"encoding/xml"
	"io"
	"strings"
	"testing"
)

func sample() recording {
	r := recording{first: 2, panels: []panel{{1, []string{"one <b>", ""}}, {2, []string{"two"}}, {40, []string{"three"}}}}
	for range 40 {
		r.lines = append(r.lines, line{"row & <promise>", "plain", 0.5})
	}
	return r
}

func TestThePictureIsXML(t *testing.T) {
	texts := 0
	for dec := xml.NewDecoder(strings.NewReader(draw(sample()))); ; {
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
	if texts != 40+3 {
		t.Errorf("got %d rows, want 43", texts)
	}
}

func TestThePictureBeginsAtTheRefusal(t *testing.T) {
	all, total := steps(sample())
	if all[0] != (step{2, 0}) || all[len(all)-1].shown != 1 || total < 20 {
		t.Errorf("got %v, %.1f s", all, total)
	}
	for i, want := range []int{0, 1, 0} {
		if got := opacity(sample(), i, 2); got != want {
			t.Errorf("panel %d: got %d, want %d", i, got, want)
		}
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

func TestNoDemoFails(t *testing.T) {
	var out, errs bytes.Buffer
	if code := run([]string{"/nowhere/cursor-ralph"}, &out, &errs); code != 1 || errs.Len() == 0 || out.Len() > 0 {
		t.Errorf("got %d, %q, want 1 and why", code, errs.String())
	}
}
