package main

import (
	"encoding/json"
	"testing"
)

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"größer\n\t汉字 שלום":              "größer\n\t汉字 שלום",
		"👩\u200d💻":                       "👩\u200d💻",
		"\x1b[2J\r\u009b\x7f\x00":        `\u001b[2J\u000d\u009b\u007f\u0000`,
		"\x9b":                           "\ufffd",
		"\u202e\u2066\u200e\u061c":       `\u202e\u2066\u200e\u061c`,
		"a\u200b\u2060\ufeff\u00ad":      `a\u200b\u2060\ufeff\u00ad`,
		"\u2028\u2029":                   `\u2028\u2029`,
		"\U000e0041 that hides in a tag": `\udb40\udc41 that hides in a tag`,
	} {
		if got := printable(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	var back string
	if err := json.Unmarshal([]byte(printable(`"`+"\U000e0041\u200b"+`"`)), &back); back != "\U000e0041\u200b" || err != nil {
		t.Errorf("got %q, %v, want codes that JSON has too", back, err)
	}
}
