package printmode

import (
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/outer"
)

// usage is how many tokens an agent says that it took. Each agent uses some of the
// names. A number of the wrong type stays 0.
type usage struct {
	Input      int64 `json:"input_tokens"`
	Output     int64 `json:"output_tokens"`
	Created    int64 `json:"cache_creation_input_tokens"` // claude: not in Input
	Read       int64 `json:"cache_read_input_tokens"`     // claude: not in Input
	Cached     int64 `json:"cached_input_tokens"`         // codex: in Input
	CachedToo  int64 `json:"cached"`                      // gemini: in Input
	InputToo   int64 `json:"inputTokens"`                 // cursor-agent
	OutputToo  int64 `json:"outputTokens"`
	ReadToo    int64 `json:"cacheReadTokens"`
	CreatedToo int64 `json:"cacheWriteTokens"`
}

// tokens returns the tokens, with those from the cache among the input.
func (u usage) tokens() *loop.Tokens {
	for _, n := range []*int64{&u.Created, &u.Read} {
		*n = max(0, *n)
	}
	return loop.TokensOf(u.Input+u.Created+u.Read+u.InputToo, u.Output+u.OutputToo, u.Read+u.Cached+u.CachedToo+u.ReadToo, u.Created+u.CreatedToo)
}

// stepTokens are those of one step of opencode's turn.
type stepTokens struct {
	Total  int64 `json:"total"` // newer
	Input  int64 `json:"input"` // without the cache
	Output int64 `json:"output"`
	Cache  struct {
		Read  int64 `json:"read"`
		Write int64 `json:"write"`
	} `json:"cache"`
}

func (s stepTokens) tokens() *loop.Tokens {
	read, write := max(0, s.Cache.Read), max(0, s.Cache.Write)
	input := s.Input + read + write
	return loop.TokensOf(input, max(s.Output, s.Total-input), read, write)
}

// took reports the tokens of one run of an agent. Those of codex are the sum of its
// thread: of one that another process began, what this turn took is unknown.
func (d *driver) took(t *turn, resumed bool) {
	n := t.tokens
	if t.total != nil {
		n, d.total = t.total, t.total
		switch before := t.before; {
		case resumed && before == nil:
			n = nil
		case before != nil && n.Input >= before.Input && n.Output >= before.Output:
			n = loop.TokensOf(n.Input-before.Input, n.Output-before.Output, n.CacheRead-before.CacheRead, n.CacheWrite-before.CacheWrite)
		}
	}
	if n != nil {
		t.see(outer.Seen{Record: loop.Record{Kind: loop.RecordTokens, Tokens: n}})
	}
}
