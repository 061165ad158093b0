// Package agents has no code of its own: its tests let real coding agents, as
// their makers publish them on npm, work in the outer loop. Real are the agents,
// cursor-ralph, the files and the commands; the model is a script, played by
// package modelserver. scripts/agents/install installs the agents.
package agents
