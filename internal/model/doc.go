// Package model is tests alone: it explores the claim and continue protocol,
// every interleaving of small worlds, by an explicit search of all states.
//
// A world has two chats of one workspace, a hook that is installed twice, up to
// two injectors, the user's commands, and kills between any two steps. What the
// loop decides is decided by loop.Decide itself, and states go through their
// file's form at each step; a step of the store is what the real one does at
// once: a rename, a replaced file, a look without a lock. Another test drives
// the real state.Store and pending.Box beside the model's.
//
// A violated property is printed with the steps that lead to it. What is known
// not to hold, where a line is under way in two chats at once, is pinned by a
// test of its own.
//
//	go test ./internal/model          // small bounds, for every change
//	go test ./internal/model -deep    // larger ones, by hand
package model
