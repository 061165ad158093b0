package cmdline_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cursor-ralph/cursor-ralph/internal/cmdline"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// The task of a command that has no options.
func TestTheTaskOfACommand(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"in straight quotes", `"fix the bug"`, "fix the bug"},
		{"in apostrophes", `'fix the bug'`, "fix the bug"},
		{"in curly quotes", `“fix the bug”`, "fix the bug"},
		{"in single curly quotes", `‘fix the bug’`, "fix the bug"},
		{"in German quotes", `„fix the bug“`, "fix the bug"},
		{"in Polish quotes", `„fix the bug”`, "fix the bug"},
		{"in Swedish quotes", `”fix the bug”`, "fix the bug"},
		{"without quotes", `fix the bug`, "fix the bug"},
		{"without quotes, with its white space", "fix\n\n\tthe  bug", "fix\n\n\tthe  bug"},
		{"with white space around", " \r\n fix the bug \n", "fix the bug"},
		{"one word", "fix", "fix"},

		{"spaces in the quotes stay", `"  fix the bug  "`, "  fix the bug  "},
		{"newlines in the quotes stay", "\"fix\r\n\n  the bug\n\"", "fix\r\n\n  the bug\n"},
		{"other programs' options in the quotes are words", `"add --verbose and --max 5"`, "add --verbose and --max 5"},
		{"after --, our options are words", `-- add --verify and "--max-iterations 5`, `add --verify and "--max-iterations 5`},
		{"after --, in quotes", `-- "explain --verify"`, "explain --verify"},
		{"other quotes in the quotes", `"say 'hello' and “bye” now"`, "say 'hello' and “bye” now"},
		{"a quote in the quotes, by a backslash", `"say \"hello\" now"`, `say "hello" now`},
		{"a backslash in the quotes, by another", `"C:\\"`, `C:\`},
		{"no other escapes", `"a\nb\tc\$d\'e\` + "`" + `f\x"`, `a\nb\tc\$d\'e\` + "`" + `f\x`},
		{"no curly escapes in straight quotes", `"a \“b\” \„c"`, `a \“b\” \„c`},
		{"a curly quote in curly quotes, by a backslash", `“say \“hello\” and \„so\" now”`, `say “hello” and „so" now`},
		{"no other escapes in curly quotes", `“a\nb\tc\$d\'e\f\x”`, `a\nb\tc\$d\'e\f\x`},
		{"no escapes in apostrophes", `'a \\ b \" c \'`, `a \\ b \" c \`},
		{"no escapes in single curly quotes", `‘a \\ b \’`, `a \\ b \`},
		{"no escapes without quotes", `a \" \\ b`, `a \" \\ b`},
		{"an apostrophe in apostrophes", `'don't stop'`, "don't stop"},
		{"a quote in the quotes that no space follows", `"use "x", then "y"."`, `use "x", then "y".`},

		{"apostrophes in words", "it's done, isn't it", "it's done, isn't it"},
		{"an apostrophe behind a word", "the users' files", "the users' files"},
		{"a curly apostrophe in a word", "it’s done", "it’s done"},
		{"a curly apostrophe before a word", "’tis done", "’tis done"},
		{"a quote in a word", `set x="1" and 5"`, `set x="1" and 5"`},
		{"a quoted word among others", `rename "old name" to "new name" now`, `rename "old name" to "new name" now`},
		{"a quoted word at the beginning", `"old name" becomes "new name"`, `"old name" becomes "new name"`},
		{"quoted words only", `"old name" "new name"`, `"old name" "new name"`},
		{"an option in a quoted word", `add "--verbose --fast" to it`, `add "--verbose --fast" to it`},
		{"a quoted word with an escape", `print "a \" --b" now`, `print "a \" --b" now`},

		{"what a shell would expand", "run $(rm -rf ~) `date` $HOME ${X} * ? [a] {b,c} !! ~ && ; | > <", "run $(rm -rf ~) `date` $HOME ${X} * ? [a] {b,c} !! ~ && ; | > <"},
		{"a here-document", "cat <<EOF\nx\nEOF", "cat <<EOF\nx\nEOF"},
		{"a slash command", "/ralph-loop x", "/ralph-loop x"},
		{"two hyphens are a word", "a -- b", "a -- b"},
		{"three hyphens are a word", "a --- b ---x", "a --- b ---x"},
		{"hyphens and a number are a word", "from --5 to --=x", "from --5 to --=x"},
		{"one hyphen is a word", "- a -b -max 5", "- a -b -max 5"},
		{"hyphens in a word", "a--b c--", "a--b c--"},
		{"names of files and words that end like our options", "rename *-review.md, a_-plan.go and re-verify the self-review; then a 3-file plan/x-plan", "rename *-review.md, a_-plan.go and re-verify the self-review; then a 3-file plan/x-plan"},
		{"a list", "do it:\n- plan it\n- review it", "do it:\n- plan it\n- review it"},
		{"a dash between words", "first plan—review later — verify it", "first plan—review later — verify it"},
		{"a dash is a word", "fix it — now —or never", "fix it — now —or never"},
		{"emoji", "make it 🚀", "make it 🚀"},
		{"a byte-order mark in it", "a\ufeffb", "a\ufeffb"},
		{"the replacement character", "a \ufffd b", "a \ufffd b"},
		{"a zero byte", "a\x00b", "a\x00b"},
		{"guillemets are words", "«fix it»", "«fix it»"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := cmdline.Parse(tt.text, nil)
			if err != nil {
				t.Fatal(err)
			}
			want := loop.New()
			want.Prompt = tt.want
			if diff := cmp.Diff(want, r.State); diff != "" || r.Replace || r.Continue != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestTheOptionsOfACommand(t *testing.T) {
	set := func(change func(*loop.State)) loop.Request {
		l := loop.New()
		l.Prompt = "x"
		change(&l)
		return loop.Request{State: l}
	}
	limit := func(n int) loop.Request { return set(func(l *loop.State) { l.MaxIterations = n }) }
	promise := func(p string) loop.Request { return set(func(l *loop.State) { l.CompletionPromise = p }) }
	replace := set(func(*loop.State) {})
	replace.Replace = true
	for _, tt := range []struct {
		name, text string
		want       loop.Request
	}{
		{"behind the task", `"x" --max-iterations 5`, limit(5)},
		{"with an equals sign", `"x" --max-iterations=5`, limit(5)},
		{"with a quoted value", `"x" --max-iterations "5"`, limit(5)},
		{"with an equals sign and a quoted value", `"x" --max-iterations="5"`, limit(5)},
		{"behind a task without quotes", `x --max-iterations 5`, limit(5)},
		{"on a line of its own", "x\n--max-iterations\n5\n", limit(5)},
		{"before the task", `--max-iterations 5 "x"`, limit(5)},
		{"before and behind the task", `--replace "x" --max-iterations 5`, loop.Request{State: limit(5).State, Replace: true}},
		{"with a dash for the hyphens", `"x" —max-iterations 5`, limit(5)},
		{"with a dash and an equals sign", `"x" —max-iterations=5`, limit(5)},
		{"the lowest limit", `x --max-iterations 1`, limit(1)},
		{"the highest limit", `x --max-iterations 10000`, limit(10000)},

		{"a promise", `x --completion-promise DONE`, promise("DONE")},
		{"a promise in quotes", `x --completion-promise "ALL DONE"`, promise("ALL DONE")},
		{"a promise in curly quotes", `x --completion-promise=“ALL DONE”`, promise("ALL DONE")},
		{"a promise in apostrophes", `x --completion-promise='ALL "DONE"'`, promise(`ALL "DONE"`)},
		{"a promise with an escape", `x --completion-promise "A \"B\" C"`, promise(`A "B" C`)},
		{"a promise with an apostrophe", `x --completion-promise it's`, promise("it's")},
		{"a promise with an equals sign", `x --completion-promise=a=b`, promise("a=b")},
		{"a promise like an option", `x --completion-promise=--replace`, promise("--replace")},
		{"a promise of one hyphen", `x --completion-promise -`, promise("-")},
		{"a promise of patterns", `x --completion-promise .*$(id)`, promise(".*$(id)")},
		{"the longest promise", `x --completion-promise ` + strings.Repeat("é", 100), promise(strings.Repeat("é", 100))},

		{"everything", `x --min-iterations=2 --promise-match lenient --min-tool-calls 0 --on-promise-no-work warn --max-duration 1h30m --plan`,
			set(func(l *loop.State) {
				l.MinIterations, l.PromiseMatch, l.MinToolCalls = 2, "lenient", 0
				l.NoWork, l.MaxDuration, l.Plan = "warn", loop.Duration(90*time.Minute), true
			})},
		{"the other choices", `x --promise-match lenient --on-promise-no-work accept`,
			set(func(l *loop.State) { l.PromiseMatch, l.NoWork = "lenient", "accept" })},
		{"the defaults by name", `x --promise-match exact --on-promise-no-work reject --max-iterations 20 --min-iterations 1 --min-tool-calls 1 --completion-promise COMPLETE`,
			set(func(*loop.State) {})},
		{"a least that is the limit", `x --min-iterations 20`, set(func(l *loop.State) { l.MinIterations = 20 })},
		{"replace", `x --replace`, replace},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := cmdline.Parse(tt.text, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want.State, r.State); diff != "" || r.Replace != tt.want.Replace || r.Continue != "" {
				t.Errorf("got replace %t, continue %q, -want +got:\n%s", r.Replace, r.Continue, diff)
			}
		})
	}
}

// Each error names what is wrong.
func TestWhatIsNoCommand(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"nothing", "", "task is empty"},
		{"white space", " \n\t", "task is empty"},
		{"empty quotes", `""`, "task is empty"},
		{"empty curly quotes", `“”`, "task is empty"},
		{"quotes with white space", "\" \n \"", "task is empty"},
		{"empty quotes before words", `"" x`, "task is empty"},
		{"options alone", "--replace", "task is empty"},
		{"options and an empty task", `--replace ""`, "task is empty"},

		{"a quote that is not closed", `"fix it`, `the quote " before "fix it" is not closed`},
		{"a quote that is closed before a letter", `"fix"it`, `the quote " before "fix\"it" is not closed`},
		{"a quote that an option follows at once", `"fix it"--replace`, "is not closed"},
		{"a quote that is escaped", `"fix it\"`, "is not closed"},
		{"a curly quote that is not closed", "“fix it", "the quote “ before"},
		{"a curly quote that a straight one closes", `“fix it"`, "the quote “ before"},
		{"a straight quote that a curly one closes", `"fix it”`, `the quote " before`},
		{"an English quote that is closed like a German one", "“fix it“", "the quote “ before"},
		{"an apostrophe at the start of a word", "'tis a bug", "the quote ' before"},
		{"an apostrophe before a decade", "the '90s", "the quote ' before"},
		{"a quote behind words", `fix "it`, `the quote " before "it" is not closed`},
		{"a lone quote", `"`, "is not closed"},
		{"a quote in a value", `x --completion-promise "ALL`, "is not closed"},
		{"a quote in a value with an equals sign", `x --completion-promise="ALL`, "is not closed"},

		{"an unknown option", `"x" --verbose`, "unknown option --verbose"},
		{"an unknown option with a value", `"x" --verbose=1`, "unknown option --verbose"},
		{"an unknown option in a task without quotes", "add --verbose to it", "unknown option --verbose"},
		{"an unknown option before the task", `--verbose "x"`, "unknown option --verbose"},
		{"an option in other letters", "x --Max-Iterations 5", "unknown option --Max-Iterations"},
		{"an option in short", "x --max 5", "unknown option --max"},
		{"an option beyond ASCII", "x --é", "unknown option --é"},
		{"an option with a quote", `x --replace"`, `unknown option --replace"`},
		{"a long option", "x --" + strings.Repeat("y", 1000), "unknown option --" + strings.Repeat("y", 40) + "…;"},

		{"no value", "x --max-iterations", "--max-iterations needs a value"},
		{"no value behind an equals sign", "x --max-iterations=", "--max-iterations needs a value"},
		{"a space behind an equals sign", "x --max-iterations= 5", "--max-iterations needs a value"},
		{"an option for a value", "x --completion-promise --replace", "--completion-promise needs a value"},
		{"an unknown option for a value", "x --completion-promise --y", "--completion-promise needs a value"},
		{"a value for a switch", "x --replace=yes", "--replace takes no value"},
		{"an empty value for a switch", "x --plan=", "--plan takes no value"},

		{"words behind a switch", `"x" --replace now`, `"now" is left over`},
		{"words behind an option", "x --max-iterations 5 and y", `"and y" is left over`},
		{"a second task", `"x" --replace "y"`, `"\"y\"" is left over`},
		{"words before a task, behind an option", "--replace x", `"x" is left over`},
		{"words behind a quoted task, behind an option", `--replace "x" y`, `"y" is left over`},
		{"many words", "x --replace " + strings.Repeat("y", 1000), `"` + strings.Repeat("y", 40) + `…" is left over`},

		{"a limit of zero", "x --max-iterations 0", `--max-iterations: "0" is not a whole number from 1 to 10000`},
		{"a limit that is too high", "x --max-iterations 10001", "from 1 to 10000"},
		{"a limit below zero", "x --max-iterations -1", "from 1 to 10000"},
		{"a limit with a plus", "x --max-iterations +2", "from 1 to 10000"},
		{"a duration with a plus", "x --max-duration +2h", `"+2h" is not a duration`},
		{"tokens with a plus", "x --max-tokens +5k", `"+5k" is not a number of tokens`},
		{"a limit with a fraction", "x --max-iterations 2.5", "from 1 to 10000"},
		{"a limit in words", "x --max-iterations many", "from 1 to 10000"},
		{"a limit beyond all numbers", "x --max-iterations 99999999999999999999", "from 1 to 10000"},
		{"an empty limit", `x --max-iterations ""`, "from 1 to 10000"},
		{"a least of zero", "x --min-iterations 0", "from 1 to 10000"},
		{"tool calls below zero", "x --min-tool-calls -1", "from 0 to 1000000"},
		{"too many tool calls", "x --min-tool-calls 1000001", "from 0 to 1000000"},
		{"a way to match that is unknown", "x --promise-match fuzzy", `--promise-match: "fuzzy" is not one of exact, lenient`},
		{"a way to match in capitals", "x --promise-match EXACT", "is not one of"},
		{"a policy that is unknown", "x --on-promise-no-work ignore", "is not one of reject, warn, accept"},
		{"an empty promise", `x --completion-promise ""`, `--completion-promise: "" is empty or has spaces`},
		{"a promise with spaces at its ends", `x --completion-promise " A"`, "is empty or has spaces"},
		{"a promise over two lines", "x --completion-promise \"A\nB\"", "has control characters"},
		{"a promise with a delete", "x --completion-promise A\x7fB", "has control characters"},
		{"a promise that is too long", "x --completion-promise " + strings.Repeat("y", 201), "longer than 200 bytes"},
		{"a promise with its tag", "x --completion-promise <promise>COMPLETE</promise>", "has the tag in it"},
		{"a promise with a closing tag", "x --completion-promise A</promise>", "has the tag in it"},
		{"a least above the limit", "x --max-iterations 5 --min-iterations 6", "--min-iterations 6 is more than --max-iterations 5"},
		{"a least above the usual limit", "x --min-iterations 21", "--min-iterations 21 is more than --max-iterations 20"},
		{"a duration of zero", "x --max-duration 0s", `--max-duration: "0s" is not a duration such as 90m, 2h or 1d12h`},
		{"a duration below zero", "x --max-duration -1h", "is not a duration"},
		{"a duration without a unit", "x --max-duration 60", "is not a duration"},
		{"a duration in words", "x --max-duration soon", "is not a duration"},

		{"a file and a task", `"x" --file task.md`, "--file has the task in it"},
		{"a file without a name", `--file ""`, "--file: the name of the file is empty"},
		{"a file and continue", "--continue c1 --file task.md", "--continue goes on with the rules"},

		{"continue without an id", "--continue", "--continue needs a value"},
		{"continue with an empty id", `--continue ""`, "--continue: conversation id is empty"},
		{"continue and a task", `--continue c1 "x"`, "leave out the new one"},
		{"a task and continue", `"x" --continue c1`, "leave out the new one"},
		{"continue and words", "--continue c1 please", `"please" is left over`},
		{"continue and replace", "--continue c1 --replace", "only --max-iterations, --max-duration and --max-tokens may stand beside it"},
		{"continue and a promise", "--completion-promise X --continue c1", "only --max-iterations, --max-duration and --max-tokens may stand beside it"},
		{"continue and no limit", "--continue c1 --max-iterations 0", "from 1 to 10000"},

		{"no text", "fix \xff it", "not valid UTF-8"},
		{"half a character", `"fix it 🚀`[:9] + `"`, "not valid UTF-8"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := cmdline.Parse(tt.text, nil)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("got %+v, %v want %s", r, err, tt.want)
			}
			if len(err.Error()) > 300 {
				t.Errorf("got an error of %d bytes", len(err.Error()))
			}
		})
	}
}

