package checkpoint

import (
	"fmt"
	"testing"
	"time"
)

// BenchmarkAHundredThousandFiles measures git status and a checkpoint from the second on, which takes at most a second more.
func BenchmarkAHundredThousandFiles(b *testing.B) {
	w := newWorld(b)
	for i := range 100_000 {
		w.write(fmt.Sprintf("d%d/e%d/f%d.txt", i%100, i/1000, i), fmt.Sprintf("file %d\n", i))
	}
	w.commit()
	w.git("status")
	w.take("0")
	b.ResetTimer()
	var status, taken time.Duration
	for i := range b.N {
		w.write("d1/new", fmt.Sprintf("new %d\n", i))
		status += took(func() { w.git("status", "--porcelain") })
		taken += took(func() { w.take(Name(fmt.Sprint(i + 1))) })
	}
	b.ReportMetric(status.Seconds()/float64(b.N), "git-status-s/op")
	b.ReportMetric(taken.Seconds()/float64(b.N), "checkpoint-s/op")
}

func took(do func()) time.Duration {
	begun := time.Now()
	do()
	return time.Since(begun)
}
