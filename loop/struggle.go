package loop

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Progress says whether an iteration changed anything.
type Progress string

// The answers. It is unknown where nothing could have told.
const (
	progressUnknown Progress = ""
	progressMade    Progress = "yes"
	progressNone    Progress = "no"
)

// updateProgress updates the no-progress counters from the last iteration. They
// shape the next continuation, and never keep an honest promise from being
// accepted.
func (s *State) updateProgress(e *Event) {
	said := fingerprint(e.Turn.Texts)
	again := said != "" && said == s.LastAnswer
	made, evident, first := s.progress(e)
	last := &s.History[len(s.History)-1]
	switch {
	case first: // nothing to compare with
	case made:
		last.Progress, s.Unchanged, s.UnchangedSeen = progressMade, 0, 0
	case evident || again:
		last.Progress, s.UnchangedSeen = progressNone, s.UnchangedSeen+1
		s.Unchanged++
	default:
		s.Unchanged++
	}
	s.countEmpty(e, s.Tree.Print != "" && e.Tree.Print != "" && s.Tree.Root == e.Tree.Root)
	for _, file := range e.Turn.Files {
		s.Edited = newest(addMissing(s.Edited, file), keptEdited)
	}
	if e.Tree.Print != "" {
		s.Tree = e.Tree
	}
	s.LastAnswer = said
	s.Struggle = s.whyStuck()
	last.Struggle = s.Struggle
}

// progress reports whether a turn changed anything, whether a change would have
// been seen, and whether this is the first look.
func (s *State) progress(e *Event) (made, evident, first bool) {
	switch {
	case e.Tree.Print == "":
		return len(e.Turn.Files) > 0, len(e.Turn.Tools) > 0, false
	case s.Tree.Print == "" || s.Tree.Root != e.Tree.Root:
		return len(e.Turn.Files) > 0, false, len(e.Turn.Files) == 0
	}
	return e.Tree.Print != s.Tree.Print, true, false
}

// keptEdited is the number of files that are looked at wherever they are.
const keptEdited = 100

func addMissing(list []string, item string) []string {
	if item == "" || slices.Contains(list, item) {
		return list
	}
	return append(slices.Clone(list), item)
}

// struggleHint is after how many iterations without a change the agent gets a hint.
const struggleHint = 3

// errorWindow is in how many iterations the same error line has to come twice.
const errorWindow = 3

// whyStuck says in words why the agent seems to be, or nothing.
func (s *State) whyStuck() string {
	if s.Unchanged >= struggleHint {
		return inARow(s.Unchanged)
	}
	recent := newest(s.History, errorWindow)
	last := recent[len(recent)-1]
	for _, h := range recent[:len(recent)-1] {
		for _, line := range last.Errors {
			if slices.Contains(h.Errors, line) {
				return "the same error came again: " + line
			}
		}
	}
	return ""
}

func inARow(n int) string {
	if n == 1 {
		return "the last iteration has changed nothing"
	}
	return fmt.Sprintf("%d iterations in a row have changed nothing", n)
}

// isStruggling reports whether the struggle breaker pauses the loop.
func (s *State) isStruggling() bool { return s.StrugglePause > 0 && s.UnchangedSeen >= s.StrugglePause }

// changedFiles lists what a turn changed: what edit events named, and what git
// sees that was otherwise before.
func (s *State) changedFiles(e *Event, named []string) []string {
	files := slices.Clone(named)
	if s.Tree.Print != "" && e.Tree.Print != "" && s.Tree.Root == e.Tree.Root {
		for _, file := range s.Tree.Files.changed(e.Tree.Files) {
			files = addFact(files, file)
		}
	}
	for _, file := range e.Committed {
		files = addFact(files, file)
	}
	slices.Sort(files)
	return files
}

// fingerprint is the same for the same words.
func fingerprint(texts []string) string {
	words := strings.Join(strings.Fields(strings.Join(texts, "\n")), " ")
	if words == "" {
		return ""
	}
	h := fnv.New64a()
	h.Write([]byte(words))
	return strconv.FormatUint(h.Sum64(), 36)
}

// An empty turn has no tool call and no changed file, and is over within
// emptyTime. So many in a row pause a loop: its agent does nothing.
const (
	emptyTime  = 5 * time.Second
	emptyTurns = 5
)

// countEmpty counts the last iteration if it was empty. A turn in which nothing
// could have shown work does not count.
func (s *State) countEmpty(e *Event, treeSeen bool) {
	h := s.History[len(s.History)-1]
	over := time.Duration(h.Seconds * float64(time.Second))
	if len(h.Tools) > 0 || len(h.Files) > 0 || h.Progress == progressMade || over >= emptyTime || !treeSeen && !s.showsWork(e) {
		s.Empty = 0
		return
	}
	s.Empty++
}

// showsWork reports whether work would be seen without git. The drivers of run see
// every tool call; one for a program that only prints sees at least words. In
// Cursor an earlier tool call proves that they are reported.
func (s *State) showsWork(e *Event) bool {
	switch {
	case s.Run.Driver == PrintsOnly:
		return len(e.Turn.Texts) == 0
	case s.Outer():
		return true
	}
	return s.ToolCalls > 0 || slices.ContainsFunc(s.History, func(h Iteration) bool { return len(h.Tools) > 0 })
}

// isIdle reports whether the loop pauses because its agent does nothing.
func (s *State) isIdle() bool { return s.Empty >= emptyTurns }

// Tree is what a workspace looked like at one moment, as far as git and the edit
// events tell. The zero Tree is an unknown one.
type Tree struct {
	Root  string   `json:"root,omitempty"`  // of git's work tree; empty without one
	Head  string   `json:"head,omitempty"`  // the commit; empty before the first
	Print string   `json:"print,omitempty"` // the same for the same content: of Head and of every changed file
	Files Contents `json:"files,omitempty"` // of what git calls changed, and of what edit events named
}

// Contents are fingerprints of files, by absolute path.
type Contents map[string]string

// changed lists the files, in order, that are not the same in both.
func (c Contents) changed(now Contents) []string {
	var list []string
	for path, content := range c {
		if now[path] != content {
			list = append(list, path)
		}
	}
	for path := range now {
		if _, ok := c[path]; !ok {
			list = append(list, path)
		}
	}
	slices.Sort(list)
	return list
}
