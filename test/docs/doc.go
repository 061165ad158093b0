// Package docs has only tests: they run what the README and the pages in docs tell a reader to run, and follow their links.
//
// A page is one world: a home and a workspace of its own, in which its blocks are run in their order with the real programs. A
// comment before a block says what a reader cannot see:
//
//	<!-- test: COMMANDS -->       run before the block, in the same shell
//	<!-- in a clone -->           run where the sources are, in a copy of them
//	<!-- file: NAME -->           the block is this file of the workspace
//	<!-- fails -->                its commands fail, as they should
//	<!-- demo -->                 a transcript, shortened, of make demo
//	<!-- not run: WHY -->         counted, and listed by go test -v
//
// Blocks of sh are run. In one of console each `$ ` line is run and what follows is its output, where a line of … stands for any
// lines. Blocks of go compile; json, toml and yaml parse.
package docs
