// Package answers has the wrong answers that users and readers found, each as a test through the real programs: what must hold
// whatever is built behind them. Most are scripts in testdata, named by topic: `cursor-ralph` is what a user or an agent types,
// and `event` feeds the hook by hand (test/script says how). What needs a Cursor that answers back is a test in Go, which plays
// an agent in the simulated Cursor. Whoever changes what a test here expects says why in the commit.
package answers
