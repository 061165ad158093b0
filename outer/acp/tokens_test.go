package acp

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

func TestTokensInAnAnswer(t *testing.T) {
	for _, tt := range []struct {
		name, answer string
		want         *loop.Tokens
	}{
		{"none", `{"stopReason":"end_turn"}`, nil},
		{"null", `{"stopReason":"end_turn","usage":null}`, nil},
		{"the protocol's", `{"usage":{"totalTokens":33,"inputTokens":11,"outputTokens":22}}`, &loop.Tokens{Input: 11, Output: 22}},
		{"the cache is in the input", `{"usage":{"totalTokens":33,"inputTokens":11,"outputTokens":22,"cachedReadTokens":4}}`, &loop.Tokens{Input: 11, Output: 22, CacheRead: 4}},
		{"the cache is not in the input", `{"usage":{"totalTokens":42,"inputTokens":11,"outputTokens":22,"cachedReadTokens":4,"cachedWriteTokens":5}}`, &loop.Tokens{Input: 20, Output: 22, CacheRead: 4, CacheWrite: 5}},
		{"gemini's", `{"stopReason":"end_turn","_meta":{"quota":{"token_count":{"input_tokens":7,"output_tokens":3}}}}`, &loop.Tokens{Input: 7, Output: 3}},
		{"a string", `{"usage":{"inputTokens":"11","outputTokens":22}}`, &loop.Tokens{Output: 22}},
		{"fractions", `{"usage":{"inputTokens":1.5,"outputTokens":2.5}}`, nil},
		{"negative", `{"usage":{"inputTokens":-1,"outputTokens":-2}}`, nil},
		{"huge", `{"usage":{"inputTokens":1e300,"outputTokens":99999999999999999999}}`, nil},
		{"a list", `{"usage":[1,2]}`, nil},
		{"no JSON", `{`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, tokensIn([]byte(tt.answer))); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
