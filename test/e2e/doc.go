// Package e2e has no code of its own: its tests play whole loops, from the
// installation to the record in the archive. Everything in them is real, the
// two programs, hooks.json, the login shell and the files, except for the
// editor and the agent: package simcursor plays these.
package e2e
