package review

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// answer is what the reviewer answers: one JSON object.
type answer struct {
	Code     string    `json:"code"` // without it, it is text that was copied
	Verdict  string    `json:"verdict"`
	Findings []finding `json:"findings"`
}

type finding struct {
	File    string          `json:"file"`
	Line    json.RawMessage `json:"line"` // a number; some agents write "12-14"
	Problem string          `json:"problem"`
}

// How much of an answer is read, and kept.
const (
	readAnswer   = 64 << 10 // bytes at its end
	mostObjects  = 1000     // beginnings of JSON objects there
	keptFindings = 16 << 10 // bytes
	keptFinding  = 1000     // characters
	keptPlace    = 200      // characters
	keptLine     = 20       // characters of a line's number
)

// verdict reads the reviewer's last message. why says what is wrong with it, in words
// for the agent; empty if it is valid.
func verdict(said, code string) (r loop.Review, why string) {
	found := answers(said, code)
	if len(found) == 0 {
		return r, "there is no JSON object with the answer code at the end of the last message"
	}
	a := found[0]
	for _, other := range found[1:] {
		if !reflect.DeepEqual(a, other) {
			return r, "there is more than one answer in the last message"
		}
	}
	switch findings := a.findings(); {
	case a.Verdict == string(loop.ReviewClear) && len(a.Findings) == 0:
		return loop.Review{Verdict: loop.ReviewClear}, ""
	case a.Verdict == string(loop.ReviewClear):
		return r, "the verdict is clear, and there are findings"
	case a.Verdict != string(loop.ReviewFound):
		return r, fmt.Sprintf("the verdict %q is neither clear nor findings", text.Head(a.Verdict, keptWords))
	case len(findings) == 0:
		return r, "the verdict is findings, and there is no finding with a problem"
	default:
		return loop.Review{Verdict: loop.ReviewFound, Findings: findings}, ""
	}
}

// answers returns the objects with the code in a text, the last one first.
func answers(said, code string) (found []answer) {
	said = text.Tail(said, readAnswer)
	for at, tries := len(said), 0; tries < mostObjects; tries++ {
		if at = strings.LastIndexByte(said[:at], '{'); at < 0 {
			break
		}
		a := answer{}
		if json.NewDecoder(strings.NewReader(said[at:])).Decode(&a) == nil && a.Code == code {
			found = append(found, a)
		}
	}
	return found
}

// findings are those of an answer, each as file:line: problem.
func (a answer) findings() (list []string) {
	size := 0
	for i, f := range a.Findings {
		problem := strings.TrimSpace(text.WithoutControls(f.Problem))
		if problem == "" {
			continue
		}
		words := text.Limit(f.place()+problem, keptFinding)
		if size += len(words); size > keptFindings {
			return append(list, fmt.Sprintf("and %s more", text.Count(len(a.Findings)-i, "finding")))
		}
		list = append(list, words)
	}
	return list
}

// place is where a finding is, as file:line.
func (f finding) place() string {
	place := text.Limit(text.Line(text.WithoutControls(f.File)), keptPlace)
	if place == "" {
		return ""
	}
	if line := strings.Trim(string(f.Line), `"`); line != "" && line[0] >= '1' && line[0] <= '9' {
		place += ":" + text.Limit(line, keptLine)
	}
	return place + ": "
}
