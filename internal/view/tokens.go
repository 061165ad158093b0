package view

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// tokensOf are tokens as --json prints them. A file that somebody edited may say
// anything.
func tokensOf(t *loop.Tokens) *loop.Tokens {
	if t == nil {
		return nil
	}
	return &loop.Tokens{Input: max(0, t.Input), Output: max(0, t.Output), CacheRead: max(0, t.CacheRead), CacheWrite: max(0, t.CacheWrite)}
}

// Tokens says how many tokens an iteration took: unknown, or such as 12.3k.
func Tokens(t *loop.Tokens) string {
	if t == nil {
		return "unknown"
	}
	return short(tokensOf(t).Sum())
}

// short is a number in at most five characters below a billion.
func short(n int64) string {
	const thousand, million = 1_000, 1_000_000
	switch {
	case n < thousand:
		return strconv.FormatInt(n, 10)
	case n < million:
		return fmt.Sprintf("%.1fk", float64(n/100)/10)
	}
	return fmt.Sprintf("%.1fM", float64(n/(million/10))/10)
}

// DescribeTokens says how many tokens a loop and its reviews have taken, its limit, and what
// is not in the sum; nothing for a loop of which no turn has ended.
func (l Loop) DescribeTokens() string {
	words, limit := "", ""
	if l.MaxTokens > 0 {
		limit = fmt.Sprintf(" of at most %d", l.MaxTokens)
	}
	switch all := l.Tokens.Plus(l.ReviewTokens); {
	case all != nil:
		words = fmt.Sprintf("%d%s (%s)", all.Sum(), limit, l.tokenParts())
		if l.TokensUnknown > 0 {
			words += fmt.Sprintf("; unknown for %d more %s", l.TokensUnknown, turns(l.TokensUnknown))
		}
	case l.TokensUnknown > 0 && limit != "":
		words = "unknown: nobody reports them, so the limit" + limit + " cannot act"
	case l.TokensUnknown > 0:
		words = "unknown: nobody reports them"
	case limit != "":
		words = "none yet," + limit
	}
	return words
}

func (l Loop) tokenParts() string {
	var parts []string
	if t := l.Tokens; t != nil {
		parts = append(parts, fmt.Sprintf("input %d, output %d", t.Input, t.Output))
		if t.CacheRead > 0 {
			parts = append(parts, fmt.Sprintf("read from the cache %d", t.CacheRead))
		}
	}
	if l.ReviewTokens != nil {
		parts = append(parts, fmt.Sprintf("reviews %d", l.ReviewTokens.Sum()))
	}
	return strings.Join(parts, ", ")
}

func turns(n int) string {
	if n == 1 {
		return "turn"
	}
	return "turns"
}
