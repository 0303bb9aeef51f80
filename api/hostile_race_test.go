//go:build race

package api

// raceDetector: the program is many times slower, and its memory is shadowed.
const raceDetector = true