func TestOptionsAreUsable(t *testing.T) {
	for _, o := range loop.Options() {
		if o.Usage == "" || o.Arg != "" && !strings.Contains(o.Usage, "`"+o.Arg+"`") {
			t.Errorf("--%s: got usage %q, which does not name %q", o.Name, o.Usage, o.Arg)
		}
		r := loop.NewRequest()
		if r.Given(o.Name) {
			t.Errorf("--%s is given before it is set", o.Name)
		}
		if err := o.Set(&r, sampleValue(o)); err != nil || !r.Given(o.Name) {
			t.Errorf("--%s: got %v, given %t", o.Name, err, r.Given(o.Name))
		}
		r = loop.NewRequest()
		if _, off := o.Without(); off && o.Set(&r, "") == nil {
			continue
		}
		if err := o.Set(&r, ""); err == nil || !strings.HasPrefix(err.Error(), "--"+o.Name+": ") || errors.Unwrap(err) == nil || r.Given(o.Name) {
			t.Errorf("--%s: got %v, given %t for an empty value", o.Name, err, r.Given(o.Name))
		}
	}
}

func sampleValue(o loop.Option) string {
	switch o.Arg {
	case "":
		return ""
	case "HOW":
		return "lenient"
	case "WHAT":
		return "warn"
	case "D":
		return "2h"
	}
	return "3"
}
