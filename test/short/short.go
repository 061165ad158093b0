// Package short decides what `make test` leaves to `make test-all`: go test -short runs one case of each kind.
package short

import (
	"maps"
	"slices"
	"testing"
)

// Left is the reason of every test that go test -short leaves out. scripts/testreport counts them.
const Left = "left to make test-all"

// First returns the first n cases with -short, and all of them without.
func First[T any](cases []T, n int) []T {
	if testing.Short() && len(cases) > n {
		return cases[:n]
	}
	return cases
}

// Each returns every step-th case with -short, and all of them without.
func Each[T any](cases []T, step int) []T {
	if !testing.Short() {
		return cases
	}
	var some []T
	for i := 0; i < len(cases); i += step {
		some = append(some, cases[i])
	}
	return some
}

// Times returns how often to repeat something random or timed: less with -short, all without.
func Times(less, all int) int {
	if testing.Short() {
		return less
	}
	return all
}

// Skip leaves a test, or what follows of it, to make test-all.
func Skip(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip(Left)
	}
}

// Keys returns the names of a table's cases in alphabetical order: the first n with -short, and all without.
func Keys[T any](cases map[string]T, n int) []string {
	return First(slices.Sorted(maps.Keys(cases)), n)
}
