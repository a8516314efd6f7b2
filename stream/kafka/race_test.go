//go:build race

package kafka_test

// raceEnabled reports whether the race detector runs.
const raceEnabled = true
