package simcursor

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Run is one entry of a hooks.json at one event.
type Run struct {
	Event    string
	Place    string // of the file, as in File
	Index    int    // in the file's list of the event
	Command  string
	Timeout  time.Duration
	Matcher  string          // "" matches all
	Payload  json.RawMessage // the hook's input
	Skipped  bool            // not run: loop_limit is reached
	Exit     int             // -1 if it was killed or did not start
	Stdout   string          // that Cursor read
	Stderr   string
	Missed   string // stdout that was lost
	Lost     bool   // an answer other than {} was lost
	Duration time.Duration
	Exited   time.Time // when the process exited
	Ended    time.Time // when its output was complete, or its exit was noticed
	TimedOut bool
	Unread   int64 // bytes of its input that the hook did not read

	// Answer is nil if the hook's answer does not count. Problem says why, unless
	// the hook wrote nothing. Cursor does not use an answer after an aborted turn.
	Answer  map[string]any
	Problem string

	FailClosed bool // a failure of this hook denies the action

	givenUp bool // Send's context was done
}

func (r *Run) judge(out outcome) {
	r.Exit, r.Stdout, r.Stderr = out.exit, out.stdout, out.stderr
	r.Exited = out.exited
	r.TimedOut, r.Unread, r.givenUp = out.timedOut, out.unread, out.givenUp
	switch {
	case out.err != nil:
		r.Problem = out.err.Error()
	case out.timedOut && out.exit >= 0:
		r.Problem = "exited, but its output was held open until the timeout"
	case out.timedOut:
		r.Problem = "timed out"
	case out.exit != 0:
		r.Problem = fmt.Sprintf("exit code %d", out.exit)
	default:
		r.Answer, r.Problem = parseAnswer(out.stdout)
		if out.missed != "" {
			r.setMissed(out.missed)
		}
	}
}

// parseAnswer reads the one JSON object at the end of the output. Log lines may
// precede it.
func parseAnswer(stdout string) (answer map[string]any, problem string) {
	text := strings.Trim(stdout, " \t\r\n")
	if text == "" {
		return nil, ""
	}
	for rest := text; rest != ""; {
		if strings.HasPrefix(strings.TrimLeft(rest, " \t\r"), "{") {
			var object map[string]any
			dec := json.NewDecoder(strings.NewReader(rest))
			if dec.Decode(&object) == nil {
				if strings.Trim(rest[dec.InputOffset():], " \t\r\n") == "" {
					return object, ""
				}
				return nil, "text after the JSON object"
			}
		}
		_, rest, _ = strings.Cut(rest, "\n")
	}
	return nil, "output is not a JSON object"
}

// Violations lists how this hook violated the protocol.
func (r Run) Violations() []string {
	if r.Skipped || r.givenUp {
		return nil
	}
	var all []string
	add := func(what string) {
		all = append(all, fmt.Sprintf("%s hook of the %s (%s): %s", r.Event, r.Place, r.Command, what))
	}
	if r.Problem != "" {
		add(r.Problem)
	}
	if r.Unread > 0 {
		add(fmt.Sprintf("left %d bytes of its input unread, which can break the pipe (EPIPE)", r.Unread))
	}
	return all
}

// blocked reports whether a run denies the action: by answering key with value, by
// exit code 2, or by failing if it is failClosed.
func blocked(runs []Run, key string, value any) bool {
	return slices.ContainsFunc(runs, func(r Run) bool {
		return r.Answer[key] == value || r.Exit == 2 && !r.TimedOut || r.failed() && r.FailClosed
	})
}

func (r Run) failed() bool { return r.Answer == nil && r.Problem != "" }

// lastString returns the last answer that has a string at key, even an empty one.
func lastString(runs []Run, key string) string {
	last := ""
	for _, r := range runs {
		if s, ok := r.Answer[key].(string); ok {
			last = s
		}
	}
	return last
}
