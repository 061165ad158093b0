package handoff

import (
	"strconv"
	"time"
)

// Flags is what takes the flags of a call: the flag sets of packages flag and
// pflag read them.
type Flags interface {
	BoolVar(p *bool, name string, value bool, usage string)
	IntVar(p *int, name string, value int, usage string)
	StringVar(p *string, name string, value string, usage string)
	DurationVar(p *time.Duration, name string, value time.Duration, usage string)
}

// arguments writes the flags that are not zero.
type arguments []string

func (a *arguments) add(given bool, parts ...string) {
	if given {
		*a = append(*a, parts...)
	}
}

func (a *arguments) BoolVar(p *bool, name string, _ bool, _ string) { a.add(*p, "--"+name) }

func (a *arguments) IntVar(p *int, name string, _ int, _ string) {
	a.add(*p != 0, "--"+name, strconv.Itoa(*p))
}

func (a *arguments) StringVar(p *string, name string, _ string, _ string) {
	a.add(*p != "", "--"+name, *p)
}

func (a *arguments) DurationVar(p *time.Duration, name string, _ time.Duration, _ string) {
	a.add(*p != 0, "--"+name, p.String())
}

func write(command string, call interface{ Flags(Flags) }) []string {
	a := arguments{command}
	call.Flags(&a)
	return a
}

// Inject is cursor-ralph inject: type the continue line of a loop.
type Inject struct {
	Conversation string
	DryRun       bool
	Any, Fresh   bool   // with DryRun; into a new chat
	Injection    string // under which the hook began it
	After        int    // the hook's process, which must end first
}

// Flags lists them.
func (i *Inject) Flags(f Flags) {
	f.BoolVar(&i.DryRun, "dry-run", false, "press nothing; show which ways of typing would work")
	f.BoolVar(&i.Any, "any", false, "with --dry-run: find out only whether any works")
	f.BoolVar(&i.Fresh, "fresh", false, "with --dry-run: into a new chat")
	f.StringVar(&i.Injection, "injection", "", "the `ID` under which the hook began it")
	f.IntVar(&i.After, "after", 0, "the process `ID` of the hook, which has to be over first")
}

// args has the id behind what ends the flags: it may begin with a hyphen.
func (i Inject) args() []string { return append(write("inject", &i), "--", i.Conversation) }

// Verify is cursor-ralph verify: run the gate round of a loop.
type Verify struct {
	Conversation string
	Limit        time.Duration
	For          string // the Verifying whose result is waited for
	Check        bool   // only whether the gates of a new loop can be passed
}

// Flags lists them.
func (v *Verify) Flags(f Flags) {
	f.DurationVar(&v.Limit, "limit", 0, "end the round after the time `D`, if that is less than the loop's limits")
	f.StringVar(&v.For, "for", "", "the `ID` of the verification that is asked for")
	f.BoolVar(&v.Check, "check", false, "only check whether the gates of the loop on standard input can be passed")
}

func (v Verify) args() []string { return append(write("verify", &v), "--", v.Conversation) }

// Survey is cursor-ralph survey: find out what a loop needs to know when it begins, and
// at the end of a turn. The loop is on its standard input, since a new one is in no
// file yet.
type Survey struct{ Begin bool }

// Flags lists them.
func (s *Survey) Flags(f Flags) {
	f.BoolVar(&s.Begin, "begin", false, "the loop begins")
}

// Notify is cursor-ralph notify: show a notification about a loop.
type Notify struct {
	IfWanted  bool
	Undecided string // why a stop could not be decided
}

// Flags lists them.
func (n *Notify) Flags(f Flags) {
	f.BoolVar(&n.IfWanted, "if-wanted", false, "show it only to a user who has notifications on")
	f.StringVar(&n.Undecided, "undecided", "", "say that a stop could not be decided, and `WHY`")
}

// Prune is cursor-ralph prune, as it runs when a loop ends.
type Prune struct{ Auto bool }

// Flags lists them.
func (p *Prune) Flags(f Flags) {
	f.BoolVar(&p.Auto, "auto", false, "print nothing, and leave what is locked (runs when a loop ends)")
}
