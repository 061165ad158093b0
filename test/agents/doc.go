// Package agents has only tests: real coding agents, as published on npm, work in the
// outer loop. Only the model is a script, played by package modelserver.
// scripts/agents/install installs the agents.
package agents
