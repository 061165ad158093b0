package acp

import (
	"encoding/json"

	"github.com/cursor-ralph/cursor-ralph/internal/toolcall"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/outer"
)

// usage is how many tokens a turn took, in the answer to its prompt. The protocol
// has it as unstable, and gemini its own. A number of the wrong type stays 0.
type usage struct {
	Usage struct {
		Total   int64 `json:"totalTokens"`
		Input   int64 `json:"inputTokens"`
		Output  int64 `json:"outputTokens"`
		Read    int64 `json:"cachedReadTokens"`
		Written int64 `json:"cachedWriteTokens"`
	} `json:"usage"`
	Meta struct {
		Quota struct {
			Tokens struct {
				Input  int64 `json:"input_tokens"`
				Output int64 `json:"output_tokens"`
			} `json:"token_count"`
		} `json:"quota"`
	} `json:"_meta"`
}

func (t *turn) took(answer json.RawMessage) {
	if n := tokensIn(answer); n != nil {
		t.report(outer.Seen{Record: loop.Record{Kind: loop.RecordTokens, Tokens: n}})
	}
}

// tokensIn returns the tokens that an answer names, nil if it names none. Those from
// the cache count among the input: where the total shows that an agent left them
// out, they are added.
func tokensIn(answer json.RawMessage) *loop.Tokens {
	var a usage
	if toolcall.Decode(answer, &a) != nil {
		return nil
	}
	u, cached := a.Usage, max(0, a.Usage.Read)+max(0, a.Usage.Written)
	if cached > 0 && u.Total >= u.Input+u.Output+cached {
		u.Input += cached
	}
	if n := loop.TokensOf(u.Input, u.Output, u.Read, u.Written); n != nil {
		return n
	}
	return loop.TokensOf(a.Meta.Quota.Tokens.Input, a.Meta.Quota.Tokens.Output, 0, 0)
}
