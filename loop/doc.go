// Package loop decides what happens next to a Ralph loop: one task that is fed
// back to an agent until it gives its completion promise, a limit is reached or
// the user stops it.
//
// Everything here is pure. Decide turns a State and an Event into the next
// State and an Action; Parse and State.Encode are the state file's format;
// Options are those of a loop, and Record is a line of the journal in which the
// other hooks leave what they saw.
//
// It is not where files are read, locked or written (package state), where
// Cursor's own events are decoded (package hook), nor where a user's line is
// read (package cmdline).
package loop
