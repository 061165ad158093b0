//go:build unix

package e2e_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/test/short"
)

// A reviewer as opencode is, and one that reports the tokens it took, as claude's adapter
// does. Both keep each prompt as prompt-N, run do-N if there is one, and say what is in
// say-N, with the code of the prompt for CODE.
const (
	reviewerLib = `#!/bin/sh
D=%[1]s
env >>$D/env
answer() {
  n=1
  while test -f $D/prompt-$n; do n=$((n+1)); done
  printf '%%s' "$1" >$D/new
  mv $D/new $D/prompt-$n
  code=$(sed -n 's/.*The answer code is \([A-Z0-9]*\).*/\1/p' $D/prompt-$n)
  test -f $D/do-$n && . $D/do-$n
  said=$(sed "s/CODE/$code/g" $D/say-$n)
}
`
	speakingReviewer = reviewerLib + `
reply() { printf '{"jsonrpc":"2.0","id":%%s,"result":%%s}\n' "$1" "$2"; }
while IFS= read -r line; do
  id=$(printf '%%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/' | head -c 20)
  case $line in
  *'"method":"initialize"'*) reply "$id" '{"protocolVersion":1}' ;;
  *'"method":"session/new"'*) reply "$id" '{"sessionId":"s"}' ;;
  *'"method":"session/prompt"'*)
    answer "$line"
    printf '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":%%s}}}}\n' "$said"
    reply "$id" '{"stopReason":"end_turn"%[2]s}' ;;
  esac
done
`
	allClear = `{"code":"CODE","verdict":"clear","findings":[]}`
	problem  = `{"code":"CODE","verdict":"findings","findings":[{"file":"a.go","line":3,"problem":"It divides by zero."}]}`
	finding  = "- a.go:3: It divides by zero."
)

