package cmdline_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/internal/cmdline"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// A slip never costs a gate: a line that could be read without one is an error, which shows
// the line as it was understood.
func TestASlipNeverCostsAGate(t *testing.T) {
	for _, tt := range []struct{ name, text, want, understood string }{
		{"the task's second quote is missing", `"make the tests pass --verify "npm test"`, "option --verify in it", `'make the tests pass --verify "npm test'`},
		{"and the value's quotes", `"make the tests pass --verify npm test"`, "option --verify in it", `"make the tests pass --verify npm test"`},
		{"all in one pair of quotes", `'make the tests pass --verify "npm test"'`, "option --verify in it", `'make the tests pass --verify "npm test"'`},
		{"the value's quotes are missing", `"make the tests pass" --verify npm test --max-iterations 5`, `"test" is left over`, `"make the tests pass" --verify npm and then "test --max-iterations 5"`},
		{"without any quotes", `fix it --verify npm run test`, `"run test" is left over`, `"fix it" --verify npm and then "run test"`},
		{"words behind a number", `fix it --max-iterations 5 and the docs`, `"and the docs" is left over`, `"fix it" --max-iterations 5 and then "and the docs"`},
		{"the task without quotes comes last", `--verify "npm test" fix it`, `"fix it" is left over`, `--verify "npm test" and then "fix it"`},
		{"the value's quote is not closed", `"fix it" --verify "npm test`, "is not closed", `"fix it" and then '"npm test'`},
		{"the task's quote is not closed", `"fix it`, "is not closed", `and then '"fix it'`},
		{"a letter is missing", `"fix it" --verfy "npm test"`, "unknown option --verfy (did you mean --verify?)", `"fix it" and then '--verfy "npm test"'`},
		{"another program's option in a task without quotes", `add --verbose to it --checkpoints`, "unknown option --verbose", "add"},
		{"a space after the hyphens", `fix it -- verify "npm test"`, "option --verify in it", ""},
		{"no space before the option", `"do it"--verify "npm test"`, "option --verify in it", ""},
		{"nor quotes", `do it--verify npm`, "option --verify in it", ""},
		{"a semicolon before it", `"do it";--verify "npm test"`, "option --verify in it", ""},
		{"a comma before it", `"do it", --verify "npm test"`, "option --verify in it", ""},
		{"the option in quotes", `"do it" "--verify" "npm test"`, "option --verify in it", ""},
		{"no space after the option", `do it.--verify"npm test"`, "option --verify in it", ""},
		{"in brackets", `"do it" (--verify "npm test")`, "is not closed", ""},
		{"a dash behind a curly quote", `“do it”—verify “npm test”`, "option --verify in it", ""},
		{"one hyphen in the task", `"fix it -verify npm"`, "option --verify in it", ""},
		{"a dash in the option", `"do it" ‐‐max‑iterations 5`, "option --max-iterations in it", ""},
		{"signs that nobody sees", "\"do it\" -\u200b-veri\u00adfy \"npm test\"", "option --verify in it", ""},
		{"capitals", `"do it" –Verify "npm test"`, "option --verify in it", ""},
		{"a command twice", `"do it" --verify "npm test" --verify "npm run lint"`, "--verify is given twice", ""},
		{"a number twice", `x --max-iterations 7 --max-iterations 5`, "--max-iterations is given twice", ""},
		{"an option and its opposite", `x --verify "npm test" --no-verify`, "--verify and --no-verify: give one of them", ""},
		{"an option without its value in the task", `"explain --verify"`, "then -- and the task", ""},
		{"our command", `status`, "status is a command of cursor-ralph, not a task: send /ralph-status", ""},
		{"another one", `cancel`, "send /cancel-ralph", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := cmdline.Parse(tt.text, nil)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("got %v, want %s", err, tt.want)
			}
			lines := strings.Join(cmdline.Explained("/ralph-loop", err), "\n")
			if !strings.Contains(lines, "\nUnderstood: /ralph-loop "+tt.understood) && tt.understood != "" {
				t.Errorf("got %s\nwant understood %s", lines, tt.understood)
			}
		})
	}
}

// One or two dashes of any kind before an option's name are meant as an option.
func TestEveryDashBeginsAnOption(t *testing.T) {
	for _, dash := range []string{"-", "—", "–", "‑", "−", "－", "﹣", "⸺", "ー", "‐‐", "‑‑", "−−", "－－", "﹣﹣", "––", "-–"} {
		r, err := cmdline.Parse(`"do it" `+dash+`verify "npm test"`, nil)
		if err != nil || r.State.Verify != "npm test" || r.State.Prompt != "do it" {
			t.Errorf("%s: got %q, %q, %v", dash, r.State.Prompt, r.State.Verify, err)
		}
	}
}

// In a terminal the shell has taken the quotes away.
func TestArguments(t *testing.T) {
	for _, tt := range []struct {
		name             string
		args             []string
		task, verify     string
		slip, understood string
	}{
		{"a task in quotes", []string{"fix it", "--verify", "npm test"}, "fix it", "npm test", "", ""},
		{"words", []string{"fix", "the", "old bug", "$HOME", "'tis"}, "fix the old bug $HOME 'tis", "", "", ""},
		{"an equals sign", []string{"fix", "--verify=npm test"}, "fix", "npm test", "", ""},
		{"quotes in the task", []string{`say "hi" and it's \done`}, `say "hi" and it's \done`, "", "", ""},
		{"after --", []string{"--verify", "npm test", "--", "explain", "--verify"}, "explain --verify", "npm test", "", ""},
		{"one word last", []string{"--verify", "npm test", "fix"}, "fix", "npm test", "", ""},
		{"one word behind a value of one word", []string{"--verify", "npm", "test"}, "", "", `"test" is left over`, "--verify npm and then test"},
		{"no task", []string{"--verify", "npm test"}, "", "npm test", "", ""},
		{"words behind a value", []string{"fix", "it", "--verify", "npm", "test"}, "", "", `"test" is left over`, `"fix it" --verify npm and then test`},
		{"an option in the task", []string{`fix it --verify "npm test"`}, "", "", "option --verify in it", `'fix it --verify "npm test"'`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			task, given, err := cmdline.ParseArgs(tt.args, loop.Options())
			if tt.slip == "" {
				var want []cmdline.Given
				if tt.verify != "" {
					want = []cmdline.Given{{"verify", tt.verify}}
				}
				if err != nil || task != tt.task || !slices.Equal(given, want) {
					t.Errorf("got %q, %q, %v", task, given, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.slip) || !strings.HasSuffix(strings.Join(cmdline.Explained("start", err), "\n"), "Understood: start "+tt.understood) {
				t.Errorf("got %q", cmdline.Explained("start", err))
			}
		})
	}
}

func TestACommandThatDoesNotBeginItsMessage(t *testing.T) {
	for message, want := range map[string]string{
		`/ralph-loop "fix it"`:                                "",
		"fix it":                                              "",
		"see docs/ralph-loop and /ralph-loop2":                "",
		`fix it /ralph-loop --verify "npm test"`:              "/ralph-loop",
		"fix it\n/ralph-loop":                                 "/ralph-loop",
		`now: /ulw-loop "fix it" --max-iterations 3`:          "/ulw-loop",
		"[Ralph loop 2/3] send\n/ralph-loop --continue k7f2m": "",
		"# /ralph-loop: work\n\n    /ralph-loop <task>":       "",
	} {
		if got := cmdline.Misplaced(message); got != want {
			t.Errorf("%q: got %q, want %q", message, got, want)
		}
	}
}
