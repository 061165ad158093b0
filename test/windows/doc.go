// Package windows has tests alone: the programs on Windows, as Cursor and a user
// run them. On Linux the same tests run under Wine, with a stand-in for
// PowerShell.
package windows
