//go:build unix && !linux

package hostile_test

// apart and furnish are for Linux, where a test can have a /tmp of its own.
func apart() (code int, done bool) { return 0, false }

func furnish() error { return nil }

const swapping = "CURSOR_RALPH_HOSTILE_SWAP"

func swap([]string) int { return 1 }

const caged = "CURSOR_RALPH_HOSTILE_CAGE"

func enterCage(_, _ []string) int { return 1 }

const measuring = "CURSOR_RALPH_HOSTILE_MEMORY"

func measure(string, []string) int { return 1 }
