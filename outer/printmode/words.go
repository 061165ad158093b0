package printmode

import "mvdan.cc/sh/v3/shell"

// Words splits a command line as a shell does, with its quotes and $NAME, and
// without running anything: the user writes what he would type, and a prompt is
// put into one of the words only afterwards, so that no shell ever reads it.
func Words(text string, getenv func(string) string) ([]string, error) {
	return shell.Fields(text, getenv)
}
