//go:build race

package main

// raceDetector is how many times more memory a program with the race detector takes.
const raceDetector = 3
