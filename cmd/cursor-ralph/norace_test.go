//go:build !race

package main

// raceDetector is the factor of this build, without it.
const raceDetector = 1