// reviewers makes the work tree a repository, puts the reviewers on the PATH, and sets
// what they say.
func (w *world) reviewers(says ...string) {
	w.Helper()
	for _, args := range [][]string{{"init", "-q"}, {"-c", "user.name=x", "-c", "user.email=x@y", "commit", "-q", "--allow-empty", "-m", "x"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = w.repo(), append(os.Environ(), w.env()...)
		if out, err := cmd.CombinedOutput(); err != nil {
			w.Fatalf("git: %v: %s", err, out)
		}
	}
	w.must(os.MkdirAll(w.reviewer(), 0o755))
	for name, usage := range map[string]string{"opencode": "", "claude-agent-acp": `,"usage":{"totalTokens":100,"inputTokens":90,"outputTokens":10}`} {
		path := filepath.Join(w.dir, "agents", name)
		w.write(path, fmt.Sprintf(speakingReviewer, w.reviewer(), usage))
		w.must(os.Chmod(path, 0o755))
	}
	agents := filepath.Join(w.dir, "agents")
	w.extra = append(w.extra, "PATH="+agents+":"+bin+":"+os.Getenv("PATH"))
	w.profileAdds("PATH=" + agents + ":$PATH") // which the login shell of a hook makes anew
	for i, said := range says {
		if action, ok := strings.CutPrefix(said, "!"); ok {
			w.write(filepath.Join(w.reviewer(), fmt.Sprintf("do-%d", i+1)), action+"\n")
			continue
		}
		words, err := json.Marshal(said)
		w.must(err)
		w.write(filepath.Join(w.reviewer(), fmt.Sprintf("say-%d", i+1)), string(words))
	}
}

func (w *world) reviewer() string { return filepath.Join(w.dir, "reviewer") }

// prompted returns the prompts of the reviewers.
func (w *world) prompted() (list []string) {
	w.Helper()
	for i := 1; ; i++ {
		data, err := os.ReadFile(filepath.Join(w.reviewer(), fmt.Sprintf("prompt-%d", i)))
		if err != nil {
			return list
		}
		var asked struct {
			Params struct{ Prompt []struct{ Text string } }
		}
		if json.Unmarshal(data, &asked) == nil && len(asked.Params.Prompt) == 1 {
			data = []byte(asked.Params.Prompt[0].Text)
		}
		list = append(list, string(data))
	}
}

// The same in the editor's loop and in a run, with both reviewers. The agent
// works and promises in each turn.
func TestReview(t *testing.T) {
	t.Parallel()
	for _, tt := range short.First([]struct {
		name, agent string
		options     []string
		says        []string // of the reviewer; ! is what it does instead
		status      string
		iterations  int
		pause, why  string // the reason of the pause, and a part of it in words
		told        string // what the last continuation has
	}{
		{"clear, with its tokens", "claude", nil, []string{allClear}, "PROMISE_ACCEPTED", 1, "", "", ""},
		{"findings, then clear", "opencode", nil, []string{problem, allClear}, "PROMISE_ACCEPTED", 2, "", "", finding},
		{"invalid twice", "opencode", nil, []string{"Fine.", "Fine."}, "paused", 0, "error", "the review by opencode failed: its answer was not valid, twice", ""},
		{"clear", "opencode", nil, []string{allClear}, "PROMISE_ACCEPTED", 1, "", "", ""},
		{"findings, then clear", "claude", nil, []string{problem, allClear}, "PROMISE_ACCEPTED", 2, "", "", finding},
		{"findings to the end", "opencode", nil, []string{problem, problem, problem}, "paused", 3, "review", "the reviewer refused the promise 3 times", finding},
		{"invalid once", "opencode", nil, []string{"Fine.", allClear}, "PROMISE_ACCEPTED", 1, "", "", ""},
		{"invalid once, then findings", "claude", nil, []string{"Fine.", problem, allClear}, "PROMISE_ACCEPTED", 2, "", "", finding},
		{"copied from the work", "claude", nil, []string{strings.ReplaceAll(allClear, "CODE", "FORGED"), strings.ReplaceAll(allClear, "CODE", "FORGED")}, "paused", 0, "error", "its answer was not valid", ""},
		{"dies", "opencode", nil, []string{"!echo no more credit >&2; exit 3"}, "paused", 0, "error", "no more credit", ""},
		{"hangs", "opencode", []string{"--gate-timeout", "8s"}, []string{"!sleep 1000"}, "paused", 0, "error", "it gave no answer within ", ""},
		{"refused before", "opencode", []string{"--verify", "'test -e work-2.txt'", "--gate-timeout", "5m"}, []string{allClear}, "PROMISE_ACCEPTED", 2, "", "", "failed with exit 1"},
	}, 4) {
		check := func(w *world, id string) {
			l := w.wantStatus(id, tt.status, tt.iterations)
			if l.PauseReason != tt.pause || !strings.Contains(l.Reason, tt.why) {
				w.Errorf("got the pause %q, %q; want %q, %q", l.PauseReason, l.Reason, tt.pause, tt.why)
			}
			if got := len(w.prompted()); got != len(tt.says) {
				w.Errorf("the reviewer was asked %d times, want %d", got, len(tt.says))
			}
		}
		options := append([]string{"--review", tt.agent}, tt.options...)
		t.Run(tt.name+", editor", func(t *testing.T) {
			once(t, func(w *world) {
				w.reviewers(tt.says...)
				c := w.chat()
				c.starts(`"make it green" ` + strings.Join(options, " "))
				told := ""
				for range 3 {
					c.works()
					if !c.says(done).ends() {
						break
					}
					told = c.turn.Message
				}
				check(w, c.ID)
				if tt.pause == "" { // else there is no continuation
					w.wantPart("the continuation", told, tt.told)
				}
			})
		})
		t.Run(tt.name+", run", func(t *testing.T) {
			once(t, func(w *world) {
				w.reviewers(tt.says...)
				agent := w.scriptedAgent("echo x >work-$n.txt\necho '" + done + "'\n")
				r := w.startRun(append([]string{"make it green", "--agent-command", agent}, strings.Split(strings.ReplaceAll(strings.Join(options, "\x00"), "'", ""), "\x00")...)...)
				want := 0
				if tt.status == "paused" {
					want = 1
				}
				r.ends(want)
				check(w, w.listed("--all")[0])
				if tt.pause == "" {
					data, err := os.ReadFile(filepath.Join(w.repo(), fmt.Sprintf("prompt-%d", tt.iterations)))
					w.must(err)
					w.wantPart("the continuation", string(data), tt.told)
					if tt.told == finding {
						w.wantPart("the run", r.output(), "  found: "+strings.TrimPrefix(finding, "- "))
					}
				}
			})
		})
	}
}

// hanging is a loop whose reviewer hangs, with a child in a session of its own.
func hanging(w *world, begin func()) (pids []int) {
	w.Helper()
	w.reviewers("!(trap '' INT TERM HUP; echo $$ >/dev/null; exec sleep 1000) & echo $! >$D/child.pid; echo $$ >$D/new.pid; mv $D/new.pid $D/agent.pid; sleep 1000")
	begin()
	for _, name := range []string{"agent.pid", "child.pid"} {
		pids = append(pids, w.pidIn("../../../reviewer/"+name))
	}
	return pids
}

// reviewedRun starts a run whose agent works and promises in each turn.
func (w *world) reviewedRun() *outerRun {
	w.Helper()
	return w.startRun("make it green", "--review", "opencode", "--agent-command", w.scriptedAgent("echo x >work\necho '"+done+"'\n"))
}

// The reviewer sees what changed since the loop began: committed, in the work tree and
// new, but not what was there before it; and how the gates before it went.
func TestWhatAReviewerGets(t *testing.T) {
	once(t, func(w *world) {
		w.reviewers(allClear)
		w.write(filepath.Join(w.repo(), "before.txt"), "there before the loop\n")
		w.write(filepath.Join(w.repo(), "PLAN.md"), "- [ ] make it\n")
		c := w.chat()
		c.starts(`"make it green" --review claude --tasks PLAN.md --verify "echo all is green" --gate-timeout 5m`)
		c.works()
		c.runs("echo in a commit >committed.txt && git add committed.txt && git -c user.name=x -c user.email=x@y commit -qm x && echo hidden >new.txt && echo - [x] make it >PLAN.md")
		c.isAccepted(done, 1)
		prompt := w.prompted()[0]
		for _, part := range []string{"\nmake it green\n", "\nadded committed.txt\n", "\n+in a commit\n", "\n+hidden\n", "compared with the beginning of the loop\n", "\nPLAN.md:\n- [x] make it\n", "echo all is green\nexit 0 after ", "\nall is green\n"} {
			w.wantPart("the prompt", prompt, part)
		}
		w.wantNoPart("the prompt", prompt, "there before the loop")
		env, err := os.ReadFile(filepath.Join(w.reviewer(), "env"))
		w.must(err)
		w.wantPart("its environment", string(env), "CURSOR_RALPH_RUN=review-")
		w.wantPart("history", w.ok(w.repo(), "history", c.ID), "review: clear, by claude after ")
		w.wantPart("report", w.ok(w.repo(), "report", c.ID), "## Review")
		w.wantPart("history --json", w.ok(w.repo(), "history", "--json", c.ID), `"verdict": "clear"`)
		w.wantPart("the log", w.log(), "verifying")
	})
}

// Whatever ends the wait for a review wins, and leaves no process behind.
func TestWhatEndsALoopEndsItsReview(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		end    func(*world, string)
		status string
	}{
		"cancel":         {func(w *world, id string) { w.ok(w.repo(), "cancel", id) }, "CANCELLED"},
		"a stop by hand": {func(w *world, id string) { w.change(w.live(id), map[string]any{"stop": true}) }, "USER_STOPPED"},
		"pause":          {func(w *world, id string) { w.ok(w.repo(), "pause", id) }, "paused"},
	} {
		t.Run(name+", editor", func(t *testing.T) {
			once(t, func(w *world) {
				var c *chat
				pids := hanging(w, func() {
					c = w.chat()
					c.starts(`"make it green" --review opencode`)
					c.works()
					c.says(done)
					c.begin(nil)
				})
				tt.end(w, c.ID)
				c.next()
				if c.turn != nil {
					w.Errorf("the agent was sent %q", c.turn.Message)
				}
				w.wantsGone(pids...)
				w.wantStatus(c.ID, tt.status, 0)
			})
		})
		t.Run(name+", run", func(t *testing.T) {
			once(t, func(w *world) {
				var r *outerRun
				pids := hanging(w, func() { r = w.reviewedRun() })
				id := w.runID()
				tt.end(w, id)
				w.wantsGone(pids...)
				w.until("the end of the review", func() bool { return w.status(id).Status == tt.status })
				_ = r.cmd.Process.Signal(os.Interrupt) // it may have ended
				<-r.done
			})
		})
	}
}

