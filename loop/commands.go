package loop

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

// Commands are what a loop has run, and the lists that its promise has to pass. They are
// in the loop's record in the state folder alone. A live or pending file lies in /tmp,
// where an agent in a sandbox can write too: what stands there is shown, and not run.
type Commands struct {
	Verify      string   `json:"verify,omitempty"`        // a command that must succeed before a promise counts
	Tasks       string   `json:"tasks,omitempty"`         // the file of the task list in which none may be open
	Baseline    int      `json:"task_baseline,omitempty"` // how many tasks there were when the loop began
	Review      string   `json:"review,omitempty"`        // AGENT or AGENT:MODEL, which has to find nothing
	GateTimeout Duration `json:"gate_timeout,omitempty"`  // for the command and for the review; 0 for the default
	Checkpoints bool     `json:"checkpoints,omitempty"`   // each iteration's work tree is kept as a commit
	OnEnd       string   `json:"on_end,omitempty"`        // the command that gets the record when the loop has ended
	Run         Run      `json:"run,omitzero"`            // of a loop of cursor-ralph run: how its agent is started
}

// HasAny reports whether there is anything to run, to read or to pass.
func (c *Commands) HasAny() bool {
	return c.Verify != "" || c.Tasks != "" || c.Review != "" || c.Checkpoints || c.OnEnd != "" || c.Run.Driver != ""
}

// Equal reports whether two loops have the same commands.
func (c Commands) Equal(other Commands) bool {
	a, errA := json.Marshal(c)
	b, errB := json.Marshal(other)
	return errA == nil && errB == nil && string(a) == string(b)
}

// InTmp returns a loop as its live or pending file has it: without what only its record
// has.
func (s State) InTmp() State {
	s.HasRecord, s.Commands, s.Archive = s.HasRecord || s.HasAny(), Commands{}, Archive{}
	return s
}

// WithCommands returns a loop that was read from /tmp with the commands of its record.
func (s State) WithCommands(c Commands) State {
	s.Misplaced = s.misplaced(&c)
	s.Commands, s.HasRecord, s.Archive = c, s.HasRecord && !c.HasAny(), Archive{}
	return s
}

// WithRecord returns a loop that was read from its live file with what its record alone
// says; one without an id is not a record.
func (s State) WithRecord(r State) State {
	lost := r.ID == "" && s.HasGate() // written by hand: without its gates any promise would end it
	s = s.WithCommands(r.Commands)
	s.HasRecord = s.HasRecord || lost
	if s.Kept = r.ID != ""; s.Kept {
		s.ID, s.Workspace = r.ID, cmp.Or(r.Workspace, s.Workspace)
		s.Archive = s.Asked(r).Archive
	}
	return s
}

// WithView returns the loop of a record with the two fields that a person may change in its live file.
func (s State) WithView(v State) State {
	s.Misplaced = v.misplaced(&s.Commands)
	s.Stop, s.LastOutput, s.Kept = v.Stop, v.LastOutput, true
	return s
}

// Asked returns a loop with what the record that it had says of its past.
func (s State) Asked(r State) State {
	if s.Archive = r.Archive; s.Task == "" && s.Prompt != r.Prompt {
		s.Task = r.Prompt
	}
	return s
}

// IsAsked reports whether a record is of a loop that is still pending.
func (s *State) IsAsked() bool { return s.StartedAt.IsZero() && !s.Status.Ended() }

// LacksRecord reports whether a loop had commands when it was asked for, and its record
// is not there: no promise of it counts.
func (s *State) LacksRecord() bool { return s.HasRecord }

// HasGate reports whether something decides about a promise, or runs at the end.
func (c *Commands) HasGate() bool {
	return c.Verify != "" || c.Tasks != "" || c.Review != "" || c.OnEnd != ""
}

// misplaced names the commands that stand in a live or pending file and not in the record.
func (c *Commands) misplaced(kept *Commands) string {
	var names []string
	for _, o := range []struct{ name, here, kept string }{
		{"--verify", c.Verify, kept.Verify}, {"--tasks", c.Tasks, kept.Tasks}, {"--review", c.Review, kept.Review}, {"--on-end", c.OnEnd, kept.OnEnd},
		{"an agent", c.Run.Command, kept.Run.Command},
	} {
		if o.here != "" && o.here != o.kept {
			names = append(names, o.name+" "+text.FirstHead(o.here, keptErrors))
		}
	}
	if c.Checkpoints && !kept.Checkpoints {
		names = append(names, "--checkpoints")
	}
	if len(names) == 0 {
		return ""
	}
	return "not run, because only the loop's file in the temporary folder has it: " + strings.Join(names, "; ")
}
