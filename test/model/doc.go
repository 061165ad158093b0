// Package model is tests alone: it explores the claim and continue protocol,
// every interleaving of small worlds, by an explicit search of all states.
//
// A world has two chats of one workspace, a hook that is installed twice, up to
// two injectors, the user's commands, and kills between any two steps. In some the
// editor loses answers or sends them late, and there is the watcher.
//
// Of those: the agent gets at most one continuation of a stop, and exactly one if
// the line can be delivered; what the user's message, Stop, pause or cancel closed
// is not sent again; the agent of a loop that was started elsewhere gets its task,
// in a turn that does not count. What the loop decides is decided by loop.Decide
// itself, and states go through their file's form at each step; a step of the store is what the real one does at
// once: a rename, a replaced file, a look without a lock. Another test drives
// the real state.Store and pending.Box beside the model's.
//
// A smaller model has the gates of a promise (gates_test.go): whatever comes while they
// are asked, what the user does wins, the next promise is asked about anew, and tokens
// count once.
//
// A violated property is printed with the steps that lead to it. What is known
// not to hold is pinned by a test of its own: a line that is under way in two
// chats at once, a killed watcher, a late answer to a loop that is over. Time
// stands still between a call-off and a line that crosses it, so that a line which
// waits in the editor for longer than the loop allows for is the user's.
//
//	go test ./test/model          // small bounds, for every change
//	go test ./test/model -deep    // larger ones, by hand
package model
