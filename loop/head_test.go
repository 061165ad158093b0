package loop_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// headsFor are files of all forms, by what is special about them.
func headsFor(t testing.TB) map[string]string {
	t.Helper()
	full := newLoop(func(l *loop.State) {
		l.Iterations, l.LastOutput = 60, "a\nb"
		for i := range 3 {
			l.History = append(l.History, loop.Iteration{Number: i, Answer: "]\n}\n,\n  \"history\": ["})
		}
	})
	data, err := full.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{
		"as we write it":            string(data),
		"with a byte order mark":    "\xef\xbb\xbf" + string(data),
		"with the newline cut off":  string(data[:len(data)-1]),
		"with a field nobody knows": string(data[:len(data)-3]) + ",\n  \"mood\": 7\n}\n",
		"the field again":           string(data[:len(data)-3]) + ",\n  \"iterations\": 7\n}\n",
		"in one line":               `{"prompt": "x", "history": [{"iteration": 1}], "iterations": 7}`,
		"the history first":         "{\"prompt\": \"x\",\n  \"history\": [\n  ],\n  \"iterations\": 7\n}\n",
		"further down":              "{\"prompt\": \"x\", \"mood\": {\"a\": 1,\n  \"history\": [\n  ]\n}\n}\n",
		"no history":                `{"prompt": "x", "iterations": 7}`,
		"null":                      `{"prompt": "x", "history": null}`,
		"the newest version":        `{"prompt": "x", "version": 99}`,
		"no task":                   `{"iterations": 7}`,
		"another type":              `{"prompt": ["x"]}`,
		"half":                      string(data[:len(data)/2]),
		"nothing":                   "",
	}
}

func FuzzParseHead(f *testing.F) {
	for _, file := range headsFor(f) {
		f.Add([]byte(file))
	}
	f.Fuzz(func(t *testing.T, data []byte) { sameHead(t, data) })
}

// sameHead allows for what a history alone can make wrong.
func sameHead(t *testing.T, data []byte) {
	t.Helper()
	before := string(data)
	want, wantErr := loop.Parse(data)
	got, err := loop.ParseHead(data)
	if string(data) != before {
		t.Error("the file's bytes were changed")
	}
	if wantErr == nil {
		want.History, want.Unknown, got.Unknown = nil, nil, nil
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v, (-want +got):\n%s", err, diff)
		}
	}
	if errors.Is(wantErr, loop.ErrNewer) != errors.Is(err, loop.ErrNewer) && err != nil {
		t.Errorf("got %v, want %v", err, wantErr)
	}
	if err == nil && len(got.History) > 0 {
		t.Error(fmt.Sprint(len(got.History), " iterations"))
	}
}
