package simulate

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/simcursor"
)

// unknown is a fact about Cursor that is unknown or differs between versions.
type unknown struct {
	Name   string   `json:"name"`
	Other  string   `json:"other"` // what --assume assumes
	events []string // whose hooks it concerns; if none, only --assume help shows it
	set    func(*simcursor.Config)
	value  string // of NAME=value, or ""
	parse  func(*simcursor.Config, string) error
}

func unknowns() []unknown {
	stop, prompt, response := []string{"stop"}, []string{"beforeSubmitPrompt"}, []string{"afterAgentResponse"}
	withContext := []string{"sessionStart", "beforeSubmitPrompt", "postToolUse", "postToolUseFailure"}
	option := func(name, other string, events []string, set func(*simcursor.Options)) unknown {
		return unknown{Name: name, Other: other, events: events, set: func(c *simcursor.Config) { set(&c.Options) }}
	}
	return []unknown{
		{Name: "old-events", Other: "Cursor 2.0, which drops files with newer events", set: func(c *simcursor.Config) { c.Events = simcursor.OldEvents() }},
		option("byte-order-mark", "standard input begins with a byte-order mark, as on Windows", nil, func(o *simcursor.Options) { o.BOM = true }),
		option("here-document", "standard input is a here-document after the command", nil, func(o *simcursor.Options) { o.HereDoc = true }),
		option("read-until-exit", "output that Cursor has not read when it notices the hook's exit is lost; Cursor is busy for up to 40 ms at a time", nil, func(o *simcursor.Options) { o.ReadUntilExit = true }),
		option("plain-shell", "sh -c runs a hook's command, not a login shell", nil, func(o *simcursor.Options) { o.Start = simcursor.PlainShell }),
		option("no-shell", "Cursor starts a hook's program directly", nil, func(o *simcursor.Options) { o.Start = simcursor.Direct }),
		{Name: "lose-stop", value: "N", Other: "the answers to the Nth stop event are lost, as if they were {}; may be given more than once", parse: loseStop},
		{Name: "lose-one-in", value: "N[:SEED]", Other: "the answers to a random one in N events are lost", parse: loseOneIn},
		option("agent-ids", "conversation_id is agent-<uuid>, as in the CLI", nil, func(o *simcursor.Options) { o.AgentIDs = true }),
		option("constant-generation", "generation_id is the conversation's id in every turn", nil, func(o *simcursor.Options) { o.ConstantGeneration = true }),
		option("drive-roots", "workspace_roots are like /c:/Users/ada/shop, as on Windows", nil, func(o *simcursor.Options) { o.DriveRoots = true }),
		option("expanded-commands", "the hook gets a slash command's text, not the typed line", prompt, func(o *simcursor.Options) { o.ExpandCommands = true }),
		option("plain-commands", "the agent gets a typed slash command unexpanded, like a pasted one", nil, func(o *simcursor.Options) { o.PlainCommands = true }),
		option("quiet-followups", "beforeSubmitPrompt does not fire for follow-ups", prompt, func(o *simcursor.Options) { o.QuietFollowups = true }),
		option("prompt-first-aborted", "a message typed during a turn fires beforeSubmitPrompt at once and stops the turn; the turn's stop event follows", prompt, func(o *simcursor.Options) { o.Ahead = simcursor.AheadAborted }),
		option("prompt-first-completed", "a message typed during a turn fires beforeSubmitPrompt at the end of the turn, before its stop event", prompt, func(o *simcursor.Options) { o.Ahead = simcursor.AheadCompleted }),
		option("kept-loop-count", "a user's message does not set loop_count to 0", stop, func(o *simcursor.Options) { o.KeepLoopCount = true }),
		option("five-followups", "Cursor ignores loop_limit: five follow-ups, whatever it says", stop, func(o *simcursor.Options) { o.IgnoreLoopLimit = true }),
		option("abort-as-error", "the Stop button is reported as error", stop, func(o *simcursor.Options) { o.AbortAsError = true }),
		option("turn-tokens", "the end of a turn has the turn's token counts, except after Stop", stop, func(o *simcursor.Options) { o.Tokens = simcursor.TurnTokens }),
		option("no-tokens", "the end of a turn has no token counts", stop, func(o *simcursor.Options) { o.Tokens = simcursor.NoTokens }),
		option("response-per-turn", "afterAgentResponse fires once a turn, with all messages", response, func(o *simcursor.Options) { o.Responses = simcursor.PerTurn }),
		option("last-response", "afterAgentResponse fires once a turn, with the last message", response, func(o *simcursor.Options) { o.Responses = simcursor.LastOnly }),
		option("late-response", "the last afterAgentResponse fires after stop", response, func(o *simcursor.Options) { o.LateResponse = simcursor.AfterStop }),
		option("ignored-context", "Cursor ignores additional_context", withContext, func(o *simcursor.Options) { o.IgnoreContext = true }),
		option("ignored-prompt-context", "Cursor ignores the additional_context of beforeSubmitPrompt", prompt, func(o *simcursor.Options) { o.PromptNoContext = true }),
		option("plain-tool-output", "tool_output of a shell command is its output, not JSON", []string{"postToolUse"}, func(o *simcursor.Options) { o.PlainToolOutput = true }),
	}
}

func loseStop(c *simcursor.Config, value string) error {
	n, err := count(value)
	c.Options.LoseStops = append(c.Options.LoseStops, n)
	return err
}

func loseOneIn(c *simcursor.Config, value string) (err error) {
	n, seed, _ := strings.Cut(value, ":")
	if c.Options.LoseOneIn, err = count(n); err != nil {
		return err
	}
	c.Options.LoseSeed, err = strconv.ParseUint(cmp.Or(seed, "0"), 10, 64)
	return err
}

func count(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err == nil && n < 1 {
		err = fmt.Errorf("%d is less than 1", n)
	}
	return n, err
}

func (u unknown) title() string {
	if u.value == "" {
		return u.Name
	}
	return u.Name + "=" + u.value
}

func listUnknowns(e *cli.Env) error {
	for _, u := range unknowns() {
		if err := e.Say("%-22s %s", u.title(), u.Other); err != nil {
			return err
		}
	}
	return nil
}

func (s *simulation) assume(assumptions []string) error {
	all := unknowns()
	for _, assumption := range assumptions {
		name, value, valued := strings.Cut(assumption, "=")
		i := slices.IndexFunc(all, func(u unknown) bool { return u.Name == name })
		const todo = "`cursor-ralph simulate --assume help` lists the names"
		switch {
		case i < 0:
			return hint.Misuse("unknown assumption "+name, todo)
		case valued != (all[i].value != ""):
			return hint.Misuse("--assume "+assumption+": the form is "+all[i].title(), todo)
		case valued:
			if err := all[i].parse(&s.cfg, value); err != nil {
				return hint.Misuse("--assume "+assumption+": "+err.Error(), todo)
			}
		default:
			all[i].set(&s.cfg)
		}
	}
	return nil
}

func (s *simulation) unknowns() []unknown {
	var found []unknown
	for _, u := range unknowns() {
		matters := func(x simulatedStep) bool { return slices.Contains(u.events, x.Event) }
		if slices.ContainsFunc(s.report.Steps, matters) {
			found = append(found, u)
		}
	}
	return found
}
