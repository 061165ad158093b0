package printmode

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/outer"
)

// tokensOfRuns are what the runs of an agent in one session report, one each.
func tokensOfRuns(t *testing.T, agent string, first bool, streams ...string) (all []*loop.Tokens) {
	d := &driver{Config: Config{Preset: preset(t, agent), Dir: "/ws"}}
	for i, stream := range streams {
		var n *loop.Tokens
		run, resumed := newTurn(d.Config, func(s outer.Seen) {
			if s.Record.Kind == loop.RecordTokens {
				n = n.Plus(s.Record.Tokens)
			}
		}), !first || i > 0
		if resumed {
			run.before = d.total
		}
		run.readLines(strings.NewReader(stream), func() {})
		d.took(run, resumed)
		all = append(all, n)
	}
	return all
}

func TestTokensInStreams(t *testing.T) {
	done := func(usage string) string { return `{"type":"turn.completed","usage":` + usage + "}\n" }
	for _, tt := range []struct {
		name, agent string
		resumed     bool
		streams     []string
		want        []*loop.Tokens
	}{
		{"claude", "claude", false, []string{`{"type":"result","subtype":"success","result":"x","usage":{"input_tokens":10,"cache_creation_input_tokens":20,"cache_read_input_tokens":30,"output_tokens":5}}`},
			[]*loop.Tokens{{Input: 60, Output: 5, CacheRead: 30, CacheWrite: 20}}},
		{"claude fails", "claude", false, []string{`{"type":"result","subtype":"error_max_turns","is_error":true,"usage":{"input_tokens":10,"output_tokens":5}}`}, []*loop.Tokens{{Input: 10, Output: 5}}},
		{"cursor-agent", "cursor-agent", false, []string{`{"type":"result","subtype":"success","result":"x","usage":{"inputTokens":10,"outputTokens":5,"cacheReadTokens":3,"cacheWriteTokens":2}}`},
			[]*loop.Tokens{{Input: 10, Output: 5, CacheRead: 3, CacheWrite: 2}}},
		{"cursor-agent as documented, without", "cursor-agent", false, []string{`{"type":"result","subtype":"success","result":"x"}`}, []*loop.Tokens{nil}},
		{"gemini", "gemini", false, []string{`{"type":"result","status":"success","stats":{"total_tokens":15,"input_tokens":10,"output_tokens":5,"cached":4,"input":6}}`}, []*loop.Tokens{{Input: 10, Output: 5, CacheRead: 4}}},
		{"opencode's steps", "opencode", false, []string{
			`{"type":"step_finish","part":{"reason":"tool-calls","tokens":{"input":10,"output":5,"reasoning":2,"cache":{"read":100,"write":1}}}}` + "\n" +
				`{"type":"step_finish","part":{"reason":"stop","tokens":{"total":120,"input":10,"output":5,"reasoning":5,"cache":{"read":100,"write":0}}}}`},
			[]*loop.Tokens{{Input: 221, Output: 15, CacheRead: 200, CacheWrite: 1}}},
		{"codex: the thread's sum", "codex", false, []string{done(`{"input_tokens":100,"cached_input_tokens":50,"output_tokens":10}`), done(`{"input_tokens":250,"cached_input_tokens":150,"output_tokens":15}`)},
			[]*loop.Tokens{{Input: 100, Output: 10, CacheRead: 50}, {Input: 150, Output: 5, CacheRead: 100}}},
		{"codex resumes what another process began", "codex", true, []string{done(`{"input_tokens":9000,"output_tokens":10}`), done(`{"input_tokens":9100,"output_tokens":15}`)}, []*loop.Tokens{nil, {Input: 100, Output: 5}}},
		{"codex counts anew", "codex", false, []string{done(`{"input_tokens":100,"output_tokens":10}`), done(`{"input_tokens":50,"output_tokens":5}`)}, []*loop.Tokens{{Input: 100, Output: 10}, {Input: 50, Output: 5}}},
		{"numbers that cannot be", "codex", false, []string{done(`{"input_tokens":-5,"output_tokens":1.5}`), done(`{"input_tokens":"7","output_tokens":1e300}`), done(`[]`), done(`null`)}, []*loop.Tokens{nil, nil, nil, nil}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, tokensOfRuns(t, tt.agent, !tt.resumed, tt.streams...)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestClaudeSummarizes(t *testing.T) {
	compacted := false
	run := newTurn(Config{Preset: preset(t, "claude"), Dir: "/ws"}, func(s outer.Seen) { compacted = compacted || s.Record.Kind == loop.RecordCompact })
	run.readLines(strings.NewReader(`{"type":"system","subtype":"compact_boundary","compact_metadata":{"trigger":"auto"}}`), func() {})
	if !compacted {
		t.Error("not reported")
	}
}
