//go:build unix

package e2e_test

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/test/short"
	"github.com/cursor-ralph/cursor-ralph/test/simcursor"
)

// variant is one of the Cursors, machines and installations that there may be.
type variant struct {
	name string
	simcursor.Options
	installs [][]string // arguments of cursor-ralph install
	config   string     // the user's settings
	patience time.Duration
	shell    string // the user's login shell, /bin/sh unless set
	profile  string // ~/.profile
	old      bool   // a Cursor that knows the first events only
	version  string // cursor_version, a 3.6 unless set
	hidden   bool   // the programs are not on the PATH
}

var (
	user    = []string{}
	project = []string{"--project", "."}
)

// both are two installations, of which Cursor uses both.
func both() [][]string { return [][]string{user, project} }

// usual is the Cursor observed most, with cursor-ralph installed for the user.
func usual() variant { return variant{name: "usual", installs: [][]string{user}} }

// with is usual, but for what change changes.
func with(name string, change func(*variant)) variant {
	v := usual()
	v.name = name
	change(&v)
	return v
}

// option is usual, but for one thing that is not known about Cursor.
func option(name string, change func(*simcursor.Options)) variant {
	return with(name, func(v *variant) { change(&v.Options) })
}

// everything lists the variants with which every important promise is tried.
func everything() []variant {
	return slices.Concat([]variant{usual()}, prompts(), replies(), processes(), places())
}

// prompts differ in how a loop gets to its conversation.
func prompts() []variant {
	return []variant{
		option("expanded prompt", func(o *simcursor.Options) { o.ExpandCommands = true }),
		option("stripped prompt, plain output", func(o *simcursor.Options) { o.ExpandCommands, o.StripComments, o.PlainToolOutput = true, true, true }),
		option("stripped prompt, agent sees its id", func(o *simcursor.Options) { o.ExpandCommands, o.StripComments, o.AgentSeesID = true, true, true }),
		option("agent sees its id", func(o *simcursor.Options) { o.AgentSeesID = true }),
		option("ids as in the CLI", func(o *simcursor.Options) { o.AgentIDs = true }),
		option("quiet follow-ups", func(o *simcursor.Options) { o.QuietFollowups = true }),
		option("no added context", func(o *simcursor.Options) { o.IgnoreContext = true }),
		option("follow-ups first", func(o *simcursor.Options) { o.FollowupsFirst = true }),
		option("loop count is kept", func(o *simcursor.Options) { o.KeepLoopCount = true }),
		option("stop is an error", func(o *simcursor.Options) { o.AbortAsError = true }),
		option("all optional fields", func(o *simcursor.Options) {
			o.SessionID, o.Transcript, o.ComposerMode = true, true, "agent"
		}),
	}
}

// replies differ in how the assistant's words are reported.
func replies() []variant {
	return []variant{
		option("words per turn", func(o *simcursor.Options) { o.Responses = simcursor.PerTurn }),
		option("last words only", func(o *simcursor.Options) { o.Responses = simcursor.LastOnly }),
		option("words with the stop", func(o *simcursor.Options) { o.LateResponse = simcursor.WithStop }),
		option("words late in the stop", func(o *simcursor.Options) {
			o.LateResponse, o.LateBy = simcursor.WithStop, 300*time.Millisecond
		}),
		option("words after the stop", func(o *simcursor.Options) { o.LateResponse = simcursor.AfterStop }),
		option("words per turn after the stop", func(o *simcursor.Options) {
			o.Responses, o.LateResponse = simcursor.PerTurn, simcursor.AfterStop
		}),
	}
}

// processes differ in how a hook is run.
func processes() []variant {
	list := []variant{
		option("byte-order mark", func(o *simcursor.Options) { o.BOM = true }),
		option("here-document", func(o *simcursor.Options) { o.HereDoc = true }),
		option("here-document with a byte-order mark", func(o *simcursor.Options) { o.HereDoc, o.BOM = true, true }),
		option("another descriptor", func(o *simcursor.Options) { o.ExtraFD = true }),
		with("talking profile", func(v *variant) { v.profile = "echo Welcome back\nPATH=/usr/bin:/bin\n" }),
	}
	list = append(list, with("not on the PATH", func(v *variant) { v.hidden = true }))
	for _, shell := range []string{"/bin/bash", "/bin/zsh"} {
		if _, err := os.Stat(shell); err == nil {
			list = append(list, with("login shell "+shell, func(v *variant) { v.shell = shell }))
		}
	}
	return list
}

// places differ in where cursor-ralph is installed.
func places() []variant {
	return []variant{
		with("project", func(v *variant) { v.installs = [][]string{project} }),
		with("user and project", func(v *variant) { v.installs = both() }),
		with("user and project, expanded prompt", func(v *variant) { v.installs, v.ExpandCommands = both(), true }),
		with("user and project, words with the stop", func(v *variant) {
			v.installs, v.LateResponse = both(), simcursor.WithStop
		}),
		with("everything odd", func(v *variant) {
			v.installs, v.profile = both(), "echo Welcome\n"
			v.Options = simcursor.Options{
				ExpandCommands: true, QuietFollowups: true, AbortAsError: true, IgnoreContext: true, PlainToolOutput: true,
				Responses: simcursor.PerTurn, AgentIDs: true, SessionID: true, Transcript: true, ComposerMode: "agent",
				BOM: true, ExtraFD: true,
			}
		}),
	}
}

// without leaves out the variants in which a promise cannot be kept.
func without(list []variant, leaveOut func(variant) bool) []variant {
	return slices.DeleteFunc(list, leaveOut)
}

// unseen is where no hook sees the line that the user types: only a terminal takes back a pause or a stop there.
func unseen(v variant) bool { return v.StripComments }

func late(v variant) bool { return v.LateResponse != simcursor.InOrder }

// each plays a test on every variant, or with -short on the first.
func each(t *testing.T, list []variant, play func(*world)) {
	t.Parallel()
	for _, v := range short.First(list, 1) {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			play(newWorld(t, v))
		})
	}
}

// once plays a test on the usual Cursor.
func once(t *testing.T, play func(*world)) {
	t.Parallel()
	play(newWorld(t, usual()))
}

// few are the variants that matter most, for tests that are many already.
func few() []variant {
	return []variant{
		usual(),
		option("expanded prompt", func(o *simcursor.Options) { o.ExpandCommands = true }),
		with("user and project, expanded prompt, words with the stop", func(v *variant) {
			v.installs, v.ExpandCommands, v.LateResponse = both(), true, simcursor.WithStop
		}),
	}
}
