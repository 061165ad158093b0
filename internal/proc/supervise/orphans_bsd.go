//go:build unix && !linux

package supervise

// orphans cannot be adopted here.
type orphans struct{}

func adopt() *orphans { return nil }

func (*orphans) begin(int) {}

func (*orphans) reap() {}

func (*orphans) kill() (found bool) { return false }

func (*orphans) close() {}

// rename does nothing: here a process has the name of its program's file.
func rename(string) {}
