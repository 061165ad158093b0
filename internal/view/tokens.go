package view

import (
	"fmt"
	"strconv"

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

// DescribeTokens says how many tokens a loop has taken, and its limit; nothing where neither is known.
func (l Loop) DescribeTokens() string {
	limit := ""
	if l.MaxTokens > 0 {
		limit = fmt.Sprintf(" of at most %d", l.MaxTokens)
	}
	t := l.Tokens
	switch {
	case t == nil && limit == "":
		return ""
	case t == nil:
		return "none reported," + limit
	}
	words := fmt.Sprintf("%d%s (input %d, output %d", t.Sum(), limit, t.Input, t.Output)
	if t.CacheRead > 0 {
		words += fmt.Sprintf(", read from the cache %d", t.CacheRead)
	}
	return words + ")"
}
