package checkpoint

import (
	"fmt"
	"os"
	"testing"
	"time"
)

// TestAHundredThousandFiles: a checkpoint takes at most a second more than git status.
func TestAHundredThousandFiles(t *testing.T) {
	if os.Getenv("CURSOR_RALPH_BIG") == "" {
		t.Skip("takes a minute; set CURSOR_RALPH_BIG")
	}
	w := newWorld(t)
	for i := range 100_000 {
		w.write(fmt.Sprintf("d%d/e%d/f%d.txt", i%100, i/1000, i), fmt.Sprintf("file %d\n", i))
	}
	w.commit()
	w.git("status")
	measured := func(name string, do func()) time.Duration {
		begun := time.Now()
		do()
		t.Logf("%s: %s", name, time.Since(begun).Round(time.Millisecond))
		return time.Since(begun)
	}
	status := measured("git status", func() { w.git("status", "--porcelain") })
	for _, n := range []Name{"0", "1", "2"} {
		w.write("d1/new"+string(n), "new\n")
		w.write("d2/e2/f2002.txt", "changed "+string(n)+"\n")
		if took := measured("checkpoint "+string(n), func() { w.take(n) }); took > status+time.Second {
			t.Errorf("checkpoint %s took %s, git status %s", n, took, status)
		}
	}
}
