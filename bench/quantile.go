package main

import (
	"slices"
	"time"
)

func walls(samples []sample) (times []time.Duration) {
	for _, s := range samples {
		times = append(times, s.wall)
	}
	return times
}

func cpus(samples []sample) (times []time.Duration) {
	for _, s := range samples {
		times = append(times, s.cpu)
	}
	return times
}

// quantile is in milliseconds. Of an even number the median is the mean of the
// middle two.
func quantile(times []time.Duration, q float64) float64 {
	sorted := slices.Sorted(slices.Values(times))
	at := q * float64(len(sorted)-1)
	low := int(at)
	high := min(low+1, len(sorted)-1)
	between := at - float64(low)
	return (float64(sorted[low])*(1-between) + float64(sorted[high])*between) / 1e6
}
