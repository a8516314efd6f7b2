//go:build !race

package student

// raceEnabled reports whether the race detector runs, which empties pools at random.
const raceEnabled = false