// A loop that could never be reviewed is refused where it is requested.
func TestAReviewThatCannotBeIsRefused(t *testing.T) {
	once(t, func(w *world) {
		agent := w.scriptedAgent("echo '" + done + "'\n")
		for _, tt := range []struct{ name, review, why, hint string }{
			{"no such agent", "nobody", `unknown agent "nobody"`, "agents: cursor"},
			{"not installed", "copilot:gpt-5", "the agent copilot is not installed", "npm install -g @github/copilot"},
			{"no repository", "opencode", "--review needs git", "git init"},
		} {
			if tt.name == "no repository" {
				w.reviewers()
				w.must(os.RemoveAll(filepath.Join(w.repo(), ".git")))
			}
			options := []string{"--review", tt.review}
			for command, args := range map[string][]string{
				"start": {"start", "make it green"}, "run": {"run", "make it green", "--agent-command", agent}, "loop-mode": {"loop-mode", "on"},
			} {
				said := w.refused(w.repo(), append(args, options...)...)
				w.wantPart(command+", "+tt.name, said, tt.why)
				w.wantPart(command+", "+tt.name, said, tt.hint)
			}
			c := w.chat()
			c.types(`/ralph-loop "make it green" ` + strings.Join(options, " "))
			if c.turn != nil {
				out, _ := c.tries(c.handOver())
				w.wantPart("slash, "+tt.name, out, tt.why)
				c.rests()
			} else {
				w.wantPart("shown, "+tt.name, c.shown(), tt.why)
			}
		}
		w.wantNoLoops()
	})
}
