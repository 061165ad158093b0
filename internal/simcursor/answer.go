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
	Place    string // where the entry stands, as in File
	Index    int    // in the file's list of the event
	Command  string
	Timeout  time.Duration
	Matcher  string          // "" is none
	Payload  json.RawMessage // the JSON object given to the hook
	Skipped  bool            // not run, as its loop_limit is reached
	Exit     int             // -1 when it was killed or did not start
	Stdout   string
	Stderr   string
	Duration time.Duration
	Ended    time.Time // when its output was whole
	TimedOut bool
	Unread   int64 // bytes of its input the hook did not read

	// Answer is what the hook answered, nil when that does not count, which
	// Problem then explains unless there was simply nothing. Whether an answer
	// is used depends on the event: after an aborted turn none is.
	Answer  map[string]any
	Problem string

	FailClosed bool // a failure of this hook denies what the event asks about

	givenUp bool // Send's context ended: not the hook's fault
}

// judge says what counts of an ended hook's output.
func (r *Run) judge(out outcome) {
	r.Exit, r.Stdout, r.Stderr = out.exit, out.stdout, out.stderr
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
	}
}

// parseAnswer finds the one JSON object that must end the output. Lines of log
// may come before it, nothing after it.
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

// Violations lists what this hook did against the protocol.
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

// blocked says whether a run forbids what its event asks about: by answering
// key with value, by exit code 2, or by failing although it is failClosed.
func blocked(runs []Run, key string, value any) bool {
	return slices.ContainsFunc(runs, func(r Run) bool {
		return r.Answer[key] == value || r.Exit == 2 && !r.TimedOut || r.failed() && r.FailClosed
	})
}

func (r Run) failed() bool { return r.Answer == nil && r.Problem != "" }

// lastString gives the last defined answer; "" defines, {} and null do not.
func lastString(runs []Run, key string) string {
	last := ""
	for _, r := range runs {
		if s, ok := r.Answer[key].(string); ok {
			last = s
		}
	}
	return last
}
