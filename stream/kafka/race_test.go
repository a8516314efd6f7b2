//go:build race

package kafka_test

// raceEnabled says whether the race detector runs.
const raceEnabled = true
